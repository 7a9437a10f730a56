/**
 * One place in a pattern: one character that fits, any run of characters (deep: across folders too), any number of
 * whole folders, or the end. Folders take two places: where one may begin, and inside of it.
 */
type Place =
  | { kind: 'one'; fits: (char: string) => boolean }
  | { kind: 'run'; deep: boolean }
  | { kind: 'folders' | 'in-folder' | 'end' }

type Test = (path: string) => boolean

const ALTERNATIVES = 16

/**
 * A test for paths by the patterns people write: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `!` for all others;
 * without a slash, for names at any depth.
 * Null where it is no pattern. A match takes time in proportion to path times pattern and never more: both may come from
 * a model, and a pattern that is made into a regular expression can be made to take for ever.
 */
export const matcher = (pattern: string): Test | null => {
  if (pattern.startsWith('!')) return not(matcher(pattern.slice(1)))
  const places = placesOf(pattern)
  if (!places) return null
  const walk = walker(places)
  return (path) => walk(path, false)
}

const not = (test: Test | null): Test | null => test && ((path) => !test(path))

/** A test by many patterns at once, for the time of one; null where one of them is no pattern. */
export const matcherOfAny = (patterns: readonly string[]): Test | null => anyOf(patterns, false)

/** The same for a path and every folder above it: what is below a folder that matches is covered too. */
export const covererOfAny = (patterns: readonly string[]): Test | null => anyOf(patterns, true)

const anyOf = (patterns: readonly string[], above: boolean): Test | null => {
  const places = patterns
    .filter((one) => !one.startsWith('!'))
    .flatMap(withFolder)
    .map(placesOf)
  const others = patterns.filter((one) => one.startsWith('!')).map((one) => not(anyOf([one.slice(1)], false)))
  if ([...places, ...others].includes(null)) return null
  const walk = walker(places.flatMap((one) => one ?? []))
  return (path) => walk(path, above) || others.some((is) => is?.(path))
}

/** `src/**` is the folder `src` too: whoever may see what is in it may list it. */
const withFolder = (pattern: string): string[] => {
  const folder = /^(?:\.?\/)?(.+)\/\*\*$/s.exec(pattern)?.[1]
  return folder === undefined ? [pattern] : [pattern, `/${folder}`]
}

/** The places of a pattern, each of its alternatives up to an end of its own; null where it is no pattern. */
const placesOf = (pattern: string): Place[] | null => {
  const plain = pattern.replace(/^\.?\//, '')
  const spelled = spellOut(pattern.includes('/') ? plain : `**/${plain}`)
  const alternatives = spelled?.map(placesIn)
  if (!alternatives || alternatives.includes(null)) return null
  return alternatives.flatMap((places) => [...(places ?? []), { kind: 'end' }])
}

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
const placesIn = (pattern: string): Place[] | null => {
  const tokens = [...pattern.matchAll(TOKENS)].map(({ groups = {} }) => groups)
  return tokens.some(({ open }) => open !== undefined) ? null : tokens.flatMap(placesFor)
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

/** All the places a path can be at after some characters; what comes next is worked out once and kept. */
type Standing = { at: readonly number[]; ended: boolean; next: Map<number, Standing> }

const SLASH = 47

/** How many places are kept before all are forgotten: names without end must not fill the memory. */
const KEPT = 1_000_000

/** Walks all the places a path can be at, side by side, one character after the other. */
const walker = (places: readonly Place[]): ((path: string, above: boolean) => boolean) => {
  let known = new Map<string, Standing>()
  let kept = 0
  const standing = (from: readonly number[]): Standing => {
    const at = reach(places, from)
    const key = at.join()
    const there = known.get(key) ?? { at, ended: at.some((i) => places[i]?.kind === 'end'), next: new Map() }
    known.set(key, there)
    return there
  }
  const starts = places.flatMap((_, i) => (i === 0 || places[i - 1]?.kind === 'end' ? [i] : []))
  let start = standing(starts)

  const further = (from: Standing, code: number): Standing => {
    const char = String.fromCodePoint(code)
    const there = standing(from.at.flatMap((i) => step(places[i], i, char)))
    from.next.set(code, there)
    kept += there.at.length + 1
    return there
  }
  const begin = (): Standing => {
    if (kept <= KEPT) return start
    known = new Map()
    kept = 0
    start = standing(starts)
    return start
  }
  const next = (here: Standing, code: number): Standing => here.next.get(code) ?? further(here, code)
  return (path, above) => {
    let here = begin()
    let code = 0
    for (let i = 0; i < path.length && here.at.length > 0; i += code > 0xffff ? 2 : 1) {
      code = path.codePointAt(i) ?? 0
      if (above && code === SLASH && here.ended) return true
      here = next(here, code)
    }
    return here.ended
  }
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
const reach = (places: readonly Place[], from: readonly number[]): number[] => {
  const reached = new Set<number>()
  const visit = (i: number): void => {
    if (reached.has(i)) return
    reached.add(i)
    if (places[i]?.kind === 'run') visit(i + 1)
    if (places[i]?.kind === 'folders') visit(i + 2)
  }
  for (const i of from) visit(i)
  return [...reached].sort((a, b) => a - b)
}
