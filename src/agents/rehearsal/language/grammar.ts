import { withoutClauses } from './clause.ts'
import { withoutCourtesy } from './courtesy.ts'
import { forms } from './forms.ts'
import type { Intent, Part } from './intent.ts'
import { goesOn, MOST_PARTS, partsOf } from './parts.ts'
import { match } from './phrase.ts'
import { sentences, typed, type Word } from './words.ts'

/** More sentences than these are no plain request. */
const MOST_SENTENCES = 50

const rules = forms.flatMap((form) => form.rules)

/**
 * A request into its parts, by the forms of the grammar: the first sentence that is one, and what goes on from there
 * with "then". Pure, never throws, and takes time linear in the request.
 */
export const parse = (request: string): readonly Part[] => {
  const said = sentences(request).slice(0, MOST_SENTENCES)
  for (const [index, sentence] of said.entries()) {
    const parts = partsIn(sentence)
    if (parts !== null) return [...parts, ...sequel(said.slice(index + 1))].slice(0, MOST_PARTS)
  }
  return [{ intent: { kind: 'unknown' }, said: request, after: false }]
}

/** The parts of a sentence; null where it does not begin with something that is understood. */
const partsIn = (sentence: readonly Word[]): Part[] | null => {
  const [first, ...others] = partsOf(sentence).map(partOf)
  if (first === undefined) return null
  if (first.intent.kind !== 'unknown') return [first, ...others]
  const whole = others.length === 0 ? first : partOf(sentence)
  return whole.intent.kind === 'unknown' ? null : [whole]
}

const sequel = (said: readonly Word[][]): Part[] => {
  const end = said.findIndex((sentence) => !goesOn(sentence))
  return said.slice(0, end === -1 ? MOST_PARTS : end).flatMap((sentence) => partsOf(sentence).map(partOf))
}

const partOf = (words: readonly Word[]): Part => {
  const asked = withoutCourtesy(words)
  const [first, last] = [asked[0], asked.at(-1)]
  return {
    intent: intentOf(asked) ?? { kind: 'unknown' },
    said: first === undefined || last === undefined ? '' : typed(first, last),
    after: first !== undefined && words.slice(0, words.indexOf(first)).some(({ bare }) => bare === 'then'),
  }
}

const intentOf = (sentence: readonly Word[]): Intent | null => {
  const clauses = withoutClauses(sentence)
  const whole = { words: sentence, where: null, glob: null }
  for (const { phrases, intent, exact } of rules) {
    const { words, where, glob } = exact ? whole : clauses
    for (const phrase of phrases) {
      const slots = match(phrase, words)
      const found = slots && intent({ ...slots, where, glob })
      if (found) return found
    }
  }
  return null
}
