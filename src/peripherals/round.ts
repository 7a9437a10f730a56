import { conflict, type Touch } from '../tools/touch.ts'
import { type Request, readRequest } from './request.ts'
import type { Taken } from './take.ts'

type Options = {
  /** What waits, in its order, and the way to take something out. */
  items: () => Promise<string[]>
  remove: (item: string) => Promise<void>
  touched: (asked: Request | null) => Promise<Touch>
  deal: (asked: Request) => Promise<Taken>
}

/** What is in the way of beginning anything further; null where nothing is. */
type Hindrance = 'one that runs' | 'one that waits' | 'another worker' | null

/** How often a round that waits for its steps looks for further ones. */
const LOOK_MS = 50
/** How often it is looked up whether a person has decided, while other steps run. */
const ASK_MS = 1000

/**
 * The requests of a session that are under way at once: each is begun when nothing before it touches the same, and those
 * that wait for a person stand in the way of no others that touch something else; those that wait for other agents, of none.
 */
export const createRound = ({ items, remove, touched, deal }: Options) => {
  const running = new Map<string, { touch: Touch; done: Promise<void> }>()
  const waiting = new Map<string, { touch: Touch | null; since: number }>()
  /** What stands in line behind one that waits, when it was last looked. */
  let behind: ReadonlySet<string> = new Set()
  let fenced = false

  const runs = (item: string, touch: Touch, written: Promise<boolean>): void => {
    const done = written.then(async (ok) => {
      if (ok) await remove(item)
      else fenced = true
      running.delete(item)
    })
    running.set(item, { touch, done })
  }

  const settle = async (item: string, touch: Touch, taken: Taken): Promise<void> => {
    switch (taken.kind) {
      case 'answered':
        return remove(item)
      case 'runs':
        return runs(item, touch, taken.done)
      case 'waits':
        waiting.set(item, { touch: taken.parked ? null : touch, since: performance.now() })
        return
      case 'fenced':
        fenced = true
    }
  }

  /** Begins with one item; answers what keeps it, and those behind it, from being begun. */
  const begin = async (item: string): Promise<Hindrance> => {
    const asked = readRequest(item)
    const touch = await touched(asked)
    const isInTheWay = (other: { touch: Touch | null }) => other.touch !== null && conflict(touch, other.touch)
    if ([...running.values()].some(isInTheWay)) return 'one that runs'
    if ([...waiting.values()].some(isInTheWay)) return 'one that waits'
    // What cannot be read is taken out: nobody waits for it, and it must not stand in the way of what comes after.
    await settle(item, touch, asked ? await deal(asked) : { kind: 'answered' })
    return fenced ? 'another worker' : null
  }

  /** Begins with one after the other, up to one that cannot be begun: nothing overtakes that. */
  const beginAll = async (fresh: string[]): Promise<void> => {
    behind = new Set()
    for (const [at, item] of fresh.entries()) {
      const hindrance = await begin(item)
      if (hindrance === 'one that waits') behind = new Set(fresh.slice(at))
      if (hindrance !== null) return
    }
  }

  const dones = () => [...running.values()].map(({ done }) => done)

  return {
    /** Begins with all that can be begun; answers whether there is anything to wait for. */
    begin: async (): Promise<boolean> => {
      for (const [item, { since }] of waiting) if (performance.now() - since > ASK_MS) waiting.delete(item)
      await beginAll((await items()).filter((item) => !running.has(item) && !waiting.has(item)))
      return running.size > 0 && !fenced
    },
    /** Waits until one of them is done, or further ones may have come. */
    next: async (): Promise<void> => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LOOK_MS)
      })
      await Promise.race([...dones(), late]).finally(() => clearTimeout(timer))
    },
    /** Whether another has the session; and whether something waits for a person. */
    fenced: (): boolean => fenced,
    waits: (): boolean => waiting.size > 0,
    /** Whether a request waits, or stands behind one that does: it is looked at again when there is an answer to that. */
    knows: (item: string): boolean => waiting.has(item) || behind.has(item),
    /** All that was begun is done. */
    settled: (): Promise<unknown> => Promise.all(dones()),
    /** The same, whatever became of it. */
    over: async (): Promise<void> => void (await Promise.allSettled(dones())),
  }
}
