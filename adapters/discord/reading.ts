import type { APIAttachment, APIMessage, APIUser, GatewayMessageCreateDispatchData } from 'discord.js'
import type { Sender } from '../../src/shapes/network.ts'
import type { Places } from './places.ts'
import { clean, cut } from './tame.ts'

/** A message as the gateway tells of it, and as it is looked up later: then nobody says which roles its author has. */
export type Heard = Omit<APIMessage, 'type'> &
  Pick<Partial<GatewayMessageCreateDispatchData>, 'member' | 'guild_id'> & { type: number }

/** Who the bot is: its user, and its name. */
export type Me = { id: string; name: string; application: string }

/** What a message says to the house: its text, and whether it begins with the name of the bot. */
export type Read = { text: string; called: boolean }

/**
 * What people wrote, as they see it: numbers become names, and the files that came with it are named after it. The bot's
 * own name at the beginning only says that it is meant, and is left out.
 */
export const readMessage = (message: Heard, me: Me, places: Pick<Places, 'known' | 'role'>): Read => {
  const { text, called } = withoutName(message.content, me, places)
  const people = new Map(message.mentions.map((user) => [user.id, user.username]))
  if (!people.has(me.id)) people.set(me.id, me.name)
  const named = text
    .replace(/<@!?(\d+)>/g, (whole, id: string) => (people.has(id) ? `@${people.get(id)}` : whole))
    .replace(/<@&(\d+)>/g, (whole, id: string) => (places.role(id) ? `@${places.role(id)?.name}` : whole))
    .replace(/<#(\d+)>/g, (whole, id: string) => (places.known(id) ? `#${places.known(id)?.name}` : whole))
    .replace(/<a?:(\w+):\d+>/g, ':$1:')
  const files = message.attachments.map(fileText)
  const whole = [named.trim(), ...files].filter((part) => part !== '').join('\n')
  return { text: within(whole, TEXT_BYTES) || (called ? '/help' : ''), called }
}

/** Less than what the house takes as one line. */
const TEXT_BYTES = 16_000

const within = (text: string, most: number): string =>
  Buffer.byteLength(text) <= most ? text : cut(text, Math.floor(most / 4))

const withoutName = (content: string, me: Me, places: Pick<Places, 'role'>): Read => {
  let [text, called] = [content.trimStart(), false]
  for (;;) {
    const [whole, user, role] = /^<@(?:!?(\d+)|&(\d+))>[,:]?\s*/.exec(text) ?? []
    const mine = user === me.id || (role !== undefined && places.role(role)?.tags?.bot_id === me.id)
    if (whole === undefined || !mine) return { text, called }
    text = text.slice(whole.length)
    called = true
  }
}

const fileText = ({ filename, size, url }: APIAttachment): string =>
  `[file: ${cut(clean(filename), NAME)}, ${sizeText(size)}, ${url}]`

const NAME = 100

const sizeText = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Who says something, as Discord vouches for it. A webhook is a program, whatever it calls itself. */
export const senderOf = (network: string, user: APIUser, roles: readonly string[], webhook = false): Sender => ({
  network,
  account: user.id,
  visit: null,
  nick: cut(clean(user.username).replace(/[\n\t]/g, ' '), SPOKEN) || user.id,
  bot: user.bot === true || webhook,
  groups: roles.slice(0, GROUPS),
})

const SPOKEN = 64
const GROUPS = 250
