import type { FileState } from '../shapes/turn.ts'
import { gitFolderOf } from './git-folder.ts'
import type { Workspace } from './paths.ts'
import { type Git, gitIn, type Said } from './shadow-git.ts'
import { bytesOf, nameOf } from './shadow-names.ts'
import { listOf } from './shadow-snapshot.ts'
import { kindOf } from './state.ts'

/** Where a checkout begins: the commit that is checked out in the workspace, and what is needed to copy it. */
export type Start = {
  commit: string
  format: string
  /** Where the contents lie; where it is said how far back they go, and what is ignored besides: maybe nowhere. */
  objects: string
  shallow: string
  exclude: string
}

/** A file as it is to be in a commit; null is not there. */
type Published = { path: string; state: FileState | null }

/** What is to be a commit in the user's repository: by whom, on which other one, and where its contents are. */
type Publication = {
  agent: string
  parent: string
  files: readonly Published[]
  content: (state: FileState) => Promise<Buffer | null>
  /** Seconds since 1970. */
  at: number
}

export type Source = ReturnType<typeof createSource>

/**
 * The repository of the workspace, as checkouts use it. Of git, only what works on its objects is run here: nothing that
 * looks at a file of the workspace, and nothing that its settings could name a program for.
 */
export const createSource = ({ workspace: { root }, path }: { workspace: Workspace; path: string }) => {
  const git = async (args: readonly string[], input?: Parameters<Git>[1]): Promise<Said> => {
    const folder = await gitFolderOf(root)
    if (folder === null) return { exit: 128, output: Buffer.alloc(0), cut: false, late: false, error: NO_REPOSITORY }
    return gitIn({ folder, root, path })([...OFFLINE, ...args], input)
  }
  const line = async (...args: string[]): Promise<string | null> => {
    const { exit, output } = await git(args)
    return exit === 0 ? output.toString().trim() : null
  }

  return {
    /** A sentence where there is nothing to begin with. */
    start: async (): Promise<Start | string> => {
      const commit = await line('rev-parse', '--quiet', '--verify', 'HEAD^{commit}')
      const said = commit === null ? null : await line('rev-parse', '--path-format=absolute', ...WANTED)
      const [format, objects, shallow, exclude, ...more] = said?.split('\n') ?? []
      if (commit !== null && format && objects && shallow && exclude && more.length === 0)
        return { commit, format, objects, shallow, exclude }
      return (await gitFolderOf(root)) === null ? NO_REPOSITORY : NO_COMMIT
    },
    /** The commit that is checked out; null where there is none. */
    head: (): Promise<string | null> => line('rev-parse', '--quiet', '--verify', 'HEAD^{commit}'),
    /** How many commits one has that another has not; null where that is not known any more. */
    commitsBetween: async (from: string, to: string): Promise<number | null> => {
      const said = await line('rev-list', '--count', `${from}..${to}`)
      return said === null ? null : Number(said)
    },
    /** The files that are different in two commits; null where that is not known any more. */
    changedBetween: async (from: string, to: string): Promise<string[] | null> => {
      const { exit, output, cut } = await git(['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to])
      return exit === 0 && !cut ? listOf(output).map(nameOf) : null
    },
    /** Makes a commit that no branch has, for people to look at with their own git; answers its name. */
    publish: async (publication: Publication): Promise<string> => {
      const ref = refOf(publication.agent)
      const input = importOf(publication)
      const said = await git(['fast-import', '--quiet', '--force', '--date-format=raw'], { input })
      const commit = said.exit === 0 ? await line('rev-parse', '--verify', ref) : null
      if (commit === null) throw new Error(`${ref} could not be written: ${said.error.trim().split('\n')[0]}`)
      return commit
    },
  }
}

/** Where people find what an agent did last, as a commit. */
const refOf = (agent: string): string => `refs/bellhop/${agent}`

/** What a repository does not have is not fetched: that would run whatever its settings name for it. */
const OFFLINE = ['-c', 'protocol.allow=never'] as const

const NO_REPOSITORY = 'the workspace is no git repository of its own: `git init` makes it one'
const NO_COMMIT = 'the repository of the workspace has no commit to begin with: commit something first'

const WANTED = [
  '--show-object-format',
  '--git-path',
  'objects',
  '--git-path',
  'shallow',
  '--git-path',
  'info/exclude',
] as const

/** A commit as git is told of it piece by piece: what goes away first, so that what comes finds its place. */
async function* importOf({ agent, parent, files, content, at }: Publication): AsyncGenerator<Buffer> {
  const message = `what ${agent} did in its checkout`
  const head = [
    `commit ${refOf(agent)}`,
    `committer ${agent} <${agent}@bellhop.invalid> ${at} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    `from ${parent}`,
  ]
  yield Buffer.from(`${head.join('\n')}\n`)
  for (const { path } of files) yield Buffer.from(`D ${quoted(path)}\n`)
  for (const { path, state } of files) {
    const bytes = state === null ? null : await content(state)
    if (state !== null && bytes === null) throw new Error(`what ${path} is was not kept`)
    if (state !== null && bytes !== null) yield* fileOf(path, state, bytes)
  }
}

function* fileOf(path: string, state: FileState, bytes: Buffer): Generator<Buffer> {
  yield Buffer.from(`M ${kindOf(state)} inline ${quoted(path)}\ndata ${bytes.length}\n`)
  yield bytes
  yield Buffer.from('\n')
}

/** Byte by byte: a name may hold whatever it likes. */
const quoted = (path: string): string =>
  `"${[...bytesOf(path)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`
