import type { Entry } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { Page } from './find.ts'
import type { Live } from './live.ts'

const PAGE = 500

export type Source = { query: (filters: unknown) => Promise<Result<Page>> }

/** What wakes a reader, and brings all that matches and was written since, in order; null where that is to be looked up. */
export type Teller = { next: (signal?: AbortSignal) => Promise<readonly Entry[] | null> }

/**
 * Every entry after a position that matches, in order, for as long as the signal lets it: no gap, and none twice. Who
 * comes back goes on after the last position it saw. Pages wait for the reader: one that stalls holds nothing up.
 */
export async function* follow(
  store: Source,
  ear: Teller | Pick<Live, 'next'>,
  { filters, after }: { filters: Record<string, unknown>; after: number },
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let cursor = after
  const fresh = function* (entries: readonly Entry[]): Generator<Entry> {
    for (const entry of entries) {
      if (signal.aborted) return
      // What is told may have been there already when the store was asked.
      if (entry.position <= cursor) continue
      cursor = entry.position
      yield entry
    }
  }
  // Armed before the look: what is written during it is heard.
  let heard: ReturnType<typeof ear.next> | null = null
  while (!signal.aborted) {
    heard ??= ear.next(signal)
    const found = await store.query({ ...filters, order: 'oldest', cursor, limit: PAGE })
    if (!found.ok) throw new Error(found.refusal.message)
    const { entries, next, through } = found.value
    yield* fresh(entries)
    cursor = Math.max(cursor, next ?? through)
    if (next !== null) continue
    for (let told = await heard; told && !signal.aborted; told = await ear.next(signal)) yield* fresh(told)
    heard = null
  }
}
