/** Any number of folders. */
const FOLDERS = '**'

/** The parts of a pattern between its slashes; one without a slash is for names at any depth. */
type Pattern = string[]
type Test = (place: string) => boolean

/**
 * Whether one of some patterns has a place. They are read as people write them: `*` and `?` within a name, `**` across
 * folders, `[a-z]`, `{this,that}`, and `!` before a pattern for all others. `src/**` is the folder `src` too.
 */
export const anyOf = (globs: readonly string[]): Test => {
  const tests = globs.map(testOf)
  return (place) => tests.some((test) => test(place))
}

const testOf = (glob: string): Test => {
  if (glob.startsWith('!')) {
    const rest = testOf(glob.slice(1))
    return (place) => !rest(place)
  }
  const patterns = choices(glob).flatMap(patternsOf)
  if (patterns.some((parts) => parts.every((part) => part === FOLDERS))) return () => true
  const tests = patterns.map((parts) => parts.map(partOf))
  return (place) => {
    const names = place.split('/')
    return tests.some((parts) => leads(parts, names, 0, 0))
  }
}

/** `a{b,c}d` as `abd` and `acd`, from the innermost braces on. */
const choices = (glob: string): string[] => {
  const [, before, inner, after] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? []
  if (before === undefined || inner === undefined || after === undefined) return [glob]
  return inner.split(',').flatMap((choice) => choices(`${before}${choice}${after}`))
}

const patternsOf = (glob: string): Pattern[] => {
  const parts = glob
    .replace(/^\.?\//, '')
    .split('/')
    .filter((part) => part !== '')
  const all = spread(glob.includes('/') ? parts : [FOLDERS, ...parts])
  return parts.at(-1) === FOLDERS && parts.length > 1 ? [...all, ...spread(parts.slice(0, -1))] : all
}

/** A `**` inside a name stays in that name, or goes on below: `a**b` is `a*b` or, deeper, `a*` and then `*b`. */
const spread = (parts: Pattern): Pattern[] => {
  const at = parts.findIndex((part) => part !== FOLDERS && part.includes(FOLDERS))
  if (at < 0) return [parts]
  const [before = '', ...rest] = (parts[at] ?? '').split(/\*\*+/)
  const after = rest.join(FOLDERS)
  const within = (middle: string[]) => spread([...parts.slice(0, at), ...middle, ...parts.slice(at + 1)])
  return [...within([`${before}*${after}`]), ...within([`${before}*`, FOLDERS, `*${after}`])]
}

/** One part of a pattern: what a name must be there; null for any number of folders. */
type Part = Test | null

const partOf = (part: string): Part => {
  if (part === FOLDERS) return null
  return /[*?[\\]/.test(part) ? (name) => fits(part, name) : (name) => name === part
}

/**
 * Whether a pattern, from one of its parts on, leads to the end of a path from one of its names on. A `**` at the end of a
 * pattern takes one name at least; elsewhere it may take none.
 */
const leads = (parts: readonly Part[], names: readonly string[], at: number, name: number): boolean => {
  if (at === parts.length) return name === names.length
  const part = parts[at]
  if (part) return name < names.length && part(names[name] ?? '') && leads(parts, names, at + 1, name + 1)
  if (at === parts.length - 1) return name < names.length
  return leads(parts, names, at + 1, name) || (name < names.length && leads(parts, names, at, name + 1))
}

/** One letter of a name: any number of them, any one, one of a set, or itself. */
const LETTERS = /\*|\?|\[[^\]]+\]|\\?./gsu

/** Whether a name fits one part of a pattern, from the end of the name back: `fit[i]` is whether the rest from `i` fits. */
const fits = (part: string, name: string): boolean => {
  const letters = [...name]
  let fit = [...letters.map(() => false), true]
  for (const wanted of (part.match(LETTERS) ?? []).reverse()) {
    const rest = fit
    fit = rest.map((_, i) =>
      wanted === '*' ? rest.indexOf(true, i) >= 0 : Boolean(rest[i + 1]) && isOne(wanted, letters[i] ?? ''),
    )
  }
  return fit[0] ?? false
}

const isOne = (wanted: string, letter: string): boolean => {
  if (wanted === '?') return true
  if (wanted.length > 2 && wanted.startsWith('[')) return inSet(wanted.slice(1, -1), letter)
  return wanted.replace(/^\\(?=.)/su, '') === letter
}

const inSet = (set: string, letter: string): boolean => {
  const others = /^[!^]/.test(set)
  const ranges = (others ? set.slice(1) : set).match(/.-.|./gsu) ?? []
  const among = ranges.some((range) => {
    const [from = '', , to = from] = [...range]
    return letter >= from && letter <= to
  })
  return among !== others
}
