import { undertakingChain } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { UndertakingId } from '../shapes/undertaking.ts'
import type { Undertaking } from './undertaking.ts'
import { createUndertakings } from './undertakings.ts'

/** The undertakings of a kind that were ever begun, a page of them, the newest first. */
export const listUndertakings = async (
  store: Pick<Store, 'query' | 'pages'>,
  kind: 'P' | 'M',
  { limit, cursor }: { limit: number; cursor: number | null },
): Promise<{ undertakings: Undertaking[]; next: number | null }> => {
  const found: UndertakingId[] = []
  let next = cursor
  do {
    const page = await store.query({
      event: 'undertaking-opened',
      limit: 1,
      ...(next === null ? {} : { cursor: next }),
    })
    if (!page.ok) throw new Error(page.refusal.message)
    for (const { body, session } of page.value.entries)
      if (
        body?.event === 'undertaking-opened' &&
        session === undertakingChain(body.undertaking) &&
        body.undertaking.startsWith(kind)
      )
        found.push(body.undertaking)
    next = page.value.next
  } while (next !== null && found.length < limit)
  const { of } = createUndertakings(store)
  const all = await Promise.all(found.map((id) => of(id)))
  return { undertakings: all.filter((one) => one !== null), next }
}

/** Who is at an undertaking: the session of a stay that is not over, and whose that is; null where nobody is. */
export const whoIsAt = async (
  store: Pick<Store, 'query' | 'get'>,
  { holder }: Undertaking,
): Promise<{ session: string; agent: string } | null> => {
  if (!holder) return null
  const { session, stay } = holder
  const start = await store.get(stay)
  const stops = await store.query({ event: 'peripheral-stopped', session, limit: 1 })
  const last = stops.ok ? (stops.value.entries[0]?.position ?? 0) : 0
  return start && last < start.position ? { session, agent: start.author.id } : null
}
