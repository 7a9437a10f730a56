import type { APIMessageComponentInteraction } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { type Refusal, refusal } from '../../src/shapes/refusal.ts'
import type { Result } from '../../src/shapes/result.ts'
import type { Answered } from './answered.ts'
import { typed } from './binding.ts'
import type { InteractionReply } from './interaction-reply.ts'
import type { Lanes } from './lanes.ts'
import { refusalText } from './pieces.ts'
import { senderIn } from './sender-in.ts'
import type { Speak } from './speak.ts'
import { tame } from './tame.ts'
import type { Turns } from './turns.ts'

export type ButtonOptions = {
  port: NetworkPort
  lanes: Lanes
  speak: Speak
  answered: Answered
  turns: Turns
  reply: InteractionReply
}

/** What a button says to the house: the command it stands for, and in which room. */
type Meant = { command: { name: string; input: Record<string, unknown> }; room: string | null; turn: string | null }

/** Refusals that mean: this button has nothing to press for any more. */
const STALE: ReadonlySet<Refusal['code']> = new Set<Refusal['code']>([
  'approval-closed',
  'approval-unknown',
  'turn-unknown',
])

/** Buttons: each is a command of whoever presses it, and gone once it was heard. The house decides, the first one wins. */
export const createButtons = ({ port, lanes, speak, answered, turns, reply }: ButtonOptions) => {
  const meant = (id: string, channel: string): Meant | null => {
    const [, button, name = ''] = /^(approve|deny|cancel):(.+)$/s.exec(id) ?? []
    if (button === undefined) return null
    const here = port.roomOf(channel)
    if (button !== 'cancel') return { command: { name: button, input: { approval: name } }, room: here, turn: null }
    const room = turns.of(name)?.room ?? here
    return { command: { name: 'stop', input: { turn: name } }, room, turn: name }
  }

  /** Whether a turn is over, as far as anybody can tell. */
  const isOver = async (turn: string, room: string, sender: Sender): Promise<boolean> => {
    if (turns.of(turn)?.over) return true
    const looked = await port.ask({ name: 'queue', room, sender }).catch(() => null)
    const rows = looked?.ok ? (looked.value as { turns?: { turn: string }[] }).turns : undefined
    return Array.isArray(rows) && !rows.some((row) => row.turn === turn)
  }

  const press = async (given: APIMessageComponentInteraction): Promise<void> => {
    const sender = senderIn(port.network, given)
    const found = meant(given.data.custom_id, given.channel?.id ?? '')
    const stale = async (why: string): Promise<void> => {
      await reply.privately(given, why)
      await reply.removeButtons(given)
    }
    if (!found || found.room === null) return stale('This button leads nowhere any more.')
    const { command, room, turn } = found
    if (turn !== null && (await isOver(turn, room, sender)))
      return stale('This is over already: there is nothing to cancel.')
    const id = `${port.network}~${given.id}`
    await answered.by(id, async () => {
      const result = await speak({ id, room, text: typed(command.name, command.input), sender, command })
      if (result === null) return false
      if (result.ok || STALE.has(result.refusal.code)) await reply.removeButtons(given)
      const words = wordsIn(result)
      return words === '' || (await reply.privately(given, words)) === 'taken'
    })
  }

  return (given: APIMessageComponentInteraction): void => {
    const deferred = reply.deferUpdate(given)
    void lanes.take(`click ${given.message.id}`, async () => {
      // Whoever was told by Discord that nobody answers will press again, or think better of it.
      if ((await deferred) === 'late')
        return port.drop(refusal('request-invalid', 'the button came too late to be answered'), given.id)
      await press(given)
    })
  }
}

/** What whoever pressed is told. */
const wordsIn = (result: Result<Receipt>): string => {
  if (result.ok) return tame([result.value.answer ?? '', result.value.whisper ?? ''].join('\n').trim())
  const { message, code, remedy } = result.refusal
  return refusalText(`${message} [${code}]\n${remedy}`)
}
