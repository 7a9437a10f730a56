import type { Bench, Command } from './tool.ts'

/** A command as it may run, or why it may not. */
export type Withheld = { ok: true; argv: readonly string[] } | { ok: false; why: string }

/**
 * A command of git as it is run: without the files that the peripheral may not read. Git goes by what it has kept, not by
 * what the sandbox covers, so they are named one by one as what to leave out. Where it cannot be told which these are,
 * nothing is run.
 */
export const withheld = async (command: Command, bench: Bench): Promise<Withheld> => {
  const [program, verb = ''] = command.argv
  const listing = program === 'git' ? LISTINGS[verb] : undefined
  if (!listing) return { ok: true, argv: command.argv }
  const ask = async (argv: readonly string[]): Promise<string | null> => {
    const lookup = { ...command, argv: ['git', ...argv], sandbox: 'read-only', network: false, quiet: true } as const
    const { exit, ended, output } = await bench.execute(lookup)
    return ended === 'exit' && exit === 0 ? output : null
  }
  const listed = await listing(partsOf(command.argv), ask)
  if (typeof listed === 'string') return { ok: false, why: listed }
  const isHidden = (name: string) => !bench.shows(name) || (listed.nested === true && name.endsWith('/'))
  const hidden = listed.names.filter((name) => name !== '' && isHidden(name))
  return { ok: true, argv: hidden.length === 0 ? listed.argv : [...listed.argv, ...hidden.map(excluded)] }
}

const excluded = (name: string): string => `:(exclude,literal,top)${name.replace(/\/$/, '')}`

type Parts = { options: string[]; revs: string[]; paths: string[] }
type Ask = (argv: readonly string[]) => Promise<string | null>

/** The options, revisions and paths after the verb: what is no option is a revision until the two dashes. */
const partsOf = (argv: readonly string[]): Parts => {
  const rest = argv.slice(2)
  const at = rest.indexOf('--')
  const before = at < 0 ? rest : rest.slice(0, at)
  return {
    options: before.filter((word) => word.startsWith('-')),
    revs: before.filter((word) => !word.startsWith('-')),
    paths: at < 0 ? [] : rest.slice(at + 1),
  }
}

/** `nested`: whether repositories inside this one, whose names end with a slash, are left out too. */
type Listed = { names: string[]; argv: string[]; nested?: true } | string

/** For each verb that shows or takes up contents: the names it is about, and the command with a place for what to leave out. */
const LISTINGS: Record<string, (parts: Parts, ask: Ask) => Promise<Listed>> = {
  add: async ({ options, paths }, ask) => {
    const names = await ask(['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard'])
    const argv = ['git', 'add', ...options, '--', ...(paths.length > 0 ? paths : ['.'])]
    return names === null ? UNKNOWN : { names: names.split('\0'), argv, nested: true }
  },
  diff: async ({ options, revs, paths }, ask) => {
    const commits = await peeled(revs, ask)
    if (typeof commits === 'string') return commits
    const common = [...commits, '--', ...(paths.length > 0 ? paths : ['.'])]
    const names = await ask(['diff', '--name-only', '--no-renames', '-z', ...options.filter(isCached), ...common])
    return names === null
      ? UNKNOWN
      : { names: names.split('\0'), argv: ['git', 'diff', ...options, '--no-renames', ...common] }
  },
  show: async ({ options, revs }, ask) => {
    const range = revs.find((rev) => rev.includes('..'))
    if (range !== undefined) return `git show takes commits one by one here, and ${range} is a range: use git diff`
    const commits = await peeled(revs.length > 0 ? revs : ['HEAD'], ask)
    if (typeof commits === 'string') return commits
    const flags = ['-r', '--root', '-m', '--no-commit-id', '--name-only', '--no-renames', '-z']
    const names = await Promise.all(commits.map((commit) => ask(['diff-tree', ...flags, commit])))
    const argv = ['git', 'show', ...options, '--no-renames', ...commits, '--', '.']
    return names.includes(null) ? UNKNOWN : { names: names.flatMap((list) => list?.split('\0') ?? []), argv }
  },
}

const UNKNOWN = 'git did not say which files this is about, so it was not run'

const isCached = (option: string): boolean => option === '--cached'

/** Revisions as the commits they are: a tag has a header of its own, and a bare content has no name to be judged by. */
const peeled = async (revs: readonly string[], ask: Ask): Promise<string[] | string> => {
  const commits: string[] = []
  for (const rev of revs) {
    const [, from = '', dots = '', to = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(rev) ?? []
    const ends = dots === '' ? [rev] : [from || 'HEAD', to || 'HEAD']
    const found = await Promise.all(ends.map((end) => ask(['rev-parse', '--quiet', '--verify', `${end}^{commit}`])))
    const names = found.map((said) => /^[0-9a-f]{40,64}$/m.exec(said ?? '')?.[0] ?? null)
    if (names.includes(null)) return `${rev} is no commit here`
    commits.push(names.join(dots))
  }
  return commits
}
