import { rm } from 'node:fs/promises'
import { type FileChange, FileState } from '../shapes/turn.ts'
import type { Git } from './shadow-git.ts'
import { bytesOf, nameOf } from './shadow-names.ts'
import { entryOf, listOf, ownIndex, tell } from './shadow-snapshot.ts'

/** What became of a file, without the count of its lines. */
export type Change = Pick<FileChange, 'path' | 'before' | 'after'>

/** What is different between two trees, with lines counted. What is neither file nor link is no change of ours. */
export const changesIn = async (git: Git, before: string, after: string): Promise<FileChange[]> => {
  const said = await git(['diff-tree', ...PLAIN, '-z', '--raw', '--numstat', before, after])
  if (said.exit !== 0 || said.cut) throw new Error(`two states of the workspace could not be compared: ${said.error}`)
  return changesFrom(listOf(said.output))
}

/** No renames, and nothing that a file of the workspace could ask to be run. */
const PLAIN = ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'] as const

/** Git says first what each file was and is, then how many lines of each were added and removed. */
const changesFrom = (parts: Buffer[]): FileChange[] => {
  const changes = new Map<string, FileChange>()
  for (let i = 0; i < parts.length; i++) {
    const part = (parts[i] ?? Buffer.alloc(0)).toString('latin1')
    const [, from, to, old, now] = RAW.exec(part) ?? []
    if (from !== undefined) {
      const path = nameOf(parts[++i] ?? Buffer.alloc(0))
      changes.set(path, { path, before: stateIn(from, old), after: stateIn(to, now), added: null, removed: null })
      continue
    }
    const [whole, added = '', removed = ''] = NUMBERS.exec(part) ?? []
    const change = whole === undefined ? undefined : changes.get(nameOf((parts[i] as Buffer).subarray(whole.length)))
    if (change) Object.assign(change, { added: lines(added), removed: lines(removed) })
  }
  return [...changes.values()].filter(({ before, after }) => before !== after)
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]{64}) ([0-9a-f]{64}) [A-Z]$/
const NUMBERS = /^(\d+|-)\t(\d+|-)\t/

const stateIn = (mode = '', name = ''): FileState | null => FileState.safeParse(`${mode} ${name}`).data ?? null

const lines = (digits: string): number | null => (digits === '-' ? null : Number(digits))

/** What a diff has at most, and the size from which a file is not compared line by line. */
const DIFF_BYTES = 1024 * 1024
const LARGE = '8m'

export const createDiffs = (git: Git, folder: string) => {
  const counted = async (changes: readonly Change[]): Promise<FileChange[]> => {
    if (changes.length === 0) return []
    const { whole } = await partition(git, changes)
    const [before, after] = await treesOf(git, folder, whole)
    const numbers = new Map((await changesIn(git, before, after)).map((change) => [change.path, change]))
    return changes.map(({ path, before, after }) => {
      const { added = null, removed = null } = numbers.get(path) ?? {}
      return { path, before, after, added, removed }
    })
  }

  const diff = async (changes: readonly Change[]): Promise<string> => {
    if (changes.length === 0) return ''
    const { whole, lost } = await partition(git, changes)
    const [before, after] = await treesOf(git, folder, whole)
    const args = ['-c', `core.bigFileThreshold=${LARGE}`, 'diff-tree', ...PLAIN, '--patch', before, after]
    const { exit, output, cut, error } = await git(args, { most: DIFF_BYTES })
    if (exit !== 0 && !cut) throw new Error(`the changes could not be shown: ${error.trim()}`)
    const notes = [...(cut ? ['(the diff is longer than this)'] : []), ...lost.map(({ path }) => `(${path}: not kept)`)]
    return [output.toString(), ...notes.map((note) => `${note}\n`)].join('')
  }

  return { counted, diff }
}

/** The changes whose contents were all kept, and the others. */
const partition = async (git: Git, changes: readonly Change[]): Promise<{ whole: Change[]; lost: Change[] }> => {
  const states = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat())
  const lacking = await lackingIn(git, states)
  const isWhole = ({ before, after }: Change): boolean => ![before, after].some((one) => one && lacking.has(one))
  return { whole: changes.filter(isWhole), lost: changes.filter((change) => !isWhole(change)) }
}

/** The states whose contents were not kept. */
export const lackingIn = async (git: Git, states: readonly FileState[]): Promise<Set<FileState>> => {
  const input = Buffer.from([...new Set(states)].map((state) => `${state.slice(-64)}\n`).join(''))
  const said = await git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input })
  const there = new Set(
    said.output
      .toString()
      .split('\n')
      .flatMap((line) => /^([0-9a-f]{64}) blob$/.exec(line)?.[1] ?? []),
  )
  return new Set(states.filter((state) => !there.has(state.slice(-64))))
}

/** Two trees with nothing in them but the files of some changes, before and after. */
const treesOf = async (git: Git, folder: string, changes: readonly Change[]): Promise<[string, string]> => [
  await treeOf(
    git,
    folder,
    changes.map(({ path, before }) => ({ path, state: before })),
  ),
  await treeOf(
    git,
    folder,
    changes.map(({ path, after }) => ({ path, state: after })),
  ),
]

type Placed = { path: string; state: FileState | null }

const treeOf = async (git: Git, folder: string, files: readonly Placed[]): Promise<string> => {
  const index = ownIndex(folder)
  try {
    const entries = files.flatMap(({ path, state }) => (state === null ? [] : [entryOf(state, bytesOf(path))]))
    const told = await tell(git, { index }, entries)
    const said = told.exit === 0 ? await git(['write-tree'], { index }) : told
    if (said.exit !== 0) throw new Error(`the changes could not be laid out: ${said.error.trim()}`)
    return said.output.toString().trim()
  } finally {
    await rm(index, { force: true })
  }
}
