import { channelOf, messageIn } from './channels.ts'
import { demand } from './permissions.ts'
import { refuse } from './refusal.ts'
import { INTENTS, type StoredMessage, type World } from './state.ts'
import { demandActive } from './thread-state.ts'
import type { Emoji, Snowflake, User } from './wire.ts'

export type Reacting = { channelId: Snowflake; messageId: Snowflake; emoji: string; userId: Snowflake }

/** Reacts to a message. A reaction that is already there can be joined without the right to add one. */
export const react = (world: World, { channelId, messageId, emoji: said, userId }: Reacting): void => {
  const channel = channelOf(world, channelId)
  const stored = messageIn(world, channelId, messageId)
  demand(world, userId, channel, 'READ_MESSAGE_HISTORY')
  const emoji = emojiOf(said)
  const found = reactionOf(stored, emoji)
  if (!found) demand(world, userId, channel, 'ADD_REACTIONS')
  demandActive(channel)
  if (found?.users.includes(userId)) return
  if (!found && stored.reactions.length >= 20) refuse('tooManyReactions')
  if (found) found.users.push(userId)
  else stored.reactions.push({ emoji, users: [userId] })
  tell(world, 'MESSAGE_REACTION_ADD', stored, { emoji, user_id: userId, member: memberOf(world, stored, userId) })
}

/** Takes a reaction back; that of somebody else, with the right to. */
export const unreact = (world: World, { channelId, messageId, emoji: said, userId }: Reacting, by: Snowflake): void => {
  const channel = channelOf(world, channelId)
  const stored = messageIn(world, channelId, messageId)
  demand(world, by, channel, ...(by === userId ? [] : (['MANAGE_MESSAGES'] as const)))
  demandActive(channel)
  const emoji = emojiOf(said)
  const found = reactionOf(stored, emoji)
  if (!found?.users.includes(userId)) return
  found.users = found.users.filter((one) => one !== userId)
  stored.reactions = stored.reactions.filter(({ users }) => users.length > 0)
  tell(world, 'MESSAGE_REACTION_REMOVE', stored, { emoji, user_id: userId })
}

/** Takes all reactions away, or all of one emoji. */
export const clearReactions = (world: World, { channelId, messageId, emoji, userId }: Reacting): void => {
  const channel = channelOf(world, channelId)
  const stored = messageIn(world, channelId, messageId)
  demand(world, userId, channel, 'MANAGE_MESSAGES')
  demandActive(channel)
  const one = emoji === '' ? null : emojiOf(emoji)
  stored.reactions = one ? stored.reactions.filter((reaction) => !isSame(reaction.emoji, one)) : []
  if (one) tell(world, 'MESSAGE_REACTION_REMOVE_EMOJI', stored, { emoji: one })
  else tell(world, 'MESSAGE_REACTION_REMOVE_ALL', stored, {})
}

export const reactedWith = (world: World, { channelId, messageId, emoji, userId }: Reacting): User[] => {
  demand(world, userId, channelOf(world, channelId), 'READ_MESSAGE_HISTORY')
  const found = reactionOf(messageIn(world, channelId, messageId), emojiOf(emoji))
  return (found?.users ?? []).flatMap((id) => world.users.get(id) ?? [])
}

const tell = (world: World, name: string, { wire }: StoredMessage, data: object): void => {
  const { id, channel_id, guild_id, author } = wire
  world.tell({
    name,
    intents: guild_id ? INTENTS.reactions : INTENTS.directReactions,
    channelId: channel_id,
    data: { message_id: id, channel_id, ...(guild_id ? { guild_id } : {}), message_author_id: author.id, ...data },
  })
}

const memberOf = (world: World, { wire }: StoredMessage, userId: Snowflake) =>
  world.guilds.get(wire.guild_id ?? '')?.members.get(userId)

/** An emoji of Unicode, or `name:id` of a guild. */
const emojiOf = (said: string): Emoji => {
  const [, name = '', id = ''] = /^(\w+):(\d+)$/.exec(said) ?? []
  if (id) return { id, name }
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(said) || said.length > 30) refuse('unknownEmoji')
  return { id: null, name: said }
}

const reactionOf = (stored: StoredMessage, emoji: Emoji) =>
  stored.reactions.find((reaction) => isSame(reaction.emoji, emoji))

const isSame = (one: Emoji, other: Emoji): boolean => (one.id ?? one.name) === (other.id ?? other.name)
