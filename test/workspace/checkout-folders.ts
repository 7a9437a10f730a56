import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { oneAtATime } from '../../src/lib/one-at-a-time.ts'
import type { MergeReport } from '../../src/workspace/checkout-merge.ts'
import { createCheckouts } from '../../src/workspace/checkouts.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/paths.ts'
import { openShadow, type Shadow } from '../../src/workspace/shadow.ts'
import { scratch } from '../support/folder.ts'
import { git, PATH } from './shadow-folders.ts'

type Options = {
  /** Whether it is a repository, with a first commit of all files. */
  repository?: boolean
  /** Files that are off limits in the workspace. */
  offLimits?: string[]
  /** Where the data lies: beside the workspace, or in it, as it does where nothing is said. */
  data?: string
  /** Whether a merge still holds; where nothing is said, until a test takes it back. */
  stands?: (merge: string) => Promise<boolean>
  /** Who may be at something in all processes; where nothing is said, there is this one alone. */
  alone?: <T>(name: string, work: () => Promise<T>) => Promise<T>
}

/** A workspace with a repository, and the checkouts of it. */
export const checkoutHouse = async (
  files: Record<string, string>,
  { repository = true, offLimits = [], data = 'data', stands, alone = oneAtATime() }: Options = {},
) => {
  const folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'teapot')
  const put = (name: string, text: string, below = root): void => {
    mkdirSync(dirname(join(below, name)), { recursive: true })
    writeFileSync(join(below, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text)
  const user = async (...args: string[]): Promise<string> => (await git(root, ...args)).stdout
  const commit = async (message = 'more'): Promise<string> => {
    await user('add', '--all')
    await user('commit', '--quiet', '--message', message)
    return user('rev-parse', 'HEAD')
  }
  const home = data === 'data' ? join(above, data) : join(root, data)
  mkdirSync(home, { recursive: true })
  put('.gitignore', '*\n', home)
  if (repository) {
    await user('init', '--quiet', '--initial-branch=main')
    await commit('first')
  }
  const workspace = await openWorkspace(root, [home, ...offLimits.map((name) => join(root, name))])
  const shadow = await openShadow({ folder: join(home, 'shadow'), workspace, path: PATH, deny: [] })
  const undone = new Set<string>()
  const logged: string[] = []
  const openOn = (workspace: Workspace, shadow: Shadow) =>
    createCheckouts({
      folder: join(home, 'checkouts'),
      shadows: join(home, 'shadow'),
      workspace,
      shadow,
      path: PATH,
      stands: stands ?? (async (merge) => !undone.has(merge)),
      alone,
      log: (message) => void logged.push(message),
    })
  /** As after a restart: nothing is known but what is on the disk. */
  const open = () => openOn(workspace, shadow)
  const checkouts = open()
  let merges = 0
  return {
    above,
    root,
    home,
    workspace,
    shadow,
    put,
    remove: (name: string, below = root): void => rmSync(join(below, name), { recursive: true }),
    user,
    commit,
    undone,
    logged,
    open,
    /** Those of another workspace. */
    openOn,
    checkouts,
    /** The folder with the files of an agent's checkout. */
    rootOf: async (agent = 'codex-1'): Promise<string> => (await checkouts.of(agent)).workspace.root,
    merge: async (
      agent = 'codex-1',
      { dry = false, held = {} as Record<string, string> } = {},
    ): Promise<MergeReport> => {
      const order = { id: `m${++merges}`, dry, holder: (path: string) => held[path] ?? null, begin: async () => true }
      const report = await checkouts.merge(agent, order)
      if (typeof report === 'string') throw new Error(report)
      return report
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
