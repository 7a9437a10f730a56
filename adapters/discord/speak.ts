import { setTimeout as sleep } from 'node:timers/promises'
import type { Line, NetworkPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { RefusalCode } from '../../src/shapes/refusal.ts'
import type { Result } from '../../src/shapes/result.ts'
import { wordsOf } from './failures.ts'

/** Says a line to the house; null where the adapter ends before the house could be reached. */
export type Speak = (line: Line) => Promise<Result<Receipt> | null>

const FIRST_MS = 100
const MOST_MS = 10_000

/** A line whose house cannot be reached is said again, under the same id, until it can. */
export const createSpeak =
  ({ say, log }: Pick<NetworkPort, 'say' | 'log'>, signal: AbortSignal): Speak =>
  async (line) => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await say(line)
      } catch (problem) {
        log('a line waits for the house', { line: line.id, why: wordsOf(problem) })
        const wait = Math.min(MOST_MS, FIRST_MS * 2 ** failures)
        await sleep(wait, undefined, { signal }).catch(() => null)
      }
    }
    return null
  }

/** Refusals that no room reads: the house has none for them, or nothing to write them down in. */
export const UNPOSTED: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'unauthenticated',
  'room-unknown',
  'face-unknown',
  'draining',
  'request-invalid',
  'store-full',
  'store-failed',
  'store-busy',
  'rate-exceeded',
  'queue-full',
])
