/** How fast it speaks: lines at once, and then so many in a second. */
export type Flood = { burst: number; perSecond: number }

/** Everything that goes to a server, in order and no faster than it takes it. */
export type Pace = {
  /** Answers whether it was written: not, where the connection ends before its turn comes. Lines given together stay together. */
  put: (lines: readonly string[]) => Promise<boolean>
  /** The same for what nobody else waits for: it takes turns with the rest, and never more than half of the time. */
  putAside: (lines: readonly string[]) => Promise<boolean>
  /** Before all that waits, and at once. What comes after waits the longer for it. */
  putFirst: (line: string) => void
  end: () => void
}

type Waiting = { lines: readonly string[]; written: (yes: boolean) => void }

/** A bucket of tokens: a line takes about one, a short one half of one and a long one two, as servers count them. */
export const createPace = ({ burst, perSecond }: Flood, write: (line: string) => void): Pace => {
  const main: Waiting[] = []
  const aside: Waiting[] = []
  let wasAside = false
  let tokens = burst
  let counted = performance.now()
  let timer: NodeJS.Timeout | undefined
  let over = false

  const refill = () => {
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - counted) / 1000) * perSecond)
    counted = now
  }
  const nextQueue = () => (aside.length > 0 && (main.length === 0 || !wasAside) ? aside : main)
  const pump = () => {
    timer = undefined
    refill()
    for (let queue = nextQueue(); queue[0] !== undefined; queue = nextQueue()) {
      const [next] = queue
      const cost = next.lines.reduce((sum, line) => sum + costOf(line), 0)
      // More than there can ever be is let go when there is as much as there can be, and owed.
      const missing = Math.min(cost, burst) - tokens
      if (missing > 0) {
        timer = setTimeout(pump, Math.ceil((missing / perSecond) * 1000))
        return
      }
      tokens -= cost
      queue.shift()
      wasAside = queue === aside
      for (const line of next.lines) write(line)
      next.written(true)
    }
  }
  const put = (queue: Waiting[], lines: readonly string[]): Promise<boolean> =>
    new Promise((written) => {
      if (over) return written(false)
      queue.push({ lines, written })
      if (timer === undefined) pump()
    })
  return {
    put: (lines) => put(main, lines),
    putAside: (lines) => put(aside, lines),
    putFirst: (line) => {
      if (over) return
      refill()
      tokens -= costOf(line)
      write(line)
    },
    end: () => {
      over = true
      clearTimeout(timer)
      for (const { written } of [...main.splice(0), ...aside.splice(0)]) written(false)
    },
  }
}

const BASE = 0.5
const BYTES = 300
const MOST = 1.5

const costOf = (line: string): number => BASE + Math.min(MOST, Buffer.byteLength(line) / BYTES)
