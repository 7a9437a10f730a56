import { HouseType } from '../../../shapes/agent.ts'
import { phrase, reach } from './phrase.ts'
import type { Word } from './words.ts'

/** What people say around a request. */
const BEFORE = [
  'hey|hi|hello|yo there|all|everyone|team|folks|bot?',
  'ok|okay|well|so|um|hmm|please|pls|plz|kindly|also|and|then|now|just|quickly|thanks',
  `${HouseType.options.join('|')}|bellhop|bot`,
  'can|could|would|will|may you|i|we',
  "i|i'd|we want|need|would|like like? you? to",
  'i|we want|need',
  "i'm|im",
  'i am',
  "let's|lets",
  'let us',
  'help me to?',
  'do you know if?',
  'any idea',
  'i wonder',
  'go and',
  'tell|remind me',
].map(phrase)

const AFTER = new Set(['please', 'pls', 'plz', 'thanks', 'thx', 'exactly', 'again', 'anyway', ...HouseType.options])
const AFTER_PAIRS = new Set(['thank you', 'for me', 'at all', 'right now', 'by chance'])

/** "show me where …" asks where; "show me a.ts" asks to be shown it. */
const SHOW_ME = phrase('show me')
const ASKS = new Set(['where', 'who', 'what', 'which', 'how'])

/** The request without greeting, address and politeness; never nothing where there was something. */
export const withoutCourtesy = (words: readonly Word[]): readonly Word[] => {
  const start = opening(words)
  let end = words.length
  for (let cut = ending(words, end); cut > start && cut < end; cut = ending(words, end)) end = cut
  return words.slice(start, end)
}

const opening = (words: readonly Word[]): number => {
  for (let at = 0; ; ) {
    const next = isAddress(words[at], at) ? at + 1 : dropped(words, at)
    if (next === null || next >= words.length) return at
    at = next
  }
}

const dropped = (words: readonly Word[], at: number): number | null => {
  const shown = reach(SHOW_ME, words, at)
  if (shown !== null && ASKS.has(words[shown]?.bare ?? '')) return shown
  for (const head of BEFORE) {
    const next = reach(head, words, at)
    if (next !== null) return next
  }
  return null
}

/** `@claude-1`, or a name with a comma or a colon before all else. */
const isAddress = (word: Word | undefined, at: number): boolean =>
  word?.kind === 'plain' &&
  (/^@[\p{L}\p{N}._-]+[,:]?$/u.test(word.text) || (at === 0 && /^[\p{L}\p{N}_-]+[,:]$/u.test(word.text)))

const ending = (words: readonly Word[], end: number): number => {
  const last = words[end - 1]?.bare ?? ''
  if (AFTER.has(last)) return end - 1
  return AFTER_PAIRS.has(`${words[end - 2]?.bare ?? ''} ${last}`) ? end - 2 : end
}
