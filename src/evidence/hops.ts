import type { Store } from './store.ts'

/** How many turns bots and agents have given out in a room since a person asked for something. */
export const hopsIn = async (store: Pick<Store, 'query'>, room: string): Promise<number> => {
  const found = await store.query({ room, event: 'accepted', limit: 1 })
  if (!found.ok) throw new Error(found.refusal.message)
  const body = found.value.entries[0]?.body
  return body?.event === 'accepted' ? (body.hops ?? 0) : 0
}
