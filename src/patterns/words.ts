/** Words that say nothing of what something is about. */
const SMALL: ReadonlySet<string> = new Set(
  [
    'a an and are as at be been but by can did do does done for from had has have how i if in into is it its just may me',
    'more most must my no nor not of off on one or our out own she he so some such than that the their them then there',
    'these they this those to too up us was we were what when where which while who why will with would you your',
  ].flatMap((line) => line.split(' ')),
)

const LONGEST = 40

/** The words of a text, in its order: letters and digits, in lower case, without those that say nothing. */
export const wordsIn = (text: string): string[] =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .map((word) => word.slice(0, LONGEST).toWellFormed())
    .filter((word) => !SMALL.has(word))

/** The same, so that `tests`, `tested` and `testing` are one: roughly, and always in the same way. */
export const termsOf = (text: string): string[] => wordsIn(text).map(stem)

const stem = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const one = /(?:ss|us|is)$/.test(word) ? word : word.replace(/s$/, '')
  const bare = one.replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
  return bare.replace(/(?<=[a-z]{2})e$/, '').replace(/(?<=[a-z]{2})y$/, 'i')
}
