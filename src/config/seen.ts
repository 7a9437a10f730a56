import { Problem } from '../lib/problem.ts'
import { LOG_LEVELS } from '../shapes/config.ts'
import type { Variables } from './environment.ts'
import { type Flags, readers, wants } from './given.ts'

/** How a process is to be seen, as it is given on the command line. */
export type SeenFlags = Flags & { healthPort?: number; log?: string }

/** Where a process says how it is; nowhere, where nobody asked for it. */
export const healthGiven = ({ healthPort }: SeenFlags, variables: Variables): { host: string; port: number } | null => {
  const said = variables['BELLHOP_HEALTH_PORT'] || null
  const port = healthPort ?? (said === null ? null : readers.port(said))
  if (port === null && said !== null) throw new Problem(`BELLHOP_HEALTH_PORT=${said} is no port`, `give ${wants.port}`)
  return port === null ? null : { host: variables['BELLHOP_HEALTH_HOST'] || '127.0.0.1', port }
}

/** Where the log goes and how much of it is written, where that is not as the config says. */
export const logGiven = ({ log }: SeenFlags, variables: Variables) => ({
  to: oneOf(['file', 'stdout', 'stderr'] as const, log ?? (variables['BELLHOP_LOG'] || null), '--log'),
  level: oneOf(LOG_LEVELS, variables['BELLHOP_LOG_LEVEL'] || null, 'BELLHOP_LOG_LEVEL'),
})

const oneOf = <T extends string>(known: readonly T[], said: string | null, what: string): T | null => {
  if (said === null) return null
  const found = known.find((one) => one === said)
  if (found !== undefined) return found
  throw new Problem(`${what}: ${said} is none of ${known.join(', ')}`, 'give one of them, or leave it out')
}
