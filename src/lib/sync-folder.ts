import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** A new name lasts once its folder is on the disk. */
export const syncFolderOf = (file: string): void => {
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
