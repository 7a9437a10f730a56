// Looking again and again: one question at a time, soon after something happened, and now and then in any case.

/** `look()` answers once it has shown what it found. Entries come in bursts: each burst is one look. */
export const createLooking = (look, { soonMs = 800, everyMs = 15_000 } = {}) => {
  let timer = 0
  let looking = false
  let again = false

  let due = Number.POSITIVE_INFINITY

  /** Never later than it was to be: where entries never end, it is looked at all the same. */
  const within = (ms) => {
    const at = Date.now() + ms
    if (at >= due) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(run, ms)
  }

  const run = async () => {
    clearTimeout(timer)
    due = Number.POSITIVE_INFINITY
    if (looking) {
      again = true
      return undefined
    }
    looking = true
    const found = await look()
    looking = false
    within(again ? soonMs : everyMs)
    again = false
    return found
  }

  return { soon: () => within(soonMs), now: run }
}
