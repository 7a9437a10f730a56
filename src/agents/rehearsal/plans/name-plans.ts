import type { IntentOf } from '../language/intent.ts'
import { counted, excerpt, linesOf, quoted, told } from './answer.ts'
import { attemptsFor } from './attempts.ts'
import { markOf } from './definition.ts'
import { at, type Hit, hitsOf, listing, spread } from './hits.ts'
import { likeness } from './ranking.ts'
import { grepCall, type Ok, type Plan, readCall, step, within } from './steps.ts'

const AROUND = { before: 2, lines: 12 }

/** Where a name is defined: the attempts in order, until one finds something; then a look around the best hit. */
export function* define({ name, where, glob }: IntentOf<'define'>): Plan<string> {
  let path = where
  let note = ''
  for (const [index, attempt] of attemptsFor(name, glob).entries()) {
    const placed =
      index === 0 ? yield* within(where, attempt.call) : { report: yield* step(attempt.call(path)), path, note }
    const { report } = placed
    path = placed.path
    note = placed.note
    if (report.kind !== 'ok') return told(report) + note
    const [best, ...others] = attempt.found(report)
    if (best === undefined) continue
    const around = yield* lookAround(best)
    const more = others.length === 0 ? '' : `\n${counted(others.length, 'more place')}:\n${listing(others, report.cut)}`
    return `${attempt.lead(best)}${note}\n${around}${more}`
  }
  return `nothing here is called ${quoted(name)}${below(path)}, and nothing mentions it.${note}`
}

/** Who uses a name: every line with the word, apart from those that define it. */
export function* uses({ name, where, glob }: IntentOf<'uses'>): Plan<string> {
  const search = { pattern: name, syntax: 'literal', word: true } as const
  const placed = yield* within(where, (path) => grepCall({ ...search, ignoreCase: false }, { path, glob }))
  const { path, note } = placed
  if (placed.report.kind !== 'ok') return told(placed.report) + note
  if (placed.report.output !== '') return usesIn(placed.report, name) + note
  const report = yield* step(grepCall({ ...search, ignoreCase: true }, { path, glob }))
  if (report.kind !== 'ok') return told(report) + note
  if (report.output === '') return `nothing uses or mentions ${quoted(name)}${below(path)}.${note}`
  return `not in this spelling, but ignoring case ${usesIn(report, name)}${note}`
}

const usesIn = (report: Ok, name: string): string => {
  const hits = hitsOf(report)
  const definitions = hits.filter((hit) => likeness(hit, [markOf(name)]) === 0)
  const used = hits.filter((hit) => !definitions.includes(hit))
  const defined = definitions.slice(0, 3).map(at).join(', ')
  if (used.length === 0) return `${quoted(name)} is defined at ${defined} and used nowhere else.`
  return `${quoted(name)} is used on ${spread(used)}${defined && `, defined at ${defined}`}:\n${listing(used, report.cut)}`
}

function* lookAround({ path, line }: Hit): Plan<string> {
  const from = Math.max(line - AROUND.before, 1)
  const report = yield* step(readCall(path, from, AROUND.lines))
  return report.kind === 'ok' ? excerpt(linesOf(report.output), from) : `  (not shown: ${told(report)})`
}

const below = (path: string | null): string => (path === null ? '' : ` in ${path}`)
