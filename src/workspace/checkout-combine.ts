import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from './shadow-git.ts'

/** What a file may have at most that is merged line by line. */
const COMBINED_BYTES = 8 * 1024 * 1024

/** A content on both sides, and what it was before they went apart. */
type Sides = { ours: Buffer; base: Buffer; theirs: Buffer }

export type Combine = (sides: Sides) => Promise<Buffer | null>

/**
 * Merges contents line by line, in a folder of its own; null where both sides changed the same lines, or it is no text. It
 * goes by the contents alone: what a repository says of how its files are to be merged is not asked.
 */
export const createCombine = (git: Git, folder: string): Combine => {
  return async (sides) => {
    if (Object.values(sides).some(({ length }) => length > COMBINED_BYTES)) return null
    const own = join(folder, `.merging-${randomBytes(6).toString('hex')}`)
    await mkdir(own, { recursive: true, mode: 0o700 })
    try {
      const names = ['ours', 'base', 'theirs'] as const
      await Promise.all(names.map((name) => writeFile(join(own, name), sides[name])))
      const { exit, output, cut } = await git(['merge-file', '-p', '-q', ...names.map((name) => join(own, name))])
      return exit === 0 && !cut ? output : null
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  }
}
