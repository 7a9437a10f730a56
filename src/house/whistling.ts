import { WHISTLE_SECONDS, whistle } from '../operations/bells.ts'
import { Message, type Receipt } from '../shapes/message.ts'
import type { Result } from '../shapes/result.ts'
import type { Parts } from './parts.ts'

type Heard = (output: unknown) => void
type Say = (message: unknown, heard?: Heard) => Promise<Result<Receipt>>

/**
 * Says something for a program at a door. Where it whistles, it is answered when the agent has answered, or when the seconds
 * are over: then without that, and the work goes on. In rooms nobody waits: the answer is read when it comes.
 */
export const whistling =
  (say: Say, { store, live }: Pick<Parts, 'store' | 'live'>, ends: AbortSignal): Say =>
  async (message, heard) => {
    // A line of chat is no command: it is read by the pipeline alone.
    if (!heard) return say(message)
    const command = Message.safeParse(message).data?.command
    if (command?.name !== whistle.name) return say(message, heard)
    const receipt = await say(message)
    const job = receipt.ok ? receipt.value.assignments[0]?.turn : undefined
    if (!receipt.ok || job === undefined) return receipt
    const id = `${job}.ended`
    const over = AbortSignal.any([ends, AbortSignal.timeout(secondsIn(command.input) * 1000)])
    const end = (await store.get(id)) ?? (await live.until(() => store.get(id), over, id))
    const { assignments } = receipt.value
    const answer = end?.body?.event === 'turn-ended' ? { outcome: end.body.outcome, text: end.body.answer } : null
    heard({ assignments, answer })
    return receipt
  }

const secondsIn = (input: Record<string, unknown>): number => {
  const parsed = whistle.input.safeParse(input)
  const { seconds } = parsed.success ? (parsed.data as { seconds?: number }) : {}
  return seconds ?? WHISTLE_SECONDS
}
