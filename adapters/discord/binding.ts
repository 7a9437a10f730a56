import { setTimeout as sleep } from 'node:timers/promises'
import { type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { type Refusal, refusal } from '../../src/shapes/refusal.ts'
import type { Answered } from './answered.ts'
import type { Places } from './places.ts'
import type { Seen } from './seen.ts'
import type { Speak } from './speak.ts'
import { clean, cut } from './tame.ts'

export type BindingOptions = {
  rest: REST
  port: NetworkPort
  places: Places
  speak: Speak
  answered: Answered
  seen: Seen
}
export type Binding = ReturnType<typeof createBinding>

type First = { id: string; channel: string; text: string; called: boolean; sender: Sender }
type Wanted = { id: string; room: string; channel: string; sender: Sender }

/** A thread of Discord is a thread of the house: it is made one when somebody first asks for something in it. */
export const createBinding = ({ rest, port, places, speak, answered, seen }: BindingOptions) => {
  /** The room of the channel that a thread is in; null for what is no thread, and for threads of other channels. */
  const homeOf = async (channel: string): Promise<{ room: string; name: string } | null> => {
    const place = await places.find(channel)
    const room = place?.thread && place.parent ? port.roomOf(place.parent) : null
    return place && room !== null ? { room, name: place.name } : null
  }

  /** Has the house begin a thread, and says its name; what the house answers is for the thread, not for the channel. */
  const begin = async (wanted: Wanted, input: { agent?: string; name: string }): Promise<string | Refusal> => {
    const { id, room, sender } = wanted
    const line = { id: `${id}-new`, room, text: typed('new', input), sender, command: { name: 'new', input } }
    let came: string | Refusal = LOST
    await answered.by(line.id, async () => {
      const said = await speak(line)
      if (said) came = said.ok ? (threadIn(said.value.answer) ?? LOST) : said.refusal
      return said !== null
    })
    return came
  }

  /** Tells the house that a channel of Discord leads to a thread from now on. */
  const bind = async ({ id, room, channel, sender }: Wanted, thread: string): Promise<Refusal | null> => {
    const input = { thread, network: port.network, channel }
    const line = { id: `${id}-bind`, room, text: typed('bind', input), sender, command: { name: 'bind', input } }
    let came: Refusal | null = LOST
    await answered.by(line.id, async () => {
      const said = await speak(line)
      if (said) came = said.ok ? null : said.refusal
      return said !== null
    })
    if (came !== null) return came
    await rest.put(Routes.threadMembers(channel, '@me')).catch(() => null)
    if ((await ledTo(channel)) === null) return LOST
    // From here on nothing said in it is passed over, not even what is said while nobody listens.
    await seen.note(channel, justBefore(id))
    return null
  }

  /** The house knows it a moment later. */
  const ledTo = async (channel: string): Promise<string | null> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const room = port.roomOf(channel)
      if (room !== null) return room
      await sleep(STEP_MS)
    }
    return null
  }

  const agentIn = async (text: string): Promise<Named> => {
    const agents = await port.agents().catch(() => [])
    const names = [...text.matchAll(/(?:^|\s)@([\w-]+)|^([\w-]+)[,:]/g)].map(([, at, colon]) => at ?? colon ?? '')
    const named = names.map((name) => agents.find(({ id, type }) => [id, type].includes(name.toLowerCase())))
    return named.find((agent) => agent !== undefined) ?? (names.includes('all') ? 'all' : null)
  }

  return {
    bind,
    isThread: async (channel: string): Promise<boolean> => (await homeOf(channel)) !== null,
    /** The room of a thread that leads nowhere yet: of one's own, if the line is for an agent or a command; else none. */
    roomFor: async ({ id, channel, text, called, sender }: First): Promise<string | Refusal | null> => {
      const home = await homeOf(channel)
      const agent = await agentIn(text)
      const wants = called || agent !== null || /^[/!][a-z]/i.test(text)
      if (home === null || sender.bot || !wants) {
        port.drop(
          refusal('thread-unknown', 'it was said in a thread that is none of the house, and to no agent'),
          sender.nick,
        )
        return null
      }
      const wanted = { id, room: home.room, channel, sender }
      const input = { ...asAgent(agent), name: cut(clean(home.name), NAME) }
      const begun = await begin(wanted, input)
      const refused = typeof begun === 'string' ? await bind(wanted, begun) : begun
      return refused ?? port.roomOf(channel)
    },
  }
}

/** Whom a line names: an agent, all of them, or nobody. */
type Named = { id: string } | 'all' | null

const asAgent = (named: Named): { agent?: string } => (named === null || named === 'all' ? {} : { agent: named.id })

/** The ids of lines end with Discord's own, which go up with time: one less is the moment before. */
const justBefore = (line: string): string => String(BigInt(line.slice(line.lastIndexOf('~') + 1)) - 1n)

const NAME = 200
const TRIES = 100
const STEP_MS = 50

const LOST: Refusal = {
  code: 'store-failed',
  message: 'this thread could not be made one of the house',
  remedy: 'say it again in a while',
}

/** The answer begins with what the thread is called. */
export const threadIn = (answer: string | null): string | null => /^t-[a-z0-9-]+/.exec(answer ?? '')?.[0] ?? null

/** A command as somebody would type it. */
export const typed = (name: string, input: Record<string, unknown>): string =>
  [`/${name}`, ...Object.entries(input).map(([key, value]) => `${key}=${quoted(String(value))}`)].join(' ')

const quoted = (value: string): string =>
  /[\s"]/.test(value) || value === '' ? `"${value.replaceAll('"', "'")}"` : value
