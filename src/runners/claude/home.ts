import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerOptions } from '../options.ts'

/** Where the program puts what it needs for a while: below its home, and nowhere that others look. */
export const temporaryIn = (home: string): string => join(home, 'tmp')

/** The folders that the program expects to be there. */
export const prepareHome = async ({ home, empty }: Pick<RunnerOptions, 'home' | 'empty'>): Promise<void> => {
  for (const path of [temporaryIn(home), empty]) await mkdir(path, { recursive: true, mode: 0o700 })
}
