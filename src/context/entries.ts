import type { Page } from '../evidence/find.ts'
import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'

export type Reader = Pick<Store, 'get' | 'query'>

/** A page of what matches. A filter of ours that is refused is a mistake of ours. */
export const pageOf = async (store: Pick<Store, 'query'>, filters: Record<string, unknown>): Promise<Page> => {
  const found = await store.query(filters)
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value
}

export const entriesOf = async (store: Pick<Store, 'query'>, filters: Record<string, unknown>): Promise<Entry[]> =>
  (await pageOf(store, filters)).entries

/**
 * What matches and came after a position, newest first: as many as the limit says. It is looked for from there on, as
 * there are few as a rule; where there are more, the last ones are taken.
 */
export const newsOf = async (
  store: Pick<Store, 'query'>,
  filters: Record<string, unknown> & { limit: number },
  since: number,
): Promise<Entry[]> => {
  const news = since === 0 ? null : await pageOf(store, { ...filters, order: 'oldest', cursor: since })
  if (news?.next === null) return news.entries.reverse()
  return (await entriesOf(store, filters)).filter(({ position }) => position > since)
}

/** The entries with these ids, as far as they are there. */
export const entriesById = async (store: Pick<Store, 'get'>, ids: readonly string[]): Promise<Entry[]> =>
  (await Promise.all(ids.map((id) => store.get(id)))).filter((entry) => entry !== null)
