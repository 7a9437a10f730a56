import { runInNewContext } from 'node:vm'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { oneLine } from '../lib/plain.ts'

/** How long arguments are looked at: a schema is a stranger's, and there are some that would take for ever. */
const MOST_MS = 500
const SHOWN = 500

/**
 * What is wrong with arguments by a schema; null where nothing is. The schema is read, never turned into a program; and
 * where it keeps somebody busy (a pattern that goes astray, parts that refer to each other again and again), it is left.
 */
export const wrongArguments = (schema: Record<string, unknown>, args: unknown): string | null => {
  const check = (): string | null => {
    const result = new CfWorkerJsonSchemaValidator().getValidator(schema)(args)
    return result.valid ? null : oneLine(result.errorMessage, SHOWN)
  }
  try {
    return runInNewContext('check()', { check }, { timeout: MOST_MS })
  } catch (error) {
    return `its schema cannot be held against them: ${oneLine((error as Error).message, SHOWN)}`
  }
}
