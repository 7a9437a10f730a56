import { setImmediate } from 'node:timers/promises'
import type { Bench } from './tool.ts'

const BREATH_MS = 10

/**
 * For work that goes on piece by piece: to be called, and waited for, in between. It lets others have their turn now and
 * then, and throws once the work is no longer wanted or has taken too long; the message is what the step fails with.
 */
export const deadline = ({ limits, signal }: Pick<Bench, 'limits' | 'signal'>, work: string) => {
  const end = performance.now() + limits.seconds * 1000
  let breath = performance.now()
  const breathe = async (): Promise<void> => {
    await setImmediate()
    breath = performance.now()
    if (breath > end) throw new Error(`the ${work} took longer than ${limits.seconds} s`)
  }
  return (): Promise<void> | null => {
    if (signal.aborted) throw new Error(`the ${work} was cancelled`)
    return performance.now() - breath < BREATH_MS ? null : breathe()
  }
}
