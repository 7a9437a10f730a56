import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { randomToken } from './secret.ts'
import { syncFolderOf } from './sync-folder.ts'

/**
 * Writes a file that is made once, whole or not at all, for its owner alone, and on the disk when it is done. Of several
 * processes that do so at the same time, one has: the others leave what is there as it is.
 */
export const writeOnce = (file: string, text: string | Buffer): void => {
  const fresh = `${file}.${randomToken().slice(0, 12)}.new`
  const handle = openSync(fresh, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
    linkSync(fresh, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(handle)
    rmSync(fresh, { force: true })
  }
  syncFolderOf(file)
}
