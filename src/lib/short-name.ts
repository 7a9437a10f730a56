import { createHash } from 'node:crypto'

/** Letters that are not mistaken for each other, and that spell no word: a name is never what somebody just says. */
const LETTERS = 'bcdfghjkmnpqrstvwxz'

/** A short name that people answer by, five letters: made from an id, so that it is the same after a restart. */
export const shortName = (id: string): string =>
  [...createHash('sha256').update(id).digest().subarray(0, 5)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
