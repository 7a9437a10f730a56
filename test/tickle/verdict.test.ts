import { expect, test } from 'vitest'
import { verdictOf } from '../../src/tickle/verdict.ts'

test.each([
  ['VERDICT: APPROVE', 'approve'],
  ['It is right.\n\nVERDICT: APPROVE\n\n', 'approve'],
  ['It is right.\r\nVERDICT: APPROVE\r\n', 'approve'],
  ['The last line could have been "VERDICT: REQUEST-CHANGES".\nVERDICT: APPROVE', 'approve'],
  ['Two things are missing.\nVERDICT: REQUEST-CHANGES', 'changes'],
  ['VERDICT: APPROVE\nNo, wait.\nVERDICT: REQUEST-CHANGES', 'unclear'],
  ['VERDICT: REQUEST-CHANGES\nVERDICT: APPROVE', 'unclear'],
  ['  VERDICT: REQUEST-CHANGES  \nVERDICT: APPROVE', 'unclear'],
  ['I cannot APPROVE this', 'unclear'],
  ['VERDICT: APPROVED', 'unclear'],
  ['VERDICT: APPROVE.', 'unclear'],
  ['verdict: approve', 'unclear'],
  [' VERDICT: APPROVE', 'unclear'],
  ['**VERDICT: APPROVE**', 'unclear'],
  ['VERDICT: APPROVE\nthank you', 'unclear'],
  ['VERDICT: REQUEST CHANGES', 'unclear'],
  ['', 'unclear'],
])('a verdict is the last line to the letter, or unclear: %j', (answer, verdict) => {
  expect(verdictOf(answer)).toBe(verdict)
})
