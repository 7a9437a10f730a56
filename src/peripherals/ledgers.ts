import type { Store } from '../evidence/store.ts'
import { emptyLedger, type Ledger, note } from './ledger.ts'

/** As many sessions as are kept in mind; one that was forgotten is read again from its chain. */
const KEPT = 256

export type Ledgers = ReturnType<typeof createLedgers>

/** The ledgers of sessions, each brought up to date with its chain whenever it is asked for. */
export const createLedgers = (store: Store) => {
  const kept = new Map<string, { ledger: Ledger; reading: Promise<void> }>()

  const read = async (session: string, ledger: Ledger): Promise<void> => {
    for await (const page of store.pages(session, ledger.through)) for (const entry of page) note(ledger, entry)
  }

  return {
    of: async (session: string): Promise<Ledger> => {
      const known = kept.get(session) ?? { ledger: emptyLedger(), reading: Promise.resolve() }
      kept.delete(session)
      kept.set(session, known)
      const [oldest] = kept.keys()
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
      // One after the other: an entry is noted once.
      known.reading = known.reading.then(
        () => read(session, known.ledger),
        () => read(session, known.ledger),
      )
      await known.reading
      return known.ledger
    },
  }
}
