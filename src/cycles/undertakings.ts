import { undertakingChain } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import { after, begunBy, type Undertaking } from './undertaking.ts'

/** As many undertakings as are kept in mind; one that was forgotten is read again from its chain. */
const KEPT = 64

export type Undertakings = ReturnType<typeof createUndertakings>

/** Undertakings as their chains say they stand, each brought up to date whenever it is asked for: only what is new is read. */
export const createUndertakings = ({ pages }: Pick<Store, 'pages'>) => {
  const kept = new Map<string, Undertaking>()

  const keep = (id: string, now: Undertaking): void => {
    kept.delete(id)
    kept.set(id, now)
    const [oldest] = kept.keys()
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  }

  return {
    of: async (id: string): Promise<Undertaking | null> => {
      let now = kept.get(id) ?? null
      for await (const page of pages(undertakingChain(id), now?.version ?? 0)) now = page.reduce(next, now)
      if (now) keep(id, now)
      return now
    },
  }
}

const next = (before: Undertaking | null, entry: Entry): Undertaking | null => {
  const begun = before ?? begunBy(entry)
  return begun && after(begun, entry)
}
