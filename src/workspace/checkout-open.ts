import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { parseJson } from '../lib/parse-json.ts'
import { closedIn } from './checkout-closed.ts'
import { makeCheckout } from './checkout-make.ts'
import { type CheckoutRecord, checkoutAt, OWN_GIT, readRecord, writeRecord } from './checkout-record.ts'
import type { Source, Start } from './checkout-source.ts'
import { makeWhole } from './make-whole.ts'
import { contains, type Workspace } from './paths.ts'
import type { Place } from './place.ts'
import { openShadow, type Shadow } from './shadow.ts'
import { type Git, gitIn, initGit } from './shadow-git.ts'

/** What checkouts are made of, and where they lie. */
export type Ground = {
  /** Where they lie, and where the shadows do. */
  folder: string
  shadows: string
  /** The workspace whose repository they are of, and its shadow. */
  workspace: Workspace
  shadow: Shadow
  /** Where programs are looked for. */
  path: string
  source: Source
  /** Says what a person should know of, and nobody asked. */
  log: (message: string, fields: Record<string, unknown>) => void
}

/** A checkout that is whole: where it is, what is known of it, and a git that knows nothing of its repository. */
export type Opened = {
  agent: string
  at: ReturnType<typeof checkoutAt>
  place: Place
  record: CheckoutRecord
  git: Git
}

/**
 * Opens the checkout of an agent. It is made where there is none; where its repository is damaged, that is made anew, and its
 * files stay; where more is, it is put aside and made anew. A sentence where it cannot be made.
 */
export const openCheckout = async (ground: Ground, agent: string): Promise<Opened | string> => {
  const at = checkoutAt(ground.folder, ground.workspace.root, agent)
  const there = await folderAt(at.outer)
  const known = await openKnown(ground, agent, at)
  if (known) return known
  if (there !== null) await putAside(ground, at.outer, there)
  const lacks = await make(ground, agent, at)
  return lacks ?? (await openKnown(ground, agent, at)) ?? `the checkout of ${agent} could not be made`
}

/** The one that is there; null where there is none, or it cannot be used. */
const openKnown = async (ground: Ground, agent: string, at: At): Promise<Opened | null> => {
  if (!(await isWhole(at.outer, at.root))) return null
  const place = await openPlace(ground, agent, at.root)
  const git = await ownGit(ground, at.root)
  const record = existsSync(at.record) ? await readRecord(at.record) : await look(ground, at, place, git)
  const opened = record && (await isKept(place, record)) ? { agent, at, place, record, git } : null
  return opened && (await mended(ground, opened)) ? opened : null
}

type At = ReturnType<typeof checkoutAt>

const startFile = (outer: string): string => join(outer, '.start.json')

/** Whether there is a folder with files, and it is known what it began with. */
const isWhole = async (outer: string, root: string): Promise<boolean> =>
  existsSync(startFile(outer)) && (await realpath(root).catch(() => null)) === root

/** Which folder is at a place: another one there is another. Null where there is none. */
const folderAt = async (outer: string): Promise<number | null> => (await lstat(outer).catch(() => null))?.ino ?? null

/** What is there and cannot be used is kept: it may be somebody's work. What somebody else has made meanwhile stays. */
const putAside = async ({ log }: Ground, outer: string, damaged: number): Promise<void> => {
  if ((await folderAt(outer)) !== damaged) return
  const aside = `${outer}.aside-${randomBytes(4).toString('hex')}`
  // Somebody else may have been faster.
  await rename(outer, aside).catch(unlessGone)
  log('a checkout was damaged, and put aside', { aside })
}

const unlessGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}

const make = async ({ source, path }: Ground, agent: string, { outer, root }: At): Promise<string | null> => {
  const start = await source.start()
  if (typeof start === 'string') return start
  await makeWhole(outer, async (fresh) => {
    await makeIn(join(fresh, basename(root)), agent, start, path)
    await writeFile(startFile(fresh), JSON.stringify({ commit: start.commit }))
  })
  return null
}

const makeIn = async (folder: string, agent: string, start: Start, path: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await makeCheckout({ folder, agent, start, path })
}

/** What is off limits in the workspace is so in a copy of it. All the rest of the machine is outside. */
const openPlace = async ({ shadows, workspace, path }: Ground, agent: string, root: string): Promise<Place> => {
  const closed = workspace.offLimits.filter((folder) => contains(workspace.root, folder))
  // By their names: what is there was made by the agent, and may be a link that leads anywhere.
  const own = { root, offLimits: closed.map((folder) => join(root, relative(workspace.root, folder))) }
  return { workspace: own, shadow: await openShadow({ folder: shadows, workspace: own, path, deny: [] }), of: agent }
}

/** A git on a repository of our own with nothing in it: what it is asked has to do with files, and not with theirs. */
const ownGit = async ({ folder, path }: Ground, root: string): Promise<Git> => {
  const own = join(folder, OWN_GIT)
  if (!existsSync(own)) await makeWhole(own, (fresh) => initGit(fresh, path))
  return gitIn({ folder: own, root, path })
}

/** What a checkout is before anybody works in it. The first who looks has the say: whoever is later may see work. */
const look = async (
  ground: Ground,
  { outer, record: file }: At,
  place: Place,
  git: Git,
): Promise<CheckoutRecord | null> => {
  const start = parseJson(await readFile(startFile(outer), 'utf8')) as { commit: string } | undefined
  const [clean, theirs] = await Promise.all([place.shadow.tree(), ground.shadow.tree()])
  const closed = await closedIn(place.workspace, git, ground.path)
  const record: CheckoutRecord = {
    version: 1,
    commit: start?.commit ?? '',
    clean,
    apart: clean !== theirs,
    closed,
    merges: [],
  }
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  await writeRecord(fresh, record)
  await link(fresh, file).catch(() => {})
  await rm(fresh, { force: true })
  return readRecord(file)
}

/** Whether the shadow knows what the files were; where it lost that, nobody can say what was done to them. */
const isKept = async ({ shadow }: Place, { clean, merges }: CheckoutRecord): Promise<boolean> => {
  try {
    for (const tree of [clean, ...merges.map((merge) => merge.tree)]) await shadow.changes(tree, tree)
    return true
  } catch {
    return (await shadow.tree()) === clean && merges.length === 0
  }
}

/** Makes the repository of a checkout anew where it is none any more: the files are looked at without it. */
const mended = async (ground: Ground, { agent, at, record }: Opened): Promise<boolean> => {
  if (await isRepository(join(at.root, '.git'))) return true
  const start = await ground.source.start()
  if (typeof start === 'string') return false
  const fresh = join(at.outer, `.fresh-${randomBytes(6).toString('hex')}`)
  try {
    await makeIn(fresh, agent, { ...start, commit: record.commit }, ground.path)
    await exchangeRepository(at, fresh)
    return true
  } catch {
    return false
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

const isRepository = async (folder: string): Promise<boolean> => {
  const [own, head, objects] = await Promise.all(
    [folder, join(folder, 'HEAD'), join(folder, 'objects')].map((path) => lstat(path).catch(() => null)),
  )
  return own?.isDirectory() === true && head?.isFile() === true && objects?.isDirectory() === true
}

/** Puts the repository of a fresh checkout in the place of the one that is there, whatever that is. */
export const exchangeRepository = async ({ outer, root }: At, fresh: string): Promise<void> => {
  const old = join(outer, `.old-${randomBytes(6).toString('hex')}`)
  await rename(join(root, '.git'), old).catch(() => {})
  await rename(join(fresh, '.git'), join(root, '.git'))
  await rm(old, { recursive: true, force: true })
}
