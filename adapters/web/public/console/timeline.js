// A chain as a timeline: one item for each entry, but for steps, whose beginning and end are one.

/** How an item stands, and what of it is told. */
export const tellingOf = ({ entries }) => {
  const [first] = entries
  const entry = entries.at(-1)
  const running = entry === first && first.body?.event === 'step-intended'
  return { entry, running }
}

export const createTimeline = () => {
  const items = []
  /** Where the item of an entry is, and of a step. */
  const places = new Map()
  const steps = new Map()
  const counts = { entries: 0, steps: 0, failed: 0, refused: 0, hops: 0 }

  const add = (entry) => {
    places.set(entry.id, items.length)
    items.push({ key: entry.id, entries: [entry] })
  }

  const TAKE = {
    'step-intended': (entry, { step }) => {
      counts.steps += 1
      steps.set(step, items.length)
      add(entry)
    },
    'step-ended': (entry, { step, outcome }) => {
      if (outcome.kind !== 'ok') counts.failed += 1
      const index = steps.get(step)
      if (index === undefined) return add(entry)
      places.set(entry.id, index)
      // Another object: whoever shows it sees that it has changed.
      items[index] = { ...items[index], entries: [...items[index].entries, entry] }
    },
    'step-refused': (entry) => {
      counts.refused += 1
      add(entry)
    },
    'peripheral-stopped': (entry, { to }) => {
      if (to !== undefined) counts.hops += 1
      add(entry)
    },
  }

  return {
    items,
    counts,
    take: (entry) => {
      counts.entries += 1
      const own = TAKE[entry.body?.event]
      if (own) own(entry, entry.body)
      else add(entry)
    },
    /** The item that an entry is in. */
    itemOf: (id) => items[places.get(id)] ?? null,
  }
}
