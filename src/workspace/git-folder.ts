import { lstat, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/**
 * The folder of git at the root of a workspace; null where there is none. A file there leads to one elsewhere, as of a
 * worktree, and can say anything: it counts where what it leads to names this workspace as its own.
 */
export const gitFolderOf = async (root: string): Promise<string | null> => {
  const mark = join(root, '.git')
  const stat = await lstat(mark).catch(() => null)
  if (stat?.isDirectory()) return mark
  const leads = stat?.isFile() && stat.size < MOST ? await text(mark) : ''
  const target = /^gitdir: (.+?)\s*$/.exec(leads)?.[1]
  const folder = target === undefined ? null : await realpath(resolve(root, target)).catch(() => null)
  const named = folder === null ? '' : (await text(join(folder, 'gitdir'))).trim()
  if (folder === null || named === '') return null
  return (await realpath(dirname(resolve(folder, named))).catch(() => null)) === root ? folder : null
}

const MOST = 4096

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
