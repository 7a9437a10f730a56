import { refusal } from '../../shapes/refusal.ts'
import { ok, type Result, refused } from '../../shapes/result.ts'
import type { Store } from '../store.ts'
import { exportLines } from './export.ts'
import { FORMAT } from './format.ts'

/** What one file may hold of what was found: who wants more narrows it down, or takes everything. */
const MOST = 100_000
const PAGE = 500

/**
 * What was found as lines of JSON, oldest first, as it stands now. Without a filter it is the whole store, in the very form
 * that `bellhop evidence import` takes; a part of it proves nothing, so its header says what was looked for.
 */
export const exportFound = async (
  store: Store,
  filters: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Result<AsyncIterable<string>>> => {
  if (Object.keys(filters).length === 0) return ok(exportLines(store, { signal }))
  const odd = ['cursor', 'order', 'limit'].find((key) => key in filters)
  if (odd !== undefined) return refused(refusal('query-invalid', `${odd}: a file of what is found has none`))
  const looked = await store.query({ ...filters, limit: 1 })
  return looked.ok ? ok(foundLines(store, filters, { through: looked.value.through, signal })) : looked
}

type Span = { through: number; signal: AbortSignal }

async function* foundLines(
  store: Store,
  filters: Record<string, unknown>,
  { through, signal }: Span,
): AsyncGenerator<string> {
  yield line({ bellhop: 'evidence', version: FORMAT, after: 0, filters })
  let cursor: number | null = 0
  let entries = 0
  let position = 0
  while (cursor !== null && entries < MOST && !signal.aborted) {
    const limit = Math.min(PAGE, MOST - entries)
    const found = await store.query({ ...filters, order: 'oldest', cursor, limit })
    if (!found.ok) throw new Error(found.refusal.message)
    // What was written since it began is left to the next time.
    const page = found.value.entries.filter((entry) => entry.position <= through)
    yield page.map(line).join('')
    entries += page.length
    position = page.at(-1)?.position ?? position
    cursor = page.length < found.value.entries.length ? null : found.value.next
  }
  // Without its last line a file is not whole.
  yield line({ end: true, entries, position, more: cursor !== null })
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`
