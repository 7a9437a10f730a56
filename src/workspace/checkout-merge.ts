import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChange } from '../shapes/turn.ts'
import { closedIn, differing } from './checkout-closed.ts'
import { createCombine } from './checkout-combine.ts'
import type { Ground, Opened } from './checkout-open.ts'
import { CLOSED, type Conflict, type MergeFile, type MergePlan, MOST_BYTES, planMerge } from './checkout-plan.ts'
import { baseOf, writeRecord } from './checkout-record.ts'
import { putBack } from './shadow-restore.ts'
import { readFound } from './write.ts'

/** How what an agent did is to be brought over. */
export type MergeOrder = {
  /** The entry that will say so. */
  id: string
  /** Only to see what it would come to. */
  dry: boolean
  /** Who holds a path of the workspace, in words; null where nobody does. */
  holder: (path: string) => string | null
  /** Told of the files before the first of them is touched; where it says no, none is. */
  begin: (files: FileChange[]) => Promise<boolean>
}

/** What became of it. */
export type MergeReport = {
  agent: string
  /** The commit with what was brought over; null where there was nothing, or it was only looked at. */
  from: string | null
  /** What the workspace is afterwards, as its shadow names it; null where nothing was brought over. */
  into: string | null
  /** What is different in the workspace now, or would be. */
  files: FileChange[]
  /** Where there is one, nothing is changed. */
  conflicts: Conflict[]
  /** What could not be written, though nothing stood in its way. */
  failed: Conflict[]
}

/**
 * Brings what an agent did in its checkout into the workspace, file by file, against what both had in common. Where one of
 * them is in the way, nothing is changed at all. Nothing is staged, and no branch is touched.
 */
export const mergeCheckout = async (ground: Ground, opened: Opened, order: MergeOrder): Promise<MergeReport> => {
  const { agent, place, at, record } = opened
  const now = await place.shadow.tree()
  const changes = await place.shadow.changes(baseOf(record), now)
  const plan = await planOf(ground, opened, order, changes)
  const { conflicts } = plan
  const files = plan.files.map(changeOf)
  const report: MergeReport = { agent, from: null, into: null, files, conflicts, failed: [] }
  if (order.dry || (changes.length === 0 && conflicts.length === 0)) return report
  const from = await publish(ground, opened, now).catch((error: Error) => error)
  if (from instanceof Error) return { ...report, conflicts: [...conflicts, { path: at.root, why: from.message }] }
  if (conflicts.length > 0) return { ...report, from }

  const unkept = await keepAsIs(ground, plan.files)
  if (unkept.length > 0) return { ...report, from, conflicts: unkept }
  if (files.length > 0 && !(await order.begin(files))) return { ...report, from }
  const { done, failed } = await putBack(ground.workspace, place.shadow, plan.files)
  const into = await ground.shadow.tree()
  if (failed.length === 0) {
    await writeRecord(at.record, { ...record, merges: [...record.merges, { id: order.id, tree: now }] })
  }
  const written = new Set(done.map(({ path }) => path))
  return { ...report, from, into, files: files.filter(({ path }) => written.has(path)), failed }
}

const planOf = async (
  ground: Ground,
  { agent, place, record, git }: Opened,
  { holder }: MergeOrder,
  changes: readonly FileChange[],
): Promise<MergePlan> => {
  const plan = await planMerge({
    agent,
    from: place,
    into: { workspace: ground.workspace, shadow: ground.shadow, of: null },
    changes,
    combine: createCombine(git, ground.folder),
    holder,
  })
  const closed = differing(record.closed, await closedIn(place.workspace, git, ground.path))
  return { ...plan, conflicts: [...plan.conflicts, ...closed.map((path) => ({ path, why: CLOSED }))] }
}

const changeOf = ({ path, now, before, added, removed }: MergeFile): FileChange => ({
  path,
  before: now,
  after: before,
  added,
  removed,
})

/**
 * As a commit on the one that the checkout began with: all that the agent did since, merged before or not; but nothing that
 * is too large to be merged.
 */
const publish = async ({ source }: Ground, { agent, place, at, record }: Opened, now: string): Promise<string> => {
  const changes = await place.shadow.changes(record.clean, now)
  const files = changes.map(({ path, after }) => ({ path, state: after }))
  const stats = await Promise.all(files.map(({ path }) => lstat(join(at.root, path)).catch(() => null)))
  const fitting = files.filter((_, i) => (stats[i]?.size ?? 0) <= MOST_BYTES)
  if (fitting.length === 0) return record.commit
  return source.publish({
    agent,
    parent: record.commit,
    files: fitting,
    content: place.shadow.content,
    at: Math.floor(Date.now() / 1000),
  })
}

/** Keeps the workspace as it is, also what its shadow leaves out: what is replaced can be put back. */
const keepAsIs = async ({ workspace, shadow }: Ground, files: readonly MergeFile[]): Promise<Conflict[]> => {
  await shadow.tree()
  const lacking = await shadow.lacks(files.flatMap(({ now }) => now ?? []))
  const unkept: Conflict[] = []
  for (const { path, now } of files.filter((file) => file.now !== null && lacking.has(file.now))) {
    const content = await contentAt(join(workspace.root, path), path)
    const kept = content === null ? null : await shadow.keep(content)
    if (kept !== now?.slice(-64)) unkept.push({ path, why: 'cannot be kept as it is, and so could not be put back' })
  }
  return unkept
}

const contentAt = async (real: string, name: string): Promise<Buffer | null> => {
  if ((await lstat(real).catch(() => null))?.isSymbolicLink()) return readlink(real, 'buffer')
  const found = await readFound({ real, name }, { most: MOST_BYTES, hardLinks: true })
  return found.ok ? (found.value?.content ?? null) : null
}
