import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { openFolder } from '../workspace/folder.ts'
import { contains, type Workspace } from '../workspace/paths.ts'
import { denier, reachOf } from '../workspace/scope.ts'

/** One folder of the workspace, by its name there: what in it may be shown, each list in the order of the names. */
export type Looked = {
  name: string
  files: string[]
  /** Links are named, and not followed. */
  links: string[]
  folders: string[]
  /** Folders that are there and are not looked into: what is in them is made by programs. */
  closed: string[]
}

/** What was seen, the nearest folders first; and whether there is more than was looked at. */
export type Look = { folders: Looked[]; more: boolean }

/** How much is looked at: folders, and names in all and in one of them. */
const MOST_FOLDERS = 1000
const MOST_NAMES = 20_000
const MOST_IN_ONE = 2000

/** What is fetched, built or cached: it is long, and says nothing about the work. */
const CLOSED: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  'venv',
  'env',
  '__pycache__',
  'Pods',
  'DerivedData',
])

/** Folders of programs' own, such as `.cache`; of these, some are looked into. */
const isClosed = (name: string): boolean => CLOSED.has(name) || (name.startsWith('.') && !OPEN.has(name))
const OPEN: ReadonlySet<string> = new Set(['.github', '.gitlab', '.ci', '.config', '.vscode'])

/** What some walls together let one see: at least one of them opens it. */
export type Visible = { file: (name: string) => boolean; folder: (name: string) => boolean }

export const visibleTo = (specs: Iterable<PeripheralSpec>): Visible => {
  const walls = [...specs].filter(({ scope }) => scope.read.length > 0)
  const reaches = walls.map(({ scope }) => reachOf(scope))
  const denials = walls.map(({ scope }) => denier(scope.deny))
  return {
    file: (name) => reaches.some(({ mayRead }) => mayRead(name)),
    // A folder may be closed to all and still have something in it that is open: it is looked into unless it is denied.
    folder: (name) => denials.some((isDenied) => !isDenied(name)),
  }
}

/**
 * Looks around in a workspace, folder by folder and within bounds. No link is followed, and nothing that is denied is
 * seen.
 */
export const lookAround = async (workspace: Workspace, visible: Visible): Promise<Look> => {
  const look: Look = { folders: [], more: false }
  const waiting = ['.']
  let names = 0
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (look.folders.length === MOST_FOLDERS || names >= MOST_NAMES) return { ...look, more: true }
    const { looked, read } = await lookInto(workspace, visible, name)
    look.folders.push(looked)
    names += read
    look.more ||= read > MOST_IN_ONE
    waiting.push(...looked.folders.map((folder) => join(name, folder)))
  }
  return look
}

type Read = { looked: Looked; read: number }

const lookInto = async (workspace: Workspace, visible: Visible, name: string): Promise<Read> => {
  const looked: Looked = { name, files: [], links: [], folders: [], closed: [] }
  const real = join(workspace.root, name)
  const entries = await entriesOf(real)
  for (const entry of entries) {
    const isOff = workspace.offLimits.some((place) => contains(place, join(real, entry.name)))
    if (!isOff) listFor(entry, join(name, entry.name), looked, visible)?.push(entry.name)
  }
  for (const list of [looked.files, looked.links, looked.folders, looked.closed]) list.sort()
  return { looked, read: entries.length }
}

/** What is in a folder. One that is gone by now, or is something else, or cannot be read, has nothing in it to see. */
const entriesOf = async (real: string): Promise<Dirent[]> => {
  const entries: Dirent[] = []
  const folder = await openFolder(real).catch(() => null)
  if (!folder) return entries
  try {
    for await (const entry of await opendir(folder.door)) if (entries.push(entry) > MOST_IN_ONE) break
  } catch {
    // What was read of it until then is there.
  } finally {
    await folder.handle.close()
  }
  return entries
}

/** Where something is listed; nowhere where it is not to be seen. */
const listFor = (entry: Dirent, name: string, looked: Looked, visible: Visible): string[] | null => {
  if (entry.isDirectory()) {
    if (!visible.folder(name)) return null
    return isClosed(entry.name) ? looked.closed : looked.folders
  }
  if (!visible.file(name)) return null
  return entry.isSymbolicLink() ? looked.links : looked.files
}
