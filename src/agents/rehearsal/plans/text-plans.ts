import type { Intent, IntentOf } from '../language/intent.ts'
import { counted, cutNote, quoted, tally, told } from './answer.ts'
import { anyOf, tellingWords, wordsOf } from './definition.ts'
import { type Hit, hitsOf, listing, spread } from './hits.ts'
import { grepCall, LONGEST_PATTERN, type Ok, type Plan, step, within } from './steps.ts'

type Counted = Extract<Intent, { of: 'matches' }>
type Found = { report: Ok; hits: Hit[]; how: string; note: string } | { answer: string }

const FILES_SHOWN = 8

/** Text as it stands; then ignoring case; then, of several words, the one that says most. */
export function* search(intent: IntentOf<'search'>): Plan<string> {
  const found = yield* matches(intent)
  if ('answer' in found) return found.answer
  const { report, hits, how, note } = found
  return `${how} on ${spread(hits)}:${note}\n${listing(hits, report.cut)}`
}

/** How often: lines are counted, since that is what grep finds. */
export function* countMatches(intent: Counted): Plan<string> {
  const found = yield* matches(intent)
  if ('answer' in found) return found.answer
  const { report, hits, how, note } = found
  const files = tally(hits.map((hit) => hit.path)).sort(([, a], [, b]) => b - a)
  const lines = files.slice(0, FILES_SHOWN).map(([path, count]) => `  ${path}  ${count}`)
  const more = files.length > FILES_SHOWN ? [`  and ${counted(files.length - FILES_SHOWN, 'more file')}`] : []
  const least = report.cut === null ? '' : 'at least '
  return `${how} on ${least}${spread(hits)}:${note}\n${[...lines, ...more].join('\n')}${cutNote(report.cut)}`
}

/** As it was asked, and where that finds nothing, more loosely. */
function* matches(intent: IntentOf<'search'> | Counted): Plan<Found> {
  const { pattern, syntax, ignoreCase, where, glob } = intent
  const asked = { pattern, syntax, ignoreCase, word: false }
  const { report, path, note } = yield* within(where, (place) => grepCall(asked, { path: place, glob }))
  if (report.kind !== 'ok') return { answer: told(report) + note }
  if (report.output !== '') return { report, hits: hitsOf(report), how: `${quoted(pattern)} is`, note }
  for (const looser of looserThan(intent)) {
    const again = yield* step(grepCall({ ...looser.asked, word: false }, { path, glob }))
    if (again.kind !== 'ok') return { answer: told(again) + note }
    const { hits, how } = looser.found(hitsOf(again))
    if (hits.length > 0) return { report: again, hits, how, note }
  }
  return { answer: `nothing matches ${quoted(pattern)}${path === null ? '' : ` in ${path}`}.${note}` }
}

const looserThan = (intent: IntentOf<'search'> | Counted) => {
  const { pattern, syntax, ignoreCase } = intent
  const words = tellingWords(pattern)
  const anyCase = {
    asked: { pattern, syntax, ignoreCase: true },
    found: (hits: Hit[]) => ({ hits, how: `not in this spelling, but ignoring case ${quoted(pattern)} is` }),
  }
  const anyWord = {
    asked: { pattern: anyOf(words), syntax: 'regex', ignoreCase: true } as const,
    found: (hits: Hit[]) => rarest(hits, words, pattern),
  }
  const fits = anyWord.asked.pattern.length <= LONGEST_PATTERN
  const several = intent.kind === 'search' && syntax === 'literal' && wordsOf(pattern).length > 1 && fits
  return [...(ignoreCase ? [] : [anyCase]), ...(several ? [anyWord] : [])]
}

/** Of several words, the one with the fewest hits says most. */
const rarest = (hits: Hit[], words: readonly string[], pattern: string) => {
  const [best] = words
    .map((word) => ({ word, hits: hits.filter((hit) => hit.text.toLowerCase().includes(word.toLowerCase())) }))
    .filter((found) => found.hits.length > 0)
    .sort((a, b) => a.hits.length - b.hits.length)
  return {
    hits: best?.hits ?? [],
    how: `nothing says ${quoted(pattern)}; of its words, ${quoted(best?.word ?? '')} is`,
  }
}
