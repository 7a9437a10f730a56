import type { Upload } from './attachments.ts'
import { channelOf, messageIn, messagesIn, sharesGuild } from './channels.ts'
import { fault, invalidForm } from './form.ts'
import { FLAGS, type MessageForm, readMessage } from './message-form.ts'
import type { PermissionName } from './permission-names.ts'
import { demand, isThread, may } from './permissions.ts'
import { refuse } from './refusal.ts'
import type { StoredMessage, World } from './state.ts'
import { demandActive, openForMessage } from './thread-state.ts'
import type { Channel, Snowflake } from './wire.ts'
import { demandSomething, referenceTo, removeMessage, rewriteMessage, writeMessage } from './writing.ts'

/** Types of messages that people and bots write; the others are made by Discord, and cannot be answered or edited. */
const WRITTEN = [0, 19, 20, 23]
/** Types of channels that can be written to. */
const TEXT_CHANNELS = [0, 1, 2, 5, 10, 11, 12, 13]
const SETTABLE = FLAGS.suppressEmbeds | FLAGS.suppressNotifications | FLAGS.newerLayout

export type Sending = { channelId: Snowflake; authorId: Snowflake; body: unknown; uploads: Upload[] }

/** Sends a message to a channel. */
export const sendMessage = (world: World, { channelId, authorId, body, uploads }: Sending): StoredMessage => {
  const channel = channelOf(world, channelId)
  demandSpeech(world, authorId, channel)
  const form = readMessage(body)
  demand(world, authorId, channel, ...neededFor(form, uploads))
  const replied = repliedTo(world, authorId, channel, form)
  demandSomething(form, uploads)
  const sent = sentBefore(world, authorId, form)
  if (sent) return sent
  openForMessage(world, authorId, channel)
  return writeMessage(world, {
    channel,
    authorId,
    form,
    uploads,
    defaults: 'message',
    flags: (form.flags ?? 0) & SETTABLE,
    more: replied ? { type: 19, message_reference: referenceTo(replied) } : {},
  })
}

/** Edits a message of one's own. Whoever is not the author may suppress its embeds, where they look after messages. */
export const editMessage = (world: World, messageId: Snowflake, sending: Sending): StoredMessage => {
  const { channelId, authorId, body, uploads } = sending
  const channel = channelOf(world, channelId)
  demand(world, authorId, channel)
  const stored = messageIn(world, channelId, messageId)
  demandActive(channel)
  const form = readMessage(body, stored.wire.flags)
  if (!WRITTEN.includes(stored.wire.type)) refuse('systemMessage')
  if (stored.wire.author.id !== authorId) {
    if (Object.keys(form).some((field) => field !== 'flags')) refuse('notTheAuthor')
    demand(world, authorId, channel, 'MANAGE_MESSAGES')
  }
  if (uploads.length > 0) demand(world, authorId, channel, 'ATTACH_FILES')
  rewriteMessage(world, { stored, form, uploads, defaults: 'message' })
  return stored
}

/** A message is deleted by its author, or by whoever looks after messages; in an archived thread, too. */
export const deleteMessage = (world: World, channelId: Snowflake, messageId: Snowflake, userId: Snowflake): void => {
  const channel = channelOf(world, channelId)
  demand(world, userId, channel)
  const stored = messageIn(world, channelId, messageId)
  if (stored.wire.author.id !== userId) demand(world, userId, channel, 'MANAGE_MESSAGES')
  removeMessage(world, stored)
}

export type Page = { before?: Snowflake; after?: Snowflake; around?: Snowflake; limit: number }

/** A page of a channel, the newest first; empty for whoever may not read what was said before. */
export const pageOf = (world: World, channelId: Snowflake, userId: Snowflake, page: Page): StoredMessage[] => {
  const channel = channelOf(world, channelId)
  demand(world, userId, channel)
  if (!may(world, userId, channel, 'READ_MESSAGE_HISTORY')) return []
  const all = messagesIn(world, channelId).filter(({ visibleTo }) => visibleTo === null)
  return cut(all, page).reverse()
}

const cut = (all: StoredMessage[], { before, after, around, limit }: Page): StoredMessage[] => {
  const older = (id: Snowflake) => all.filter(({ wire }) => BigInt(wire.id) < BigInt(id))
  const newer = (id: Snowflake) => all.filter(({ wire }) => BigInt(wire.id) > BigInt(id))
  if (before) return older(before).slice(-limit)
  if (after) return newer(after).slice(0, limit)
  if (!around) return all.slice(-limit)
  const half = Math.floor(limit / 2)
  return [...older(around).slice(-half), ...newer(String(BigInt(around) - 1n)).slice(0, limit - half)]
}

const demandSpeech = (world: World, authorId: Snowflake, channel: Channel): void => {
  if (!TEXT_CHANNELS.includes(channel.type)) refuse('notATextChannel')
  demand(world, authorId, channel, isThread(channel) ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES')
  const [other] = channel.type === 1 ? (channel.recipients ?? []) : []
  if (!other || authorId === other.id) return
  if (other.bot || world.closedDms.has(other.id) || !sharesGuild(world, other.id)) refuse('cannotMessageUser')
}

const neededFor = (form: MessageForm, uploads: readonly Upload[]): PermissionName[] => [
  ...(form.embeds?.length ? (['EMBED_LINKS'] as const) : []),
  ...(uploads.length > 0 ? (['ATTACH_FILES'] as const) : []),
  ...(form.tts ? (['SEND_TTS_MESSAGES'] as const) : []),
]

const repliedTo = (world: World, authorId: Snowflake, channel: Channel, form: MessageForm): StoredMessage | null => {
  if (!form.message_reference) return null
  if (!may(world, authorId, channel, 'READ_MESSAGE_HISTORY')) refuse('cannotReply')
  const { message_id, fail_if_not_exists = true } = form.message_reference
  const found = world.messages.get(message_id)
  const there = found?.wire.channel_id === channel.id && found.visibleTo === null ? found : null
  if (!there && fail_if_not_exists) {
    throw invalidForm({ message_reference: fault('REPLIES_UNKNOWN_MESSAGE', 'Unknown message') })
  }
  if (there && !WRITTEN.includes(there.wire.type)) {
    const system = fault('REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', 'Cannot reply to a system message')
    throw invalidForm({ message_reference: system })
  }
  return there
}

/** With `enforce_nonce`, what the same author sent a few minutes ago with the same nonce is that message. */
const sentBefore = (world: World, authorId: Snowflake, form: MessageForm): StoredMessage | undefined => {
  if (!form.enforce_nonce || form.nonce === undefined || form.nonce === null) return undefined
  return [...world.messages.values()].find(
    ({ wire }) =>
      wire.author.id === authorId &&
      String(wire.nonce) === String(form.nonce) &&
      world.now() - Date.parse(wire.timestamp) < world.limits.nonceMs,
  )
}
