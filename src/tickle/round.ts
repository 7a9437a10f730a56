import type { Fence } from '../evidence/append.ts'
import type { Store } from '../evidence/store.ts'
import type { Author, Draft } from '../shapes/evidence.ts'
import { canBeWrittenLater, type Refusal } from '../shapes/refusal.ts'

export type Round = ReturnType<typeof createRound>

/** Whose rounds they are: by rules of the house, in the name of the agent that stands for them. */
export const tickleAuthor = (self: string): Author => ({ kind: 'house', id: self, face: 'house', via: null })

/** One look: what was done in it, when the next one is due, and how it writes: under a fence, until another takes over. */
export const createRound = (store: Store, fence: Fence, now: number, author: Author) => {
  const did: string[] = []
  let over: Refusal | null = null
  let next: number | null = null
  /** From here on somebody else does it, or nothing can be written: it is done at another time. */
  const stop = (refusal: Refusal): void => {
    if (canBeWrittenLater(refusal)) over ??= refusal
  }
  return {
    store,
    fence,
    now,
    author,
    stop,
    isOver: (): Refusal | null => over,
    /** Writes, and says what was done; answers whether that was done here. */
    write: async (what: string | null, drafts: Draft[], ...unless: string[]): Promise<boolean> => {
      if (over) return false
      const written = await store.append(drafts, fence, ...unless)
      if (!written.ok) stop(written.refusal)
      else if (what !== null) did.push(what)
      return written.ok
    },
    did,
    done: (what: string): number => did.push(what),
    /** Something is to be looked at again then. What is past is not waited for: somebody else must do something first. */
    dueAt: (at: number): void => {
      if (at > now) next = Math.min(next ?? at, at)
    },
    due: (): number | null => next,
  }
}
