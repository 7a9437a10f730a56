import { join } from 'node:path'
import { Problem } from '../../src/lib/problem.ts'

/** The config that Bellhop is shipped with. */
export const CONFIG = join(import.meta.dirname, '../../config')

/** What loading complains about, as a person reads it. */
export const complaint = (load: () => unknown): { message: string; fix: string } => {
  try {
    load()
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, fix: error.fix }
    throw error
  }
  throw new Error('nothing was complained about')
}
