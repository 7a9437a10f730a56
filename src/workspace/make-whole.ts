import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'

/** Makes a folder under another name first: it is there whole, or not at all, whoever else makes it at the same time. */
export const makeWhole = async (folder: string, makeAt: (fresh: string) => Promise<void>): Promise<void> => {
  const fresh = `${folder}.${randomBytes(6).toString('hex')}`
  try {
    await makeAt(fresh)
    await rename(fresh, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
