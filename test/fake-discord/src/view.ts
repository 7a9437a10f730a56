import type { Message } from './api.ts'
import type { StoredMessage, World } from './state.ts'
import type { Snowflake, WireMessage } from './wire.ts'

/** A message as the bot gets it from REST. Whether it reads what others wrote depends on what the application has. */
export const toBot = (world: World, stored: StoredMessage): WireMessage => {
  const { guild_id: _, member: __, nonce: ___, ...message } = withParts(world, stored)
  return readable(world, stored, message, world.intents.messageContent)
}

/** The same for whoever has just made it, who is told the nonce again. */
export const toAuthor = (world: World, stored: StoredMessage): WireMessage => {
  const { nonce } = stored.wire
  return { ...toBot(world, stored), ...(nonce === undefined ? {} : { nonce }) }
}

/** As an event of the gateway, with the guild and the member; of an ephemeral message Discord tells neither. */
export const toGateway = (world: World, stored: StoredMessage, readsContent: boolean): WireMessage => {
  const type = world.channels.get(stored.wire.channel_id)?.type
  const message = { ...withParts(world, stored), ...(type === undefined ? {} : { channel_type: type }) }
  const seen = readable(world, stored, message, readsContent)
  if (stored.visibleTo === null) return seen
  const { guild_id: _, member: __, ...alone } = seen
  return alone
}

/** As a test looks at it. */
export const toTest = (world: World, stored: StoredMessage): Message =>
  structuredClone({
    ...withParts(world, stored),
    history: stored.history,
    ephemeral: stored.visibleTo !== null,
  })

const withParts = (world: World, stored: StoredMessage): WireMessage => {
  const { wire, reactions } = stored
  const thread = world.channels.get(wire.id)
  const replied = world.messages.get(wire.message_reference?.message_id ?? '')
  const message = {
    ...wire,
    reactions: reactions.map(({ emoji, users }) => ({
      emoji,
      count: users.length,
      me: users.includes(world.bot.id),
    })),
    ...(thread ? { thread } : {}),
  }
  if (wire.type !== 19 && wire.type !== 21) return message
  return { ...message, referenced_message: replied ? { ...replied.wire } : null }
}

/** Without the intent, the bot reads only what is for it: its own messages, its conversations, and what mentions it. */
const readable = (world: World, stored: StoredMessage, message: WireMessage, allowed: boolean): WireMessage => {
  const open = allowed || isForBot(world, stored.wire)
  const { referenced_message: replied } = message
  return {
    ...message,
    ...(open ? {} : { content: '', embeds: [], attachments: [], components: [] }),
    ...(replied && !allowed && !isForBot(world, replied)
      ? { referenced_message: { ...replied, content: '', embeds: [], attachments: [], components: [] } }
      : {}),
  }
}

const isForBot = (world: World, { author, mentions, channel_id }: WireMessage): boolean =>
  author.id === world.bot.id || mentions.some(({ id }) => id === world.bot.id) || isDm(world, channel_id)

const isDm = (world: World, channelId: Snowflake): boolean => world.channels.get(channelId)?.guild_id === undefined
