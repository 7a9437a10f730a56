import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { contains } from '../workspace/paths.ts'
import { withoutCredentials } from './git-config.ts'
import type { Mount } from './mounts.ts'

/** What git keeps of a workspace: the `.git` at its root, and the folders that are behind it, as they really are. */
export type Repository = { folders: readonly string[] }

/** The repository of a workspace; null where `.git` is not there, or leads where nothing belongs to this workspace. */
export const findRepository = async (root: string): Promise<Repository | null> => {
  const mark = join(root, '.git')
  const stat = await lstat(mark).catch(() => null)
  if (stat === null) return null
  if (stat.isFile()) return pointedTo(root, mark)
  const real = await realpath(mark).catch(() => null)
  return real !== null && (await isGitFolder(real)) ? { folders: [real] } : null
}

/**
 * Behind a file: a worktree or a submodule, whose folder lies with the repository it is of. It is shown only where that
 * folder names this workspace as its own: a file can say anything.
 */
const pointedTo = async (root: string, mark: string): Promise<Repository | null> => {
  const target = /^gitdir: (.+?)\s*$/.exec(await text(mark))?.[1]
  const folder = target === undefined ? null : await realpath(resolve(root, target)).catch(() => null)
  if (folder === null || !(contains(root, folder) || (await belongsTo(folder, root)))) return null
  const common = (await text(join(folder, 'commondir'))).trim()
  const shared = common === '' ? folder : await realpath(resolve(folder, common)).catch(() => folder)
  if (!(await isGitFolder(shared))) return null
  return { folders: contains(shared, folder) ? [shared] : [shared, folder] }
}

const belongsTo = async (folder: string, root: string): Promise<boolean> => {
  const ofWorktree = (await text(join(folder, 'gitdir'))).trim()
  if (ofWorktree !== '') return (await realpath(dirname(resolve(folder, ofWorktree))).catch(() => null)) === root
  const ofModule = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(await text(join(folder, 'config')))?.[1]
  return ofModule !== undefined && (await realpath(resolve(folder, ofModule)).catch(() => null)) === root
}

const isGitFolder = async (folder: string): Promise<boolean> => {
  const [head, objects] = await Promise.all(
    ['HEAD', 'objects'].map((name) => lstat(join(folder, name)).catch(() => null)),
  )
  return head?.isFile() === true && objects?.isDirectory() === true
}

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Covers what holds credentials in a repository: configs by a copy without them, files that are made for them whole. */
export const withoutSecrets = async ({ folders }: Repository): Promise<Mount[]> =>
  (await Promise.all(folders.map(secretsIn))).flat()

const secretsIn = async (folder: string): Promise<Mount[]> => {
  const names = await namesIn(folder)
  const configs = names.filter((name) => name === 'config' || name === 'config.worktree')
  const stores = names.filter((name) => /credential/i.test(name))
  return [
    ...(await Promise.all(configs.map((name) => cleaned(join(folder, name))))),
    ...stores.map((name): Mount => ({ kind: 'shut', at: join(folder, name) })),
    ...(names.includes('modules') ? await secretsBelow(join(folder, 'modules'), DEEPEST) : []),
    ...(names.includes('worktrees') ? await secretsBelow(join(folder, 'worktrees'), 1) : []),
  ]
}

/** Submodules are named by their path, so their folders may lie deeper. */
const DEEPEST = 8

const secretsBelow = async (folder: string, depth: number): Promise<Mount[]> => {
  const below = (await namesIn(folder)).map((name) => join(folder, name))
  const found = await Promise.all(
    below.map(async (one) => {
      if ((await lstat(join(one, 'HEAD')).catch(() => null))?.isFile()) return secretsIn(one)
      return depth > 1 ? secretsBelow(one, depth - 1) : []
    }),
  )
  return found.flat()
}

const cleaned = async (file: string): Promise<Mount> => ({
  kind: 'text',
  at: file,
  text: withoutCredentials(await text(file)),
})

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
