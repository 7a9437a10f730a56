import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What a repository of a shadow is called: whatever has such a name beside it is looked into for contents. */
const NAME = /^[0-9a-f]{32}$/

const newName = (): string => randomBytes(16).toString('hex')

/** The contents in the repositories of shadows that lie beside one. */
export const contentsIn = async (home: string): Promise<string[]> =>
  (await readdir(home)).filter((name) => NAME.test(name)).map((name) => join(home, name, 'objects'))

/**
 * Leaves nothing of shadows that somebody else may have made but their contents: git runs what settings and attributes name, and
 * obeys none of theirs. They get other names: what is found under its own is a repository.
 */
export const keepContents = async (home: string): Promise<void> => {
  const kept = `${home}.${newName()}`
  await mkdir(kept, { mode: 0o700 })
  for (const contents of await contentsIn(home)) {
    const isFolder = (await lstat(contents).catch(() => null))?.isDirectory()
    if (!isFolder) continue
    const own = join(kept, newName())
    await mkdir(own, { mode: 0o700 })
    await rename(contents, join(own, 'objects'))
    // It may name other places to look for contents in.
    await rm(join(own, 'objects/info'), { recursive: true, force: true })
  }
  await rm(home, { recursive: true })
  await rename(kept, home)
}
