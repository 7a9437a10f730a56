import type { CommandRule } from '../shapes/peripheral.ts'

/** A command that a rule lets run, and the words of it that name files: the gate resolves those. */
type Matched = { rule: CommandRule; paths: string[] }

/** The first rule that a command is a form of, word by word. */
export const matchCommand = (rules: readonly CommandRule[], argv: readonly string[]): Matched | null => {
  for (const rule of rules) {
    const paths = pathsIn(rule, argv)
    if (paths) return { rule, paths }
  }
  return null
}

/** What is wrong with a rule; null where nothing is. */
export const checkRule = ({ argv }: CommandRule): string | null => {
  const [program = '', ...words] = argv
  if (/^-|[<>\s\0]/.test(program)) {
    return `the first word of a command is the name of a program, not "${program}"`
  }
  if (argv.length > MOST_WORDS) return `a command has at most ${MOST_WORDS} words`
  const wrong = words.map(checkWord).find((said) => said !== null)
  return wrong ?? (isGit(program) ? checkGit(words) : null)
}

/** What may run, in a few words, for whoever tried something else. */
export const describe = (rules: readonly CommandRule[]): string => {
  if (rules.length === 0) return 'it may run no commands'
  return `it may run: ${listed(rules)}`
}

/** Rules as a person would type them, as many as one likes to read. */
export const listed = (rules: readonly CommandRule[]): string => {
  const shown = rules.slice(0, MOST_SHOWN).map(({ argv }) => argv.join(' '))
  const rest = rules.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

const MOST_WORDS = 100
const MOST_SHOWN = 20

/** One word of a rule: what fits there, whether that is a path, and whether any number of them may follow. */
type Place = { fits: (word: string) => boolean; path: boolean; many: boolean }

/**
 * The words of a command that may be paths, where the rule fits it; null where it does not. Where a word could be one of
 * two things, one of them a path, it is a path: what the gate need not have judged does no harm to judge.
 */
const pathsIn = (rule: CommandRule, argv: readonly string[]): string[] | null => {
  if (argv[0] !== rule.argv[0]) return null
  const known = rule.argv.flatMap((_word, at) => placeAt(rule.argv, at) ?? [])
  if (known.length < rule.argv.length) return null

  // From both ends: which places one can be at after so many words.
  const front = reached(known, argv)
  const back = reached(known.toReversed(), argv.toReversed())
  if (!front.at(-1)?.has(known.length)) return null
  const isPath = (word: string, at: number): boolean =>
    known.some(
      ({ path, fits }, place) =>
        path && front[at]?.has(place) && back[argv.length - 1 - at]?.has(known.length - 1 - place) && fits(word),
    )
  return [...new Set(argv.filter(isPath))]
}

const reached = (places: readonly Place[], words: readonly string[]): Set<number>[] => {
  const all = [skippingAhead(places, new Set([0]))]
  for (const word of words) {
    const next = new Set<number>()
    for (const at of all.at(-1) ?? []) {
      if (places[at]?.fits(word)) next.add(places[at].many ? at : at + 1)
    }
    all.push(skippingAhead(places, next))
  }
  return all
}

const skippingAhead = (places: readonly Place[], at: Set<number>): Set<number> => {
  for (const place of at) if (places[place]?.many) at.add(place + 1)
  return at
}

/** What a word of a rule stands for; null where it is not well-formed. Only `checkRule` says why. */
const placeAt = (words: readonly string[], at: number): Place | null => {
  const [program = '', text = ''] = [words[0], words[at]]
  const [, inner, many] = PLACEHOLDER.exec(text) ?? []
  if (inner === undefined || at === 0) return at > 0 && /[<>]/.test(text) ? null : literal(text)
  if (inner.includes('|')) {
    const choices = inner.split('|')
    return { fits: (word) => choices.includes(word), path: false, many: many !== '' }
  }
  if (!isKind(inner)) return null
  const kind: Kind = kinds[inner]
  // Only where a `--` follows does git not take the name of a file for one.
  const path = inner === 'path' || (inner === 'rev' && !words.includes('--', at))
  return { fits: (word) => !/^-|\0/.test(word) && kind(word, program), path, many: many !== '' }
}

const PLACEHOLDER = /^<([^<>]*)>(\.\.\.|)$/

const literal = (text: string): Place => ({ fits: (word) => word === text, path: false, many: false })

type Kind = (word: string, program: string) => boolean

/** What can stand in a place. None of them begins with a dash: an option is only what the rule itself spells out. */
const kinds = {
  /** Not what a program would take for an address; and for git, not its own language of paths. */
  path: (word, program) => word !== '' && !word.includes('://') && !(isGit(program) && /[:*?[\\]/.test(word)),
  /** A name of something, but no way out of the workspace. */
  word: (word) => /^[A-Za-z0-9._@:=+~^][A-Za-z0-9._/@:=+~^-]*$/.test(word) && !goesUp(word),
  /** A revision of git, or a range: no `REV:PATH`, no `+REF`, no `:REF`. */
  rev: (word) => /^[A-Za-z0-9_@^][A-Za-z0-9._/@~^{}+-]*$/.test(word) && !goesUp(word),
  text: () => true,
  number: (word) => /^\d{1,15}$/.test(word),
} as const satisfies Record<string, Kind>

const isKind = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text)

const goesUp = (word: string): boolean => word.split('/').includes('..')

const isGit = (program: string): boolean => /(?:^|\/)git$/.test(program)

const checkWord = (text: string): string | null => {
  if (!/[<>]/.test(text)) return text.includes('\0') ? 'a command has no NUL in it' : null
  const [, inner] = PLACEHOLDER.exec(text) ?? []
  if (inner === undefined) return `"${text}" is no placeholder: that is a whole word, such as <path> or <path>...`
  if (inner.includes('|')) return checkChoices(text, inner.split('|'))
  return isKind(inner) ? null : `"${text}" is not known; there are ${KNOWN} and <this|that>`
}

const checkChoices = (text: string, choices: readonly string[]): string | null => {
  if (choices.includes('')) return `"${text}" has an empty choice`
  const kind = choices.find(isKind)
  return kind === undefined ? null : `"${text}" would mean the very word "${kind}", not a <${kind}>`
}

/** `git show HEAD:.env` and `git push origin +main`: to git, a word is more than a word. */
const checkGit = (words: readonly string[]): string | null => {
  const kindAt = (at: number) => PLACEHOLDER.exec(words[at] ?? '')?.[1]
  if (words.some((_word, at) => kindAt(at) === 'word')) return 'a command of git has <rev> where others have <word>'
  const loose = words.some((_word, at) => kindAt(at) === 'text' && !words[at - 1]?.startsWith('-'))
  return loose ? 'in a command of git, <text> stands after an option, such as -m' : null
}

const KNOWN = Object.keys(kinds)
  .map((kind) => `<${kind}>`)
  .join(', ')
