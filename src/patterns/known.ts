import type { Store } from '../evidence/store.ts'
import type { Collection, Pattern, Proposal } from '../shapes/pattern.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Told } from '../tools/control.ts'
import { type Happening, historyOf, retiredIn } from './history.ts'
import { proposalsOf } from './proposals.ts'
import { rank } from './rank.ts'
import { recordOf, type Use, usesIn } from './record.ts'
import { type Sight, scanPatterns } from './scan.ts'

/** All that is known of patterns at a moment: what their files say, and what happened to them. */
export type Known = Collection & { history: Happening[]; retired: ReadonlySet<string>; uses: Use[] }

export const lookAt = async (store: Store, sight: Sight): Promise<Known> => {
  const [collection, history] = await Promise.all([scanPatterns(sight), historyOf(store)])
  return { ...collection, history, retired: retiredIn(history), uses: usesIn(history) }
}

/** What people are to decide, by all that is known. */
export const proposedBy = async (
  store: Store,
  { history, patterns }: Known,
  { now, unusedDays }: { now: number; unusedDays: number },
): Promise<Proposal[]> => {
  const first = await store.query({ order: 'oldest', limit: 1 })
  if (!first.ok) throw new Error(first.refusal.message)
  return proposalsOf({ history, patterns, began: first.value.entries[0]?.at ?? null, now, unusedDays })
}

/** Those that can be chosen. */
export const offered = ({ patterns, retired }: Known): Pattern[] => patterns.filter(({ id }) => !retired.has(id))

/** Of these, those that have the words, the best first. */
export const foundAmong = ({ uses }: Known, among: readonly Pattern[], query: string) =>
  rank(among, query, (id) => {
    const { worked, failed } = recordOf(uses, id, () => false)
    return worked - failed
  })

/** What is said, and the files of the workspace that were read for it. */
export const told = (text: string, read: readonly Pattern[] = []): Result<Told> =>
  ok({ text, paths: read.filter(({ home }) => home === 'workspace').map(({ path }) => path) })

export const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))
