import { channelOf, messageIn, messagesIn } from './channels.ts'
import { demand } from './permissions.ts'
import { refuse } from './refusal.ts'
import { INTENTS, isoTime, type StoredMessage, type World } from './state.ts'
import { demandActive } from './thread-state.ts'
import type { Channel, Snowflake } from './wire.ts'
import { referenceTo, tellMessage, writeMessage } from './writing.ts'

export type Pinning = { channelId: Snowflake; messageId: Snowflake; userId: Snowflake }

/** The type of the message that Discord writes when one is pinned. */
const PINNED = 6

/** Pins a message; one that is pinned stays so, and nothing is said of it. */
export const pin = (world: World, { channelId, messageId, userId }: Pinning): void => {
  const { channel, stored } = pinnable(world, { channelId, messageId, userId })
  if (stored.pinnedAt !== null) return
  if (pinsIn(world, channelId).length >= world.limits.pins) refuse('tooManyPins')
  stored.pinnedAt = world.now()
  stored.wire.pinned = true
  tellMessage(world, 'MESSAGE_UPDATE', stored)
  tellPins(world, channel)
  // Discord says who pinned what, as a message of whoever did.
  writeMessage(world, {
    channel,
    authorId: userId,
    form: { content: '' },
    uploads: [],
    defaults: 'message',
    flags: 0,
    more: { type: PINNED, message_reference: referenceTo(stored) },
  })
}

export const unpin = (world: World, pinning: Pinning): void => {
  const { channel, stored } = pinnable(world, pinning)
  if (stored.pinnedAt === null) return
  stored.pinnedAt = null
  stored.wire.pinned = false
  tellMessage(world, 'MESSAGE_UPDATE', stored)
  tellPins(world, channel)
}

/** What is pinned in a channel, the newest pin first. */
export const pinsIn = (world: World, channelId: Snowflake): StoredMessage[] =>
  messagesIn(world, channelId)
    .filter(({ pinnedAt }) => pinnedAt !== null)
    .sort((a, b) => (b.pinnedAt ?? 0) - (a.pinnedAt ?? 0) || Number(BigInt(b.wire.id) - BigInt(a.wire.id)))

const pinnable = (world: World, { channelId, messageId, userId }: Pinning) => {
  const channel = channelOf(world, channelId)
  demand(world, userId, channel, 'PIN_MESSAGES', 'READ_MESSAGE_HISTORY')
  const stored = messageIn(world, channelId, messageId)
  demandActive(channel)
  if (![0, 19, 20, 23].includes(stored.wire.type)) refuse('systemMessage')
  return { channel, stored }
}

const tellPins = (world: World, { id, guild_id }: Channel): void => {
  const [latest] = pinsIn(world, id)
  const last = latest?.pinnedAt ?? null
  const when = last === null ? null : isoTime(last)
  world.tell({
    name: 'CHANNEL_PINS_UPDATE',
    intents: guild_id ? INTENTS.guilds : INTENTS.directMessages,
    channelId: id,
    data: { channel_id: id, last_pin_timestamp: when, ...(guild_id ? { guild_id } : {}) },
  })
}
