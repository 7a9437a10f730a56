import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import type { FileChange, FileState } from '../shapes/turn.ts'
import type { Combine } from './checkout-combine.ts'
import { contains, type Workspace } from './paths.ts'
import type { Place } from './place.ts'
import { denier } from './scope.ts'
import { isQuoted } from './shadow-names.ts'
import { type Looked, lookAt } from './shadow-restore.ts'
import { isExecutable, kindOf, stateOf } from './state.ts'
import { readFound } from './write.ts'

/** A file that keeps everything else from being merged, and why. */
export type Conflict = { path: string; why: string }

/** What a merge would do: files as they are and are to be; and what is in its way. Both sides of a file may be the same. */
export type MergePlan = { files: MergeFile[]; conflicts: Conflict[] }

/** What becomes of a file: `before` is what it is to be, `now` what it is, as for a file that is put back. */
export type MergeFile = Looked & Pick<FileChange, 'added' | 'removed'>

type Sides = {
  agent: string
  /** Where the changes were made, and where they are to come to. */
  from: Place
  into: Place
  changes: readonly FileChange[]
  combine: Combine
  /** Who holds a path of the workspace, in words; null where nobody does. */
  holder: (path: string) => string | null
}

/** The largest file that is brought over. */
export const MOST_BYTES = 64 * 1024 * 1024

/** Finds out, file by file, what bringing changes over would come to. Nothing is changed. */
export const planMerge = async (sides: Sides): Promise<MergePlan> => {
  const { from, into, changes } = sides
  const plan: MergePlan = { files: [], conflicts: [] }
  const wanted: FileChange[] = []
  for (const change of changes) {
    const why = await objectionTo(sides, change)
    if (why === null) wanted.push(change)
    else plan.conflicts.push({ path: change.path, why })
  }
  const swapped = wanted.map(({ path, before, after }) => ({ path, before: after, after: before, between: false }))
  const looked = await lookAt(into.workspace, from.shadow, swapped)
  const gone = new Set(wanted.filter(({ after }) => after === null).map(({ path }) => path))
  for (const [i, file] of looked.entries()) {
    const change = wanted[i]
    const judged = change && (await judge(sides, change, file, gone))
    if (typeof judged === 'string') plan.conflicts.push({ path: file.path, why: judged })
    else if (judged) plan.files.push(judged)
  }
  return plan
}

/** Why a change is not brought over, whatever the workspace has in its place; null where nothing is in its way. */
const objectionTo = async (sides: Sides, { path, after }: FileChange): Promise<string | null> => {
  const { from, into, holder } = sides
  if (isQuoted(path)) return 'has a name that is no text'
  if (isClosed(into.workspace, path)) return CLOSED
  if (after === null) return holder(path)
  const stat = await lstat(join(from.workspace.root, path)).catch(() => null)
  if (stat && stat.size > MOST_BYTES) return `is larger than ${MOST_BYTES / 1024 / 1024} MB`
  const leads = kindOf(after) === '120000' ? await from.shadow.content(after) : null
  return (leads && linkObjection(into.workspace, path, leads.toString())) ?? holder(path)
}

/** Said of what nobody may touch, and nobody may bring over. */
export const CLOSED = 'is closed to everybody'

const denied = denier([])

const isClosed = ({ root, offLimits }: Workspace, path: string): boolean =>
  denied(path) || offLimits.some((folder) => contains(folder, join(root, path)))

/**
 * A link is brought over where it stays inside, and leads to nothing that is closed. By its letters that can be said as long
 * as it climbs only at its beginning: later on, a folder on its way may be a link itself.
 */
const linkObjection = (workspace: Workspace, path: string, leads: string): string | null => {
  const place = posix.join(dirname(path), leads)
  const parts = leads.split('/').filter((part) => !['', '.'].includes(part))
  const down = parts.findIndex((part) => part !== '..')
  const climbsLater = down !== -1 && parts.includes('..', down)
  if (leads.startsWith('/') || climbsLater || place === '..' || place.startsWith('../'))
    return 'is a link that leads out of the workspace'
  return isClosed(workspace, place) ? `is a link to what ${CLOSED}` : null
}

/** What becomes of a file; null where nothing is to be done, a sentence where it cannot be. */
const judge = async (
  sides: Sides,
  change: FileChange,
  file: Looked,
  gone: ReadonlySet<string>,
): Promise<MergeFile | string | null> => {
  if (file.stands === 'back') return null
  if (file.stands === 'lost') return `cannot be brought over: ${file.why}`
  const blocked = change.after === null ? null : await blockedBy(sides.into.workspace, file.path, gone)
  if (blocked !== null) return blocked
  if (file.stands === 'ready') return { ...file, added: change.added, removed: change.removed }
  return combined(sides, change, file)
}

/** What is in the place of a file, or of a folder it is to lie in, and does not go away with the merge. */
const blockedBy = async ({ root }: Workspace, path: string, gone: ReadonlySet<string>): Promise<string | null> => {
  const parts = path.split('/')
  for (const [i] of parts.slice(0, -1).entries()) {
    const folder = parts.slice(0, i + 1).join('/')
    const stat = await lstat(join(root, folder)).catch(() => null)
    if (stat && !stat.isDirectory()) return gone.has(folder) ? null : `is to lie in ${folder}, which is no folder here`
  }
  if (!(await lstat(join(root, path)).catch(() => null))?.isDirectory()) return null
  const below = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch((): Dirent[] => [])
  const files = below.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  return files.every((file) => gone.has(relative(root, file))) ? null : 'is a folder here'
}

/** Both sides changed it: merged line by line where it is a text on both, and they changed other lines. */
const combined = async (sides: Sides, change: FileChange, file: Looked): Promise<MergeFile | string> => {
  const { agent, from, into, combine } = sides
  const { path, before, after } = change
  const { now } = file
  if (now === null) return `was changed by ${agent} and removed here`
  if (after === null) return `was removed by ${agent} and changed here`
  if (before === null) return `is new here, too, and something else`
  if ([before, after, now].some((state) => kindOf(state) === '120000')) return BOTH
  const ours = await readFound(
    { real: join(into.workspace.root, path), name: path },
    { most: MOST_BYTES, hardLinks: true },
  )
  const [base, theirs] = await Promise.all([from.shadow.content(before), from.shadow.content(after)])
  if (!ours.ok || ours.value?.state !== now || !base || !theirs) return BOTH
  const content = await combine({ ours: ours.value.content, base, theirs })
  if (content === null) return BOTH
  const state = stateOf(content, isRunnable(before, after, now))
  await Promise.all([from.shadow.keep(content), from.shadow.keep(ours.value.content)])
  const [counted] = await from.shadow.counted([{ path, before: now, after: state }])
  const { added = null, removed = null } = counted ?? {}
  return { ...file, before: state, after: now, stands: 'ready', why: '', added, removed }
}

const BOTH = 'was changed on both sides, in the same place'

/** Who changed whether it can be run has the say. */
const isRunnable = (before: FileState, after: FileState, now: FileState): boolean => {
  const decided = kindOf(before) === kindOf(after) ? now : after
  return isExecutable(Number.parseInt(kindOf(decided).slice(-3), 8))
}
