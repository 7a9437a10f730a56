import { randomBytes } from 'node:crypto'
import { lstat, readlink, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What stands at `.git` and could be exchanged there: nothing, or a link. Files and folders are held in their place. */
export type GitMark = { link: string | null } | 'held'

/** How often it is looked again where a link is exchanged in the very moment: after that it is as good as none. */
const LOOKS = 10

export const gitMark = async (root: string, looks = LOOKS): Promise<GitMark> => {
  const mark = join(root, '.git')
  const stat = await lstat(mark).catch(() => null)
  if (stat === null || looks === 0) return { link: null }
  if (!stat.isSymbolicLink()) return 'held'
  const link = await readlink(mark).catch(() => null)
  return link === null ? gitMark(root, looks - 1) : { link }
}

export const isAsBefore = async (root: string, before: GitMark): Promise<boolean> => {
  if (before === 'held') return true
  const now = await gitMark(root)
  return now !== 'held' && now.link === before.link
}

/** Puts back what was there, where that can be done. Answers the name under which the other thing waits to be removed: git obeys it no more. */
export const putBack = async (root: string, before: GitMark): Promise<string> => {
  const aside = `.bellhop-left-${randomBytes(6).toString('hex')}`
  await rename(join(root, '.git'), join(root, aside)).catch(() => {})
  if (before !== 'held' && before.link !== null) await symlink(before.link, join(root, '.git')).catch(() => {})
  return aside
}
