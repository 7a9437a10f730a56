import type { Rule } from './wall.ts'

type Test = (given: string) => boolean

/** Whether a command, word by word, has the form that a rule gives; `isPath` says what may stand where a path may. */
export const isForm = (rule: Rule, argv: readonly string[], isPath: Test): boolean => {
  const words = rule.argv.map((word) => wordOf(word, isPath))
  let at = withoutMany(words, [0])
  for (const given of argv) {
    const next = at.flatMap((i) => {
      const word = words[i]
      if (!word?.takes(given)) return []
      return word.many ? [i, i + 1] : [i + 1]
    })
    at = withoutMany(words, next)
  }
  return at.includes(words.length)
}

type Word = { takes: Test; many: boolean }

/** What is reached besides: a place for any number of words may have none. */
const withoutMany = (words: readonly Word[], at: readonly number[]): number[] => {
  const reached = new Set(at)
  for (const i of reached) if (words[i]?.many) reached.add(i + 1)
  return [...reached]
}

const PLACE = /^<([^<>]+)>(\.\.\.)?$/

const wordOf = (word: string, isPath: Test): Word => {
  const [, what, many] = PLACE.exec(word) ?? []
  if (what === undefined) return { takes: (given) => given === word, many: false }
  return { takes: what.includes('|') ? oneOf(what.split('|')) : somethingOf(what, isPath), many: many !== undefined }
}

const oneOf =
  (choices: readonly string[]): Test =>
  (given) =>
    choices.includes(given)

/** An option is never what such a place is for: a program would obey it. */
const somethingOf = (what: string, isPath: Test): Test => {
  const isOne = what === 'path' ? isPath : kinds[what]
  return (given) => !given.startsWith('-') && (isOne?.(given) ?? false)
}

/** A name of something has no blanks and no way up in it. */
const isName: Test = (given) => given !== '' && !/\s/.test(given) && !given.split('/').includes('..')

const kinds: Record<string, Test> = {
  text: () => true,
  number: (given) => given !== '' && [...given].every((digit) => digit >= '0' && digit <= '9'),
  word: isName,
  rev: isName,
}
