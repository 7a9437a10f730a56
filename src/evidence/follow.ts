import type { Entry } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { Page } from './find.ts'
import type { Live } from './live.ts'

const PAGE = 500

type Source = { query: (filters: unknown) => Promise<Result<Page>> }

/**
 * Every entry after a position that matches, in order, for as long as the signal lets it: no gap, and none twice. Who
 * comes back goes on after the last position it saw. Pages wait for the reader: one that stalls holds nothing up.
 */
export async function* follow(
  store: Source,
  live: Pick<Live, 'next'>,
  { filters, after }: { filters: Record<string, unknown>; after: number },
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let cursor = after
  // Armed before the look: what is written during it is heard.
  let heard: Promise<void> | null = null
  while (!signal.aborted) {
    heard ??= live.next(signal)
    const found = await store.query({ ...filters, order: 'oldest', cursor, limit: PAGE })
    if (!found.ok) throw new Error(found.refusal.message)
    for (const entry of found.value.entries) {
      if (signal.aborted) return
      cursor = entry.position
      yield entry
    }
    const { next, through } = found.value
    cursor = Math.max(cursor, next ?? through)
    if (next !== null) continue
    await heard
    heard = null
  }
}
