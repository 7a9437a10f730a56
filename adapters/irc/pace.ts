/** How fast it speaks: lines at once, and then so many in a second. */
export type Flood = { burst: number; perSecond: number }

/** Everything that goes to a server, in order and no faster than it takes it. */
export type Pace = {
  /** Answers whether it was written: not, where the connection ends before its turn comes. Lines given together stay together. */
  put: (lines: readonly string[]) => Promise<boolean>
  /** Before all that waits, and at once. What comes after waits the longer for it. */
  putFirst: (line: string) => void
  end: () => void
}

/** A bucket of tokens: a line takes about one, a short one half of one and a long one two, as servers count them. */
export const createPace = ({ burst, perSecond }: Flood, write: (line: string) => void): Pace => {
  const waiting: { lines: readonly string[]; written: (yes: boolean) => void }[] = []
  let tokens = burst
  let counted = performance.now()
  let timer: NodeJS.Timeout | undefined
  let over = false

  const refill = () => {
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - counted) / 1000) * perSecond)
    counted = now
  }
  const pump = () => {
    timer = undefined
    refill()
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const cost = next.lines.reduce((sum, line) => sum + costOf(line), 0)
      // More than there can ever be is let go when there is as much as there can be, and owed.
      const missing = Math.min(cost, burst) - tokens
      if (missing > 0) {
        timer = setTimeout(pump, Math.ceil((missing / perSecond) * 1000))
        return
      }
      tokens -= cost
      waiting.shift()
      for (const line of next.lines) write(line)
      next.written(true)
    }
  }
  return {
    put: (lines) =>
      new Promise((written) => {
        if (over) return written(false)
        waiting.push({ lines, written })
        if (timer === undefined) pump()
      }),
    putFirst: (line) => {
      if (over) return
      refill()
      tokens -= costOf(line)
      write(line)
    },
    end: () => {
      over = true
      clearTimeout(timer)
      for (const { written } of waiting.splice(0)) written(false)
    },
  }
}

const BASE = 0.5
const BYTES = 300
const MOST = 1.5

const costOf = (line: string): number => BASE + Math.min(MOST, Buffer.byteLength(line) / BYTES)
