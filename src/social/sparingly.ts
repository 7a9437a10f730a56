import type { Refusal, RefusalCode } from '../shapes/refusal.ts'

type Options = {
  /** Writes a refusal down. */
  write: (stage: string, refusal: Refusal) => Promise<unknown>
  /** Told of each, whether it is written down or not; nobody, where that is left out. */
  refused?: (stage: string, code: RefusalCode) => void
  failed: (error: Error) => void
  /** How many are written down of each in so many milliseconds. */
  most?: number
  ms?: number
}

export type Sparingly = ReturnType<typeof createSparingly>

type While = { written: number; more: number; last: [string, Refusal] | null; timer: NodeJS.Timeout }

/**
 * Refusals that cost whoever is refused nothing, and that could fill the store: the first of each minute are written down
 * one by one, and of the rest the last, with how many there were.
 */
export const createSparingly = ({ write, refused = () => {}, failed, most = 10, ms = 60_000 }: Options) => {
  const whiles = new Map<string, While>()

  const begin = (who: string): While => {
    const timer = setTimeout(() => void end(who).catch(failed), ms).unref()
    const begun = { written: 0, more: 0, last: null, timer }
    whiles.set(who, begun)
    return begun
  }

  const end = async (who: string): Promise<void> => {
    const over = whiles.get(who)
    whiles.delete(who)
    clearTimeout(over?.timer)
    if (!over?.last) return
    const [stage, refusal] = over.last
    const rest = over.more > 1 ? `, and ${over.more - 1} more like it` : ''
    await write(stage, { ...refusal, message: `${refusal.message}${rest}` })
  }

  return {
    refuse: async (who: string, stage: string, refusal: Refusal): Promise<void> => {
      refused(stage, refusal.code)
      const now = whiles.get(who) ?? begin(who)
      if (now.written < most) {
        now.written += 1
        await write(stage, refusal)
      } else {
        now.more += 1
        now.last = [stage, refusal]
      }
    },
    /** Writes down what is left to be. */
    close: async (): Promise<void> => {
      await Promise.all([...whiles.keys()].map((who) => end(who).catch(failed)))
    },
  }
}
