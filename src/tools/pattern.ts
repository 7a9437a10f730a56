/**
 * One place in a pattern: one character that fits, any run of characters (deep: across folders too), or any number of
 * whole folders. Folders take two places: where one may begin, and inside of it.
 */
type Place =
  | { kind: 'one'; fits: (char: string) => boolean }
  | { kind: 'run'; deep: boolean }
  | { kind: 'folders' | 'in-folder' }

const ALTERNATIVES = 16

/**
 * A test for paths by the patterns people write: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `!` for all others;
 * without a slash, for names at any depth.
 * Null where it is no pattern. A match takes time in proportion to path times pattern and never more: both may come from
 * a model, and a pattern that is made into a regular expression can be made to take for ever.
 */
export const matcher = (pattern: string): ((path: string) => boolean) | null => {
  if (pattern.startsWith('!')) return not(matcher(pattern.slice(1)))
  const plain = pattern.replace(/^\.?\//, '')
  const spelled = spellOut(pattern.includes('/') ? plain : `**/${plain}`)
  const alternatives = spelled?.flatMap((one) => placesOf(one) ?? [])
  if (!alternatives || alternatives.length !== spelled?.length) return null
  return (path) => alternatives.some(({ places }) => matches(places, path))
}

const not = (test: ((path: string) => boolean) | null) => test && ((path: string) => !test(path))

/** Every choice of `{a,b}` as a pattern of its own, the innermost first; null where braces do not close or are too many. */
const spellOut = (pattern: string): string[] | null => {
  const group = /\{([^{}]*)\}/.exec(pattern)
  if (!group) return /[{}]/.test(pattern) ? null : [pattern]
  const [whole, inner = ''] = group
  const spelled: string[] = []
  for (const choice of inner.split(',')) {
    const rest = spellOut(pattern.slice(0, group.index) + choice + pattern.slice(group.index + whole.length))
    if (!rest || spelled.length + rest.length > ALTERNATIVES) return null
    spelled.push(...rest)
  }
  return spelled
}

const TOKENS =
  /(?<folders>\*\*\/)|(?<deep>\*\*+)|(?<run>\*)|(?<any>\?)|\[(?<set>[^\]/]+)\]|(?<open>\[)|\\?(?<char>.)/gsu

/** The places of a pattern without braces; null where a bracket does not close. */
const placesOf = (pattern: string): { places: Place[] } | null => {
  const tokens = [...pattern.matchAll(TOKENS)].map(({ groups = {} }) => groups)
  return tokens.some(({ open }) => open !== undefined) ? null : { places: tokens.flatMap(placesFor) }
}

const placesFor = ({ folders, deep, run, any, set, char }: Record<string, string | undefined>): Place[] => {
  if (folders !== undefined) return [{ kind: 'folders' }, { kind: 'in-folder' }]
  if (deep !== undefined || run !== undefined) return [{ kind: 'run', deep: deep !== undefined }]
  if (any !== undefined) return [{ kind: 'one', fits: (given) => given !== '/' }]
  return [{ kind: 'one', fits: set === undefined ? (given) => given === char : setOf(set) }]
}

/** `a-z0_` or `!a-z`: the characters that fit; never a slash. */
const setOf = (text: string): ((char: string) => boolean) => {
  const not = /^[!^]/.test(text)
  const ranges = [...text.slice(not ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)]
  const holds = (char: string) =>
    ranges.some(([, from, to, one]) => (one === undefined ? char >= (from ?? '') && char <= (to ?? '') : char === one))
  return (char) => char !== '/' && holds(char) !== not
}

/** Walks all the places a path can be at, side by side, one character after the other. */
const matches = (places: Place[], path: string): boolean => {
  let at = reach(places, [0])
  for (const char of path)
    at = reach(
      places,
      [...at].flatMap((i) => step(places[i], i, char)),
    )
  return at.has(places.length)
}

const step = (place: Place | undefined, i: number, char: string): number[] => {
  switch (place?.kind) {
    case 'one':
      return place.fits(char) ? [i + 1] : []
    case 'run':
      return place.deep || char !== '/' ? [i] : []
    case 'folders':
      return char === '/' ? [] : [i + 1]
    case 'in-folder':
      return [char === '/' ? i - 1 : i]
    default:
      return []
  }
}

/** The places given, and those that are reached from them without a character. */
const reach = (places: Place[], from: number[]): Set<number> => {
  const reached = new Set<number>()
  const visit = (i: number): void => {
    if (reached.has(i)) return
    reached.add(i)
    if (places[i]?.kind === 'run') visit(i + 1)
    if (places[i]?.kind === 'folders') visit(i + 2)
  }
  for (const i of from) visit(i)
  return reached
}
