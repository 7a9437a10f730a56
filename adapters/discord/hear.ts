import { MessageType, type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { type Refusal, refusal } from '../../src/shapes/refusal.ts'
import type { Asked } from './asked.ts'
import type { Binding } from './binding.ts'
import type { Lanes } from './lanes.ts'
import { refusalText } from './pieces.ts'
import type { Places } from './places.ts'
import { type Heard, type Me, readMessage, senderOf } from './reading.ts'
import type { Reply } from './reply.ts'
import type { Seen } from './seen.ts'
import { type Speak, UNPOSTED } from './speak.ts'

export type HearOptions = {
  rest: REST
  port: NetworkPort
  me: () => Me | null
  places: Places
  lanes: Lanes
  speak: Speak
  binding: Binding
  asked: Asked
  reply: Reply
  seen: Seen
}

export type Hear = ReturnType<typeof createHear>

/** What is said by people; anything else that is a message in Discord says that somebody came, or that something was pinned. */
const SAID: ReadonlySet<number> = new Set([MessageType.Default, MessageType.Reply])

const KEPT = 2000

/** How many lines of a channel may wait for the house. */
const MOST_WAITING = 10_000

/** Hears what is said in the channels and threads that lead to rooms, in order in each, and every line once. */
export const createHear = (options: HearOptions) => {
  const { rest, port, me, places, lanes, speak, binding, asked, reply, seen } = options
  const heard = new Set<string>()
  const rolesOf = createRoles(rest, places)

  /** The roles of an author are told with what is said now; for what was said before, they are asked for. */
  const sender = async (message: Heard): Promise<Sender> => {
    const { author, member, webhook_id, channel_id } = message
    const roles = member?.roles ?? (webhook_id || author.bot ? [] : await rolesOf(author.id, channel_id))
    return senderOf(port.network, author, roles, webhook_id !== undefined)
  }
  /** Whether it is for us, and was not heard yet. What we said ourselves is written down as such. */
  const isNew = async ({ id, channel_id, author }: Heard, self: Me): Promise<boolean> => {
    if (heard.has(id) || (port.roomOf(channel_id) === null && !(await binding.isThread(channel_id)))) return false
    heard.add(id)
    for (const old of heard) if (heard.size > KEPT) heard.delete(old)
    if (author.id === self.id) port.drop(refusal('own-echo', 'it is what the bot said itself'), author.username)
    return author.id !== self.id
  }

  /** Whether it is done with: what could not be said before the adapter ended is heard again after it. */
  const hear = async (message: Heard): Promise<boolean> => {
    const self = me()
    if (!self || !(await isNew(message, self)) || !SAID.has(message.type)) return true
    const { text, called } = readMessage(message, self, places)
    if (text === '') return true
    const channel = message.channel_id
    const said = { id: `${port.network}~${message.id}`, text, sender: await sender(message) }
    const room = port.roomOf(channel) ?? (await binding.roomFor({ ...said, channel, called }))
    if (typeof room === 'string') return tell(message, { ...said, room })
    if (room !== null) await answer(message, room)
    return true
  }

  const tell = async (message: Heard, line: { id: string; room: string; text: string; sender: Sender }) => {
    const said = await speak(line)
    if (said === null) return false
    if (said.ok) {
      await asked.note(line, said.value)
      await whisper(message, said.value)
    } else {
      await refuse(message, said.refusal)
    }
    return true
  }

  const now = async (message: Heard): Promise<void> => {
    if (await hear(message)) await seen.note(message.channel_id, message.id)
  }

  /** What has a post is said by that; what has none is answered here. */
  const refuse = async (message: Heard, why: Refusal): Promise<void> => {
    if (UNPOSTED.has(why.code) && !message.author.bot) await answer(message, why)
  }
  const answer = (message: Heard, { message: why, code, remedy }: Refusal): Promise<void> =>
    reply.to(message, refusalText(`${why} [${code}]\n${remedy}`))

  const whisper = async (message: Heard, { whisper: words }: Receipt): Promise<void> => {
    if (words !== undefined) await reply.privately(message, words)
  }

  return {
    /** A message of the gateway, or one that is looked up after it was missed. */
    take: (message: Heard): void => {
      const { channel_id: channel, author } = message
      if (lanes.waiting(channel) < MOST_WAITING) return void lanes.take(channel, () => now(message))
      port.drop(refusal('draining', `the house cannot be reached, and ${MOST_WAITING} lines wait`), author.username)
    },
    now,
  }
}

const ROLES_MS = 60_000

/** The roles of people, asked for once in a while. Whoever is not there any more has none. */
const createRoles = (rest: REST, places: Places) => {
  const known = new Map<string, { until: number; roles: Promise<string[]> }>()
  const ask = async (user: string, channel: string): Promise<string[]> => {
    const guild = (await places.find(channel))?.guild
    if (!guild) return []
    const member = (await rest.get(Routes.guildMember(guild, user)).catch(() => null)) as { roles?: string[] } | null
    return member?.roles ?? []
  }
  return (user: string, channel: string): Promise<string[]> => {
    const now = Date.now()
    for (const [key, { until }] of known) if (until < now) known.delete(key)
    const found = known.get(`${channel} ${user}`) ?? { until: now + ROLES_MS, roles: ask(user, channel) }
    known.set(`${channel} ${user}`, found)
    return found.roles
  }
}
