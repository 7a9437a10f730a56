import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Clock, systemClock } from '../lib/clock.ts'
import { diedHere, here } from '../lib/holder.ts'
import type { Git, GitOptions, Said } from './shadow-git.ts'
import { packBeforehand } from './shadow-pack.ts'
import { stateOf } from './state.ts'

type Options = {
  git: Git
  folder: string
  root: string
  /** Whether a name may be kept; asked of every name that is new. */
  keeps: (name: Buffer) => boolean
}

/**
 * Takes snapshots of the workspace, one at a time. Each works on an index of its own, which begins as the one that the
 * last snapshot left and takes its place in the end: processes that do this at once do not see each other, and one that
 * is killed leaves nothing that others would wait for.
 */
export const createSnapshots = (options: Options): (() => Promise<string>) => {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(() => snapshot(options))
    last = next.catch(() => {})
    return next
  }
}

/** The index that the next snapshot begins with. It says what was seen when, and can be lost without harm. */
export const indexOf = (folder: string): string => join(folder, 'index')

const snapshot = async (options: Options): Promise<string> => {
  const { torn, said } = await attempt(options, true)
  // An index that is torn, or that names what was lost, is made anew.
  const { exit, output, error } = torn ? (await attempt(options, false)).said : said
  if (exit === 0) return output.toString().trim()
  throw new Error(`the workspace could not be kept: ${error.trim().split('\n').at(-1)}`)
}

const attempt = async (options: Options, seeded: boolean): Promise<{ torn: boolean; said: Said }> => {
  const shared = indexOf(options.folder)
  const own = ownIndex(options.folder)
  try {
    // A link, not a copy: by the time an index was written git knows which files may have changed since unseen.
    const begun = seeded && (await link(shared, own).then(yes, no))
    const said = await take(options, { index: own, durable: begun })
    if (said.exit === 0) await rename(own, shared)
    return { torn: begun && said.exit !== 0 && !said.late, said }
  } finally {
    await Promise.all([rm(own, { force: true }), rm(`${own}.lock`, { force: true })])
  }
}

const yes = (): boolean => true
const no = (): boolean => false

/** An index that nobody else uses; it says whose it is, so that others can tell when it is nobody's. */
export const ownIndex = (folder: string): string =>
  join(folder, `index.${here()}.${process.pid}-${randomBytes(6).toString('hex')}`)

const OWN = /^index\.(?:(.+)\.)?(\d+)-[0-9a-f]{12}(?:\.lock)?$/

/** A snapshot takes minutes at most. */
const DAY_MS = 86_400_000

/**
 * Removes what processes left behind that are no longer there. The folder may be shared by machines, and whether a process
 * of another one is there cannot be seen: what is its, is removed when nothing was done with it for a day.
 */
export const sweepIndexes = async (folder: string, clock: Clock = systemClock): Promise<void> => {
  for (const name of await readdir(folder)) {
    const [own, machine = '', pid] = OWN.exec(name) ?? []
    if (own === undefined) continue
    const file = join(folder, name)
    if (diedHere(`${machine}/${pid}`) || (await isOld(file, clock))) await rm(file, { force: true })
  }
}

/** By when it was linked, not by when it was written: it may be an index that nothing had to be changed in for long. */
const isOld = async (file: string, clock: Clock): Promise<boolean> =>
  ((await lstat(file).catch(() => null))?.ctimeMs ?? Number.POSITIVE_INFINITY) < clock() - DAY_MS

/** What is known is looked at while what is new is looked for; then both are told to the index. */
const take = async (options: Options, on: GitOptions): Promise<Said> => {
  const { git } = options
  const [known, listed] = await Promise.all([changed(options, on), untracked(options, on)])
  if (known.said.exit !== 0) return known.said
  const dropped = await tell(git, on, known.gone.map(removed))
  const kept = dropped.exit === 0 ? await add(options, on, known.names) : dropped
  if (kept.exit !== 0) return kept
  // While a file is known, git does not look into a repository that took its place.
  const found = known.replaced ? await untracked(options, on) : listed
  if (found.said.exit !== 0) return found.said
  const { names, feints } = await withNested(options, on, found.names)
  await packBeforehand(git, options.root, names)
  const added = await add(options, on, names)
  if (added.exit !== 0) return added
  const cleared = await tell(git, on, feints.map(removed))
  return cleared.exit === 0 ? git(['write-tree'], on) : cleared
}

type Changed = {
  said: Said
  /** What is still a file or a link; and what is not, or is not there. */
  names: Buffer[]
  gone: Buffer[]
  /** Whether a folder took the place of a file. */
  replaced: boolean
}

