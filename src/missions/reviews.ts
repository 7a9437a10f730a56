import type { Store } from '../evidence/store.ts'
import type { Snapshot } from '../shapes/mission.ts'

type Kept = { at: string; snapshot: Snapshot }

/** What the last two reviews found, the newest first. */
export const lastReviews = async (store: Pick<Store, 'query'>): Promise<Kept[]> => {
  const found = await store.query({ event: 'portfolio-reviewed', limit: 2 })
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value.entries.flatMap(({ at, body }) =>
    body?.event === 'portfolio-reviewed' ? [{ at, snapshot: body.snapshot }] : [],
  )
}
