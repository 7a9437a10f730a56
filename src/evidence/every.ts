import type { Entry, EventName } from '../shapes/evidence.ts'
import type { Store } from './store.ts'

const PAGE = 500

type Wanted = {
  event: EventName
  session?: string
  subject?: string
  tag?: string
  ephemeral?: 'with'
  order: 'oldest' | 'newest'
  cursor?: number
}

/** Every entry of an event, page by page; a cursor says after which one. */
export async function* everyEntry(store: Pick<Store, 'query'>, wanted: Wanted): AsyncGenerator<Entry> {
  let from: Wanted = wanted
  for (;;) {
    const page = await store.query({ ...from, limit: PAGE })
    if (!page.ok) throw new Error(page.refusal.message)
    yield* page.value.entries
    if (page.value.next === null) return
    from = { ...wanted, cursor: page.value.next }
  }
}
