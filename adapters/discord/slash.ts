import {
  type APIChatInputApplicationCommandInteraction,
  type APIThreadChannel,
  ChannelType,
  type REST,
  Routes,
  ThreadAutoArchiveDuration,
} from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { type Refusal, refusal } from '../../src/shapes/refusal.ts'
import type { Result } from '../../src/shapes/result.ts'
import type { Answered } from './answered.ts'
import type { Asked } from './asked.ts'
import { type Binding, threadIn } from './binding.ts'
import { BLANK, created } from './body.ts'
import { wordsOf } from './failures.ts'
import type { InteractionReply } from './interaction-reply.ts'
import type { Lanes } from './lanes.ts'
import { sayings } from './long.ts'
import { refusalText } from './pieces.ts'
import type { Places } from './places.ts'
import { senderIn } from './sender-in.ts'
import { type Filled, type SlashLine, slashLine } from './slash-line.ts'
import { type Speak, UNPOSTED } from './speak.ts'
import { clean, cut, plainly, tame } from './tame.ts'

export type SlashOptions = {
  rest: REST
  port: NetworkPort
  places: Places
  lanes: Lanes
  speak: Speak
  binding: Binding
  answered: Answered
  asked: Asked
  reply: InteractionReply
}

type Given = APIChatInputApplicationCommandInteraction
type Said = SlashLine & { id: string; channel: string; sender: Sender; ticket: Given }

/** Commands that begin a thread, for which Discord has a place of its own. */
const BEGIN: ReadonlySet<string> = new Set(['new', 'fork'])

/**
 * Slash commands. Each is deferred at once, said to the house like any line, and answered in its place: to everybody what
 * changed something, to whoever asked what was only looked up, and why something is refused.
 */
export const createSlash = (options: SlashOptions) => {
  const { rest, port, places, lanes, speak, binding, answered, asked, reply } = options

  const roomOf = async ({ id, channel, text, sender }: Said): Promise<string | Refusal | null> =>
    port.roomOf(channel) ?? (await binding.roomFor({ id, channel, text, called: true, sender }))

  const tell = async (said: Said): Promise<void> => {
    const room = await roomOf(said)
    if (typeof room !== 'string') {
      await refuse(said, room ?? NOWHERE)
      return
    }
    const { id, text, command, sender } = said
    const line = { id, room, text, sender, ...(command ? { command } : {}) }
    await answered.by(id, async () => {
      const result = await speak(line)
      if (result === null) return false
      if (result.ok) await asked.note(line, result.value)
      return answer(said, room, result)
    })
  }

  /** Whether the answer was given here; where it was not, the post of it is said. */
  const answer = async (said: Said, room: string, result: Result<Receipt>): Promise<boolean> => {
    if (!result.ok) return refuse(said, result.refusal)
    const { value } = result
    const begun = BEGIN.has(said.command?.name ?? '') ? threadIn(value.answer) : null
    const head = begun === null ? '' : await open(said, room, begun)
    const link = port.linkTo({ room, id: `${said.id}.receipt` })
    const [first] = sayings({ head, text: textOf(value), name: 'answer.txt', link }, 1)
    const took = await reply.answer(said.ticket, first ?? { content: '', file: null })
    if (value.whisper !== undefined) await whisper(said, value.whisper)
    return took === 'taken'
  }

  /** To whoever asked alone: what everybody would have read is taken away. */
  const refuse = async (said: Said, why: Refusal): Promise<boolean> => {
    const content = refusalText(`${why.message} [${why.code}]\n${why.remedy}`)
    const privately = async () => {
      await reply.withdraw(said.ticket)
      return reply.privately(said.ticket, content)
    }
    const took = said.reads ? await reply.answer(said.ticket, { content, file: null }) : await privately()
    if (took !== 'taken' && UNPOSTED.has(why.code)) await openly(said, content)
    return took === 'taken'
  }

  const whisper = async (said: Said, words: string): Promise<void> => {
    const took = await reply.privately(said.ticket, tame(words))
    if (took !== 'taken') await openly(said, 'What was for you alone came too late to be shown: ask again.')
  }

  const openly = async ({ id, channel }: Said, content: string): Promise<void> => {
    await rest
      .post(Routes.channelMessages(channel), created({ ...BLANK, content }, `${id} ${content}`))
      .catch((problem: unknown) => port.log('an answer could not be said', { channel, why: wordsOf(problem) }))
  }

  /** Opens a thread of Discord for one of the house, and says where it is. */
  const open = async ({ id, channel, sender, command }: Said, room: string, thread: string): Promise<string> => {
    const place = await places.find(channel)
    const parent = place?.thread && place.parent ? place.parent : channel
    const name = cut(clean(String(command?.input['name'] ?? '')).trim() || thread, NAME)
    const body = { name, type: ChannelType.PublicThread, auto_archive_duration: ThreadAutoArchiveDuration.OneWeek }
    try {
      const opened = (await rest.post(Routes.threads(parent), { body })) as APIThreadChannel
      const refused = await binding.bind({ id, room, channel: opened.id, sender }, thread)
      return refused === null ? `<#${opened.id}> ` : `<#${opened.id}> leads nowhere: ${tame(refused.message)}\n`
    } catch (problem) {
      return `no thread of Discord could be opened for it: ${tame(wordsOf(problem))}\n`
    }
  }

  return (given: Given): void => {
    const { id, channel, data } = given
    const said = slashLine({ name: data.name, options: (data.options ?? []) as Filled['options'] }, port.commands)
    const deferred = reply.defer(given, said.reads)
    void lanes.take(channel.id, async () => {
      // Whoever was told by Discord that nobody answers will ask again: it is not done behind their back.
      if ((await deferred) === 'late')
        return port.drop(refusal('request-invalid', 'the command came too late to be answered'), id)
      await tell({
        ...said,
        id: `${port.network}~${id}`,
        channel: channel.id,
        sender: senderIn(port.network, given),
        ticket: given,
      })
    })
  }
}

const NAME = 100

const NOWHERE = refusal('room-unknown', 'this channel leads to no room')

/** What is said of a receipt: the answer of a command, or who has the work. */
const textOf = ({ answer, assignments, dropped, whisper }: Receipt): string => {
  if (answer !== null) return answer.trim() === '' ? '(nothing)' : answer
  if (dropped !== undefined) return `nothing was made of it: ${dropped}`
  if (assignments.length > 0)
    return assignments
      .map(({ agent, peripheral }) => `**${plainly(agent)}** has it, in ${plainly(peripheral)}`)
      .join('\n')
  return whisper === undefined ? 'it was heard' : 'the answer is for you alone'
}
