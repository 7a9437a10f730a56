import { refuse } from './refusal.ts'
import type { StoredMessage, World } from './state.ts'
import type { Channel, Snowflake, User } from './wire.ts'

/** Finds what is there, or refuses as Discord does. */

export const channelOf = (world: World, id: Snowflake): Channel => world.channels.get(id) ?? refuse('unknownChannel')

export const userOf = (world: World, id: Snowflake): User => world.users.get(id) ?? refuse('unknownUser')

/** A message that everyone in the channel can see: an ephemeral one is reached by its interaction alone. */
export const messageIn = (world: World, channelId: Snowflake, id: Snowflake): StoredMessage => {
  const stored = world.messages.get(id)
  return stored && stored.wire.channel_id === channelId && stored.visibleTo === null ? stored : refuse('unknownMessage')
}

/** All of a channel, the oldest first. */
export const messagesIn = (world: World, channelId: Snowflake): StoredMessage[] =>
  [...world.messages.values()].filter(({ wire }) => wire.channel_id === channelId)

/** The conversation of the bot with somebody, made where there is none. */
export const dmWith = (world: World, userId: Snowflake): Channel => {
  const found = [...world.channels.values()].find(
    ({ type, recipients }) => type === 1 && recipients?.some(({ id }) => id === userId),
  )
  if (found) return found
  const user = userOf(world, userId)
  const channel: Channel = { id: world.nextId(), type: 1, name: null, last_message_id: null, recipients: [user] }
  world.channels.set(channel.id, channel)
  return channel
}

export const sharesGuild = (world: World, userId: Snowflake): boolean =>
  [...world.guilds.values()].some(({ members }) => members.has(userId) && members.has(world.bot.id))
