import { withoutClauses } from './clause.ts'
import { withoutCourtesy } from './courtesy.ts'
import { forms } from './forms.ts'
import type { Intent } from './intent.ts'
import { match } from './phrase.ts'
import { sentences, type Word } from './words.ts'

/** More sentences than these are no plain request. */
const MOST_SENTENCES = 50

const rules = forms.flatMap((form) => form.rules)

/**
 * A request into an intent, by the forms of the grammar; the first sentence that is one wins.
 * Pure, never throws, and takes time linear in the request.
 */
export const parse = (request: string): Intent => {
  for (const sentence of sentences(request).slice(0, MOST_SENTENCES)) {
    const intent = intentOf(withoutCourtesy(sentence))
    if (intent !== null) return intent
  }
  return { kind: 'unknown' }
}

const intentOf = (sentence: readonly Word[]): Intent | null => {
  const { words, where, glob } = withoutClauses(sentence)
  for (const { phrases, intent } of rules) {
    for (const phrase of phrases) {
      const slots = match(phrase, words)
      const found = slots && intent({ ...slots, where, glob })
      if (found) return found
    }
  }
  return null
}
