import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Ground } from './checkout-open.ts'
import { checkoutAt, OWN_GIT, readRecord } from './checkout-record.ts'
import { createSource } from './checkout-source.ts'

/** What a restore leaves beside checkouts: where their workspace is now, nobody knows yet. */
const FREE = '.restored'

/** Leaves the checkouts in a folder that was restored to the workspace that they turn out to be of; git of the house is made anew. */
export const freeCheckouts = async (folder: string): Promise<void> => {
  await rm(join(folder, OWN_GIT), { recursive: true, force: true })
  for (const name of await foldersIn(folder))
    await writeFile(join(folder, name, FREE), '', { flag: 'wx' }).catch(unless('EEXIST'))
}

/**
 * Takes over restored checkouts of this workspace, which had another path when they were made: their commit is in its
 * repository, and its shadow knows what their files were. While an instance runs, nothing is taken from under anybody.
 */
export const adoptCheckouts = async (ground: Omit<Ground, 'source'>): Promise<void> => {
  const { folder, workspace, log } = ground
  const own = basename(dirname(checkoutAt(folder, workspace.root, 'any').outer))
  await rm(join(folder, own, FREE), { force: true })
  for (const key of await foldersIn(folder)) {
    for (const agent of (await isThere(join(folder, key, FREE))) ? await foldersIn(join(folder, key)) : []) {
      const outer = join(folder, key, agent)
      const why = await adopt(ground, outer, agent)
      if (why !== null && (await isThere(outer)))
        log('a restored checkout was left where it is', { folder: outer, why })
    }
  }
}

/** A sentence where it stays. */
const adopt = async (ground: Omit<Ground, 'source'>, outer: string, agent: string): Promise<string | null> => {
  const at = checkoutAt(ground.folder, ground.workspace.root, agent)
  const record = await readRecord(join(outer, basename(at.record)))
  const [files, ...more] = (await foldersIn(outer)).filter((name) => !PASSING.test(name))
  if (record === null || files === undefined || more.length > 0) return 'it is not whole'
  const known = await createSource(ground).commitsBetween(record.commit, record.commit)
  if (known === null) return `the workspace has not the commit ${record.commit.slice(0, 12)} that it began with`
  const isKept = await ground.shadow.changes(record.clean, record.clean).then(yes, no)
  if (!isKept) return 'what its files were is not known in this workspace'
  if (await isThere(at.outer)) return `${agent} has another one already`
  await mkdir(dirname(at.outer), { recursive: true })
  // Somebody else may be faster: then it has its place.
  await rename(join(outer, files), join(outer, basename(at.root))).catch(unless('ENOENT'))
  await rename(outer, at.outer).catch(unless('ENOENT'))
  return null
}

const isThere = (path: string): Promise<boolean> => lstat(path).then(yes, no)

const yes = (): boolean => true
const no = (): boolean => false

/** What stands beside the files while their repository is exchanged. */
const PASSING = /^\.(?:fresh|old)-[0-9a-f]{12}$/

const foldersIn = async (folder: string): Promise<string[]> => {
  const found = await readdir(folder, { withFileTypes: true }).catch(unless('ENOENT'))
  return (found ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

const unless =
  (code: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== code) throw error
  }
