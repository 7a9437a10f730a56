import type { Verdict } from '../shapes/tickle.ts'

/** What the last line of a review is, to the letter. */
export const APPROVE = 'VERDICT: APPROVE'
export const CHANGES = 'VERDICT: REQUEST-CHANGES'

/**
 * What a review says: its last line that is not blank is just one of the two, and the other stands nowhere on a line of its
 * own. Whatever else it says, and however much it sounds like a verdict, is unclear.
 */
export const verdictOf = (answer: string): Verdict => {
  const lines = answer
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '')
  const last = lines.at(-1)
  const says = (token: string): boolean => lines.some((line) => line.trim() === token)
  if (last === APPROVE && !says(CHANGES)) return 'approve'
  if (last === CHANGES && !says(APPROVE)) return 'changes'
  return 'unclear'
}
