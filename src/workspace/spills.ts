import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Inside } from './paths.ts'

/** What an output may have at most that is kept whole. */
const MOST_BYTES = 8 * 1024 * 1024

const PREFIX = 'spill:'

/** Whether a path names a kept output: no file of the workspace is reached by such a name. */
export const isSpill = (path: string): boolean => path.startsWith(PREFIX)

/** Ids of steps and sessions have no slash, and none is a way up. */
const NAME = /^(?!\.+$)[A-Za-z0-9._~-]{1,200}$/

/** Outputs that were too long to show, in the data folder: each read by its own session alone, as `spill:STEP`. */
export const createSpills = (folder: string) => ({
  write: async (session: string, step: string, text: string): Promise<string> => {
    if (!NAME.test(session) || !NAME.test(step)) throw new Error(`${step} cannot be kept`)
    await mkdir(join(folder, session), { recursive: true, mode: 0o700 })
    const kept = Buffer.from(text).subarray(0, MOST_BYTES)
    await writeFile(join(folder, session, step), kept, { mode: 0o600 })
    return `${PREFIX}${step}`
  },
  find: (session: string, path: string): Inside | null => {
    const step = isSpill(path) ? path.slice(PREFIX.length) : ''
    if (!NAME.test(step) || !NAME.test(session)) return null
    const real = join(folder, session, step)
    return existsSync(real) ? { real, name: path } : null
  },
  /** Nobody reads on in a session that was closed. */
  clear: (session: string): Promise<void> =>
    NAME.test(session) ? rm(join(folder, session), { recursive: true, force: true }) : Promise.resolve(),
})
