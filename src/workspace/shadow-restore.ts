import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileState } from '../shapes/turn.ts'
import { removeEmpty } from './folder.ts'
import { contains, type Inside, type Workspace } from './paths.ts'
import type { Shadow } from './shadow.ts'
import type { Change } from './shadow-diff.ts'
import { isQuoted } from './shadow-names.ts'
import { kindOf } from './state.ts'
import { readState, removeFile, replaceFile } from './write.ts'

/** What a file was before all of some changes and is after them; and whether somebody else changed it in between. */
type Planned = Change & { between: boolean }

/** What lists of changes, in their order, come to: each file once. What was changed and changed back is not in it. */
export const planRestore = (lists: readonly (readonly Change[])[]): Planned[] => {
  const planned = new Map<string, Planned>()
  for (const { path, before, after } of lists.flat()) {
    const known = planned.get(path)
    const between = known !== undefined && (known.between || known.after !== before)
    planned.set(path, { path, before: known ? known.before : before, after, between })
  }
  return [...planned.values()].filter(({ before, after }) => before !== after)
}

/**
 * How a file stands that is to be put back. ready: it is what the changes left. back: it is what it was already.
 * conflict: it is something else. lost: it cannot be put back, whatever anybody wants.
 */
export type Looked = Planned & { now: FileState | null; stands: 'ready' | 'back' | 'conflict' | 'lost'; why: string }

export const lookAt = async (
  workspace: Workspace,
  shadow: Pick<Shadow, 'lacks'>,
  plan: readonly Planned[],
): Promise<Looked[]> => {
  const lacking = await shadow.lacks(plan.flatMap(({ before }) => before ?? []))
  const looked: Looked[] = []
  for (const file of plan) looked.push({ ...file, ...(await standing(workspace, plan, file, lacking)) })
  return looked
}

type Standing = Pick<Looked, 'now' | 'stands' | 'why'>

const standing = async (
  workspace: Workspace,
  plan: readonly Planned[],
  file: Planned,
  lacking: ReadonlySet<FileState>,
): Promise<Standing> => {
  const place = await placeOf(workspace, file.path)
  if (!place.ok) return lost(place.why)
  const at = place.target === null ? nothing : await readState(place.target)
  // A folder that what is to be taken away made necessary goes away with it.
  const now = !at.ok && isBelow(plan, file) ? nothing : at
  if (!now.ok) return lost(now.why)
  if (now.value === file.before) return { now: now.value, stands: 'back', why: '' }
  if (file.before !== null && lacking.has(file.before)) return { ...lost('what it was is not kept'), now: now.value }
  const why = conflictIn(file, now.value)
  return { now: now.value, stands: why === null ? 'ready' : 'conflict', why: why ?? '' }
}

const nothing = { ok: true, value: null } as const

const lost = (why: string): Standing => ({ now: null, stands: 'lost', why })

const isBelow = (plan: readonly Planned[], { path, after }: Planned): boolean =>
  after === null && plan.some((other) => other.before === null && other.path.startsWith(`${path}/`))

const conflictIn = ({ after, between }: Planned, now: FileState | null): string | null => {
  if (now !== after) return now === null ? 'was removed since' : after === null ? 'is there again' : 'was changed since'
  return between ? 'was changed by somebody else in between' : null
}

type Place = { ok: true; target: Inside | null } | { ok: false; why: string }

/** Where a file of the workspace lies: nowhere, where one of its folders is no folder now. No link is followed. */
const placeOf = async ({ root, offLimits }: Workspace, path: string): Promise<Place> => {
  const real = join(root, path)
  if (isQuoted(path)) return { ok: false, why: 'has a name that is no text' }
  if (!isName(path) || !contains(root, real) || offLimits.some((folder) => contains(folder, real)))
    return { ok: false, why: 'is not for anybody to change' }
  for (const folder of foldersOf(path)) {
    const stat = await lstat(join(root, folder)).catch(() => null)
    if (!stat?.isDirectory()) return { ok: true, target: null }
  }
  return { ok: true, target: { real, name: path } }
}

const isName = (path: string): boolean =>
  path.split('/').every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git') &&
  !path.includes('\0')

/** The folders a file lies in, the outermost first. */
const foldersOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

/** What was done: what each file was just before, and is now; and what could not be done. */
type Account = { done: Change[]; failed: { path: string; why: string }[] }

/** Puts files back: what is to go first, the deepest before the others, so that what comes back finds its place. */
export const putBack = async (
  workspace: Workspace,
  shadow: Pick<Shadow, 'content'>,
  files: readonly Looked[],
): Promise<Account> => {
  const account: Account = { done: [], failed: [] }
  for (const file of inOrder(files)) {
    const why = file.before === null ? await takeAway(workspace, file) : await bringBack(workspace, shadow, file)
    if (why === null) account.done.push({ path: file.path, before: file.now, after: file.before })
    else account.failed.push({ path: file.path, why })
  }
  return account
}

const inOrder = (files: readonly Looked[]): Looked[] => {
  const depth = ({ path }: Looked): number => path.split('/').length
  const gone = files.filter(({ before }) => before === null).sort((a, b) => depth(b) - depth(a))
  return [...gone, ...files.filter(({ before }) => before !== null)]
}

/** Takes a file away that was not there before, and the folders that are empty without it. */
const takeAway = async (workspace: Workspace, { path, now }: Looked): Promise<string | null> => {
  const place = await placeOf(workspace, path)
  if (!place.ok) return place.why
  if (place.target === null || now === null) return null
  const removed = await removeFile(place.target, now)
  if (!removed.ok) return removed.why
  await removeEmpty(foldersOf(path).map((folder) => join(workspace.root, folder)))
  return null
}

const bringBack = async (
  workspace: Workspace,
  shadow: Pick<Shadow, 'content'>,
  { path, before, now }: Looked,
): Promise<string | null> => {
  const content = before === null ? null : await shadow.content(before)
  if (before === null || content === null) return 'what it was is not kept'
  // Its folders may be missing, and are made; but none of them may be something else.
  const place = await placeOf(workspace, path)
  if (!place.ok) return place.why
  const target = place.target ?? { real: join(workspace.root, path), name: path }
  const replaced = await replaceFile(target, content, now, kindOf(before))
  if (!replaced.ok) return replaced.why
  return replaced.value.state === before ? null : 'did not become what it was'
}
