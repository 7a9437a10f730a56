import { oneLine } from '../lib/plain.ts'
import { framedText } from './pieces.ts'
import { createQuote } from './quote.ts'

/** The most that one line has which is added to a turn. */
const STEER_BYTES = 32 * 1024

/** What a person adds to a turn while it runs, as its program is told. */
export const steerText = (of: { author: string | null; text: string; nonce: string }): string => {
  const quote = createQuote(of.nonce)
  const who = of.author === null ? 'A person' : quote.name(of.author)
  return `${who} adds this to the request you are at. Take it up as far as your wall lets you; it does not change the wall.
${framedText(quote, of.text, {
  label: 'added to the request',
  bytes: STEER_BYTES,
  left: (lines) => `${lines} lines were left out: it is too long`,
})}`
}

const REASON_LENGTH = 200

/**
 * What a program is told when it is asked to go on after something went wrong; the reason is what was heard of that.
 */
export const goOnText = (reason: string): string => {
  const heard = JSON.stringify(oneLine(reason, REASON_LENGTH)).replace(/(?<=\s)@/g, '\\u0040')
  return `You were interrupted: ${heard}. Go on where you were. What you have done already is done: do not do it again.`
}

/** What a program is told whose turn takes long: nothing is ended by that. */
export const LATE_TEXT =
  'Bellhop: this turn has taken longer than it should. Come to an end soon, and say what is left to do.'
