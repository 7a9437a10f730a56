import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { FileChange, FileState } from '../shapes/turn.ts'
import { makeWhole } from './make-whole.ts'
import { contains, type Workspace } from './paths.ts'
import { reachOf } from './scope.ts'
import { contentsIn } from './shadow-contents.ts'
import { type Change, changesIn, createDiffs, lackingIn } from './shadow-diff.ts'
import { type Git, gitIn, initGit } from './shadow-git.ts'
import { createSnapshots, indexOf, sweepIndexes } from './shadow-snapshot.ts'
import { stateOf } from './state.ts'

/**
 * A repository of our own beside the workspace, in which its states are kept: the user's repository, its index, its
 * settings and its hooks are never touched. What git ignores and what nobody may touch is not in it. Nothing in it is
 * ever pruned, so what was kept can be put back however long ago that was.
 */
export type Shadow = {
  /** Keeps the whole workspace as it is, and answers the name of that. */
  tree: () => Promise<string>
  /** What is different between two states of the workspace. */
  changes: (before: string, after: string) => Promise<FileChange[]>
  /** Keeps a content; answers its name, the one that is in its state. */
  keep: (content: Buffer) => Promise<string>
  /** A content that was kept; null where it was not, or is not whole any more. */
  content: (state: FileState) => Promise<Buffer | null>
  /** Which of some states could not be put back: their contents were not kept. */
  lacks: (states: readonly FileState[]) => Promise<Set<FileState>>
  /** The same changes with their lines counted, as far as both contents were kept. */
  counted: (changes: readonly Change[]) => Promise<FileChange[]>
  /** Changes as a text, as git writes them; bounded, and it says so where it was cut. */
  diff: (changes: readonly Change[]) => Promise<string>
}

type Options = {
  /** Where the repositories lie: one for each workspace. */
  folder: string
  workspace: Workspace
  /** Where programs are looked for. */
  path: string
  /** Patterns of what is not to be kept, besides what nobody may touch. */
  deny: readonly string[]
}

export const openShadow = async ({ folder: home, workspace, path, deny }: Options): Promise<Shadow> => {
  const { root } = workspace
  const folder = join(home, createHash('sha256').update(root).digest('hex').slice(0, 32))
  await createRepository(folder, path)
  await exclude(folder, excludesOf(workspace, deny))
  await sweepIndexes(folder)
  const git = gitIn({ folder, root, path })
  // What is kept is kept here, whatever others have. What was kept is found with others, too: before a restore, or a move, the
  // same files had another path.
  const others = (await contentsIn(home)).filter((other) => other !== join(folder, 'objects'))
  const reading = gitIn({ folder, root, path, others })
  return {
    tree: createSnapshots({ git, folder, root, keeps: keeperOf(workspace, deny) }),
    changes: (before, after) => changesIn(reading, before, after),
    keep: (content) => keep(git, content),
    content: (state) => contentOf(reading, state),
    lacks: (states) => lackingIn(reading, states),
    ...createDiffs(reading, folder),
  }
}

const createRepository = async (folder: string, path: string): Promise<void> => {
  if (existsSync(folder)) return
  await makeWhole(folder, async (fresh) => {
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    await initGit(fresh, path)
    await mkdir(join(fresh, 'info'), { recursive: true })
    // Stronger than what the files of the workspace say of themselves: the bytes are kept as they are.
    await writeFile(join(fresh, 'info/attributes'), '* -text -filter -ident -working-tree-encoding !eol !diff\n')
  })
}

/** What is to be left out; where that is another than before, everything is looked at anew. */
const exclude = async (folder: string, text: string): Promise<void> => {
  const file = join(folder, 'info/exclude')
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  await rm(indexOf(folder), { force: true })
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(fresh, text)
  await rename(fresh, file)
}

/** Folders that git need not even look into; the patterns are for us, and only noted. */
const excludesOf = ({ root, offLimits }: Workspace, deny: readonly string[]): string => {
  const folders = offLimits.map((folder) => relative(root, folder)).filter((name) => !name.startsWith('..'))
  const lines = folders
    .filter((name) => !name.includes('\n'))
    .map((name) => `/${name.replace(/[\\*?[\]! #]/g, '\\$&')}/`)
  return `${lines.join('\n')}\n# ${JSON.stringify(deny)}\n`
}

/** A `.gitignore` can call back what git was told to leave out, and nothing can call back what is left out here. */
const keeperOf = ({ root, offLimits }: Workspace, deny: readonly string[]): ((name: Buffer) => boolean) => {
  const { mayRead } = reachOf({ ...EVERYTHING, deny: [...deny] })
  return (bytes) => {
    const name = bytes.toString().replace(/\/$/, '')
    return !UNFINISHED.test(name) && mayRead(name) && !offLimits.some((folder) => contains(folder, join(root, name)))
  }
}

/** What a write of ours puts beside a file before it takes its place. */
const UNFINISHED = /(?:^|\/)\.bellhop-[0-9a-f]{16}$/

const EVERYTHING = {
  read: ['**'],
  write: [],
  hardLinks: true,
  evidence: 'none' as const,
  web: { hosts: [], private: false },
}

const keep = async (git: Git, content: Buffer): Promise<string> => {
  const said = await git(['hash-object', '-w', '--stdin'], { input: content, durable: true })
  if (said.exit !== 0) throw new Error(`a content could not be kept: ${said.error.trim()}`)
  return said.output.toString().trim()
}

const contentOf = async (git: Git, state: FileState): Promise<Buffer | null> => {
  const name = state.slice(-64)
  const { exit, output, cut } = await git(['cat-file', 'blob', name])
  // A disk that lost power may have kept a name without its content.
  return exit === 0 && !cut && stateOf(output, false).slice(-64) === name ? output : null
}