/**
 * What is known and no longer what it was. A folder that took the place of a file may be a repository, whose settings git
 * would obey if it looked into it: it is never asked to, and no such entry is ever made.
 */
const changed = async ({ git, root }: Options, on: GitOptions): Promise<Changed> => {
  const said = await git(['diff-files', '--ignore-submodules=all', '--name-status', '--no-renames', '-z'], on)
  const known: Changed = { said, names: [], gone: [], replaced: false }
  const parts = said.exit === 0 ? listOf(said.output) : []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = parts[i + 1] ?? Buffer.alloc(0)
    const stat = await lstat(Buffer.concat([Buffer.from(`${root}/`), name])).catch(() => null)
    // What is only reached through a link is deleted to git, though there may be something.
    const isThere = parts[i]?.toString() !== 'D' && (stat?.isFile() || stat?.isSymbolicLink())
    known[isThere ? 'names' : 'gone'].push(name)
    known.replaced ||= stat?.isDirectory() === true
  }
  return known
}

const untracked = async ({ git, keeps }: Options, on: GitOptions): Promise<{ said: Said; names: Buffer[] }> => {
  const said = await git(['ls-files', '-z', '--others', '--exclude-standard'], on)
  return { said, names: said.exit === 0 ? listOf(said.output).filter(keeps) : [] }
}

/** The parts of what git says with `-z`. */
export const listOf = (output: Buffer): Buffer[] => {
  const parts: Buffer[] = []
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from)
    const to = end === -1 ? output.length : end
    parts.push(output.subarray(from, to))
    from = to + 1
  }
  return parts
}

const DEPTH = 8

/**
 * Git does not look into repositories inside the workspace, unless it knows of a file in there. It is told of one that
 * does not exist, and told again that it does not.
 */
const withNested = async (
  options: Options,
  on: GitOptions,
  listed: Buffer[],
): Promise<{ names: Buffer[]; feints: Buffer[] }> => {
  const feints: Buffer[] = []
  let names = listed
  for (let depth = 0; depth < DEPTH; depth++) {
    const nested = names.filter(isFolder)
    if (nested.length === 0) break
    const more = nested.map((folder) =>
      Buffer.concat([folder, Buffer.from(`.bellhop-${randomBytes(6).toString('hex')}`)]),
    )
    const told = await tell(options.git, on, more.map(empty))
    if (told.exit !== 0) break
    feints.push(...more)
    const found = await untracked(options, on)
    if (found.said.exit !== 0) break
    names = found.names
  }
  return { names: names.filter((name) => !isFolder(name)), feints }
}

const isFolder = (name: Buffer): boolean => name.at(-1) === '/'.charCodeAt(0)

const NOTHING: Said = { exit: 0, output: Buffer.alloc(0), cut: false, late: false, error: '' }

const TRIES = 3

/** Git gives up at the first file that cannot be read: the second time it gets only those that can. */
const add = async ({ git, root }: Options, on: GitOptions, names: Buffer[]): Promise<Said> => {
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
  let left = names
  let said = NOTHING
  for (let tries = 0; tries < TRIES && left.length > 0; tries++) {
    said = await git(args, { ...on, input: withNuls(left) })
    if (said.exit === 0) return said
    left = await readable(root, left)
  }
  return left.length === 0 ? { ...said, exit: 0 } : said
}

const BREATH = 500

const readable = async (root: string, names: Buffer[]): Promise<Buffer[]> => {
  const found: Buffer[] = []
  for (const [i, name] of names.entries()) {
    if (i % BREATH === 0) await setImmediate()
    if (await isReadable(Buffer.concat([Buffer.from(`${root}/`), name]))) found.push(name)
  }
  return found
}

const isReadable = async (file: Buffer): Promise<boolean> => {
  try {
    if ((await lstat(file)).isSymbolicLink()) return true
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    await handle.close()
    return true
  } catch {
    return false
  }
}

const withNuls = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts.flatMap((part) => [part, Buffer.alloc(1)]))

/** Puts entries into an index as they are given: a state, a tab, a name. */
export const tell = (git: Git, on: GitOptions, entries: readonly Buffer[]): Promise<Said> =>
  entries.length === 0
    ? Promise.resolve(NOTHING)
    : git(['update-index', '-z', '--index-info'], { ...on, input: withNuls(entries) })

const empty = (name: Buffer): Buffer => entryOf(stateOf(Buffer.alloc(0), false), name)
const removed = (name: Buffer): Buffer => entryOf(`0 ${'0'.repeat(64)}`, name)

export const entryOf = (state: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${state}\t`), name])
