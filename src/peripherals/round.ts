import { setTimeout } from 'node:timers/promises'
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

  /** Begins with one item; answers whether those behind it may be looked at. */
  const begin = async (item: string): Promise<boolean> => {
    const asked = readRequest(item)
    const touch = await touched(asked)
    const others = [
      ...[...running.values()].map((other) => other.touch),
      ...[...waiting.values()].flatMap((other) => other.touch ?? []),
    ]
    if (others.some((other) => conflict(touch, other))) return false
    // What cannot be read is taken out: nobody waits for it, and it must not stand in the way of what comes after.
    await settle(item, touch, asked ? await deal(asked) : { kind: 'answered' })
    return !fenced
  }

  const dones = () => [...running.values()].map(({ done }) => done)

  return {
    /** Begins with all that can be begun; answers whether there is anything to wait for. */
    begin: async (): Promise<boolean> => {
      for (const [item, { since }] of waiting) if (performance.now() - since > ASK_MS) waiting.delete(item)
      const fresh = (await items()).filter((item) => !running.has(item) && !waiting.has(item))
      for (const item of fresh) if (!(await begin(item))) break
      return running.size > 0 && !fenced
    },
    /** Waits until one of them is done, or further ones may have come. */
    next: (): Promise<unknown> => Promise.race([...dones(), setTimeout(LOOK_MS)]),
    /** Whether another has the session; and whether something waits for a person. */
    fenced: (): boolean => fenced,
    waits: (): boolean => waiting.size > 0,
    /** All that was begun is done. */
    settled: (): Promise<unknown> => Promise.all(dones()),
  }
}
