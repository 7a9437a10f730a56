import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Pattern, Proposal } from '../shapes/pattern.ts'
import { type Happening, retiredIn } from './history.ts'
import { type Use, usesIn } from './record.ts'
import { bestOf, groupsOf, nameFor, type Solution, solutionsIn } from './solutions.ts'

/** In how many sessions a solution is named, and how often a pattern fails, before a person is asked about it. */
export const OFTEN = 3

type Given = {
  history: readonly Happening[]
  patterns: readonly Pick<Pattern, 'id' | 'since'>[]
  /** Since when there is any evidence: before that, nobody could have used anything. */
  began: string | null
  now: number
  unusedDays: number
}

/**
 * What people are to decide: solutions that were found again and again become patterns, and patterns that fail or lie
 * unused are retired. What was decided is not asked again for the same evidence.
 */
export const proposalsOf = (given: Given): Proposal[] => [...newOnes(given), ...retirements(given)]

const newOnes = ({ history, patterns }: Given): Proposal[] => {
  const settled = settledIn(history)
  const known = new Set(patterns.map(({ id }) => id))
  const open = solutionsIn(history).filter(({ entry }) => !settled.has(entry))
  return groupsOf(open)
    .flatMap(proposedBy)
    .filter(({ pattern }) => !known.has(pattern))
    .sort(
      (a, b) => b.sessions.length - a.sessions.length || (`${a.pattern} ${a.says}` < `${b.pattern} ${b.says}` ? -1 : 1),
    )
    .filter(({ pattern }, i, all) => all.findIndex((other) => other.pattern === pattern) === i)
}

/** The entries that a person has decided about: they were made a pattern of, or shall not be. */
const settledIn = (history: readonly Happening[]): ReadonlySet<string> =>
  new Set(
    history.flatMap(({ body }) => {
      const declined = body.event === 'pattern-declined' && body.kind === 'new'
      return declined || body.event === 'pattern-added' ? body.evidence : []
    }),
  )

const proposedBy = (group: readonly Solution[]): Proposal[] => {
  const sessions = [...new Set(group.map(({ session }) => session))].sort()
  if (sessions.length < OFTEN) return []
  const says = oneLine(bestOf(group), SAYS)
  const why = `${count(sessions.length, 'session')} came to it without a pattern`
  const evidence = group.map(({ entry }) => entry).sort()
  return [{ kind: 'new', pattern: nameFor(says), why, says, sessions, evidence }]
}

const SAYS = 200

const retirements = (given: Given): Proposal[] => {
  const { history, patterns } = given
  const retired = retiredIn(history)
  const uses = usesIn(history)
  return patterns
    .filter(({ id }) => !retired.has(id))
    .flatMap((pattern): Proposal[] => {
      const own = uses.filter((use) => use.pattern === pattern.id)
      const spared = sparedAt(history, pattern.id)
      return failing(pattern.id, own, spared?.position ?? 0) ?? unused(pattern, own, spared, given) ?? []
    })
}

/** Where a person last said that a pattern stays: what was before that counts no longer. */
const sparedAt = (history: readonly Happening[], pattern: string): Happening | null =>
  history.findLast(({ body }) => {
    if (body.event === 'pattern-declined') return body.kind === 'retire' && body.pattern === pattern
    return body.event === 'pattern-retired' && body.pattern === pattern && !body.retired
  }) ?? null

const failing = (pattern: string, uses: readonly Use[], after: number): Proposal[] | null => {
  const ends = uses.flatMap(({ end, session }) => (end && end.happened.position > after ? [{ ...end, session }] : []))
  const failed = ends.filter(({ outcome }) => outcome === 'failed')
  const worked = ends.length - failed.length
  if (failed.length < OFTEN || failed.length <= worked) return null
  const sessions = [...new Set(failed.map(({ session }) => session))].sort()
  const evidence = failed.map(({ happened }) => happened.id).sort()
  const why = `it failed ${count(failed.length, 'time')} and worked ${count(worked, 'time')}`
  return [{ kind: 'retire', pattern, why, says: '', sessions, evidence }]
}

const DAY_MS = 86_400_000

const unused = (
  { id, since }: Pick<Pattern, 'id' | 'since'>,
  uses: readonly Use[],
  spared: Happening | null,
  { began, now, unusedDays }: Given,
): Proposal[] | null => {
  if (began === null) return null
  const times = [since, began, ...uses.map(({ at }) => at), ...(spared ? [spared.at] : [])]
  const days = Math.floor((now - Math.max(...times.map((time) => Date.parse(time)))) / DAY_MS)
  if (days < unusedDays) return null
  const why = `nobody chose it for ${count(days, 'day')}`
  return [{ kind: 'retire', pattern: id, why, says: '', sessions: [], evidence: [] }]
}
