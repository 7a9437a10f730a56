import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import { emptyLedger, type Ledger, note } from './ledger.ts'

/** As many sessions as are kept in mind; one that was forgotten is read again from its chain. */
const KEPT = 256

export type Ledgers = ReturnType<typeof createLedgers>

/** How much of what was written here is kept for whoever asks next; what is more is read from the chain. */
const FRESH = 200

type Kept = { ledger: Ledger; reading: Promise<void>; fresh: Entry[] }

/** The ledgers of sessions, each brought up to date with its chain whenever it is asked for. */
export const createLedgers = (store: Pick<Store, 'pages' | 'lengthOf'>) => {
  const kept = new Map<string, Kept>()

  const read = async (session: string, { ledger, fresh }: Kept): Promise<void> => {
    const length = await store.lengthOf(session)
    for (const entry of fresh.splice(0)) if (entry.seq === ledger.through + 1) note(ledger, entry)
    if (ledger.through >= length) return
    for await (const page of store.pages(session, ledger.through)) for (const entry of page) note(ledger, entry)
  }

  return {
    of: async (session: string): Promise<Ledger> => {
      const known = kept.get(session) ?? { ledger: emptyLedger(), reading: Promise.resolve(), fresh: [] }
      kept.delete(session)
      kept.set(session, known)
      const [oldest] = kept.keys()
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
      // One after the other: an entry is noted once.
      const next = () => read(session, known)
      known.reading = known.reading.then(next, next)
      await known.reading
      return known.ledger
    },
    /**
     * Told of what this process has written: whoever asks next need not read it. It is noted only then, as whoever has
     * asked before goes by how things stood.
     */
    wrote: (entries: readonly Entry[]): void => {
      for (const entry of entries) {
        const fresh = kept.get(entry.session)?.fresh
        if (fresh && fresh.push(entry) > FRESH) fresh.length = 0
      }
    },
  }
}
