import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { openWorkspace, type Workspace } from '../../src/workspace/paths.ts'
import { openShadow, type Shadow } from '../../src/workspace/shadow.ts'
import { scratch } from '../support/folder.ts'

export const PATH = process.env['PATH'] ?? ''

export type TestShadow = {
  root: string
  /** Where the repositories lie, beside the workspace. */
  home: string
  workspace: Workspace
  shadow: Shadow
  write: (name: string, text: string) => string
} & Disposable

/** A workspace with files, and a shadow of it. */
export const testShadow = async (
  files: Record<string, string> = {},
  { deny = [] as string[], offLimits = [] as string[], home = 'shadow' } = {},
): Promise<TestShadow> => {
  const folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'ws')
  mkdirSync(root)
  const write = (name: string, text: string) => folder.write(join('ws', name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  const workspace = await openWorkspace(
    root,
    offLimits.map((name) => join(root, name)),
  )
  const shadow = await openShadow({ folder: join(above, home), workspace, path: PATH, deny })
  return { root, home: join(above, home), workspace, shadow, write, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** Everything below a folder, with names as bytes: contents, modes, where links lead to; folders end with a slash. */
export const contentsOf = (folder: string): Record<string, string> => {
  const root = Buffer.from(`${folder}/`).toString('latin1')
  const below = (path: string): [string, string][] =>
    readdirSync(Buffer.from(root + path, 'latin1'), { encoding: 'buffer' }).flatMap((bytes) => {
      const name = path + bytes.toString('latin1')
      const file = Buffer.from(root + name, 'latin1')
      const stat = lstatSync(file)
      if (stat.isDirectory()) return [[`${name}/`, ''], ...below(`${name}/`)]
      if (stat.isSymbolicLink()) return [[name, `link ${readlinkSync(file)}`]]
      return [[name, `${(stat.mode & 0o777).toString(8)} ${readFileSync(file).toString('latin1')}`]]
    })
  return Object.fromEntries(below(''))
}

/** A git of the user's own, with nothing of the machine's. */
export const git = (cwd: string, ...args: string[]) =>
  execa('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd,
    env: { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    extendEnv: false,
  })

export const makeExecutable = (file: string): void => chmodSync(file, 0o755)
