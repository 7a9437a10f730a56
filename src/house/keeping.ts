import { count } from '../lib/count.ts'
import { createLeader } from './leader.ts'
import type { Parts } from './parts.ts'

const FIRST_MS = 60_000
const AGAIN_MS = 6 * 3_600_000

/** Lets go, a few times a day, of what the config does not keep: where several look at the same time, one of them does. */
export const startKeeping = (parts: Parts): { stop: () => void } => {
  const { compact, log } = parts
  const leader = createLeader(parts, 'keeping')
  let timer = setTimeout(keep, FIRST_MS)

  async function keep(): Promise<void> {
    timer = setTimeout(keep, AGAIN_MS)
    if (!(await leader.leads())) return
    const done = await compact(false).catch((error: Error) => log.warn('keeping failed', { error: error.message }))
    if (!done) return
    if (!done.ok) return log.warn('keeping was refused', done.refusal)
    const { bodies, left } = done.value
    if (bodies > 0) log.info(`let go of ${count(bodies, 'body', 'bodies')}`, done.value)
    for (const { session, why } of left) log.warn('a chain was left alone', { session, why })
  }

  return { stop: () => clearTimeout(timer) }
}
