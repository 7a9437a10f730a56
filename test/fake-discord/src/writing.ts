import { attach, settledEmbeds, type Upload } from './attachments.ts'
import { channelOf, userOf } from './channels.ts'
import { DEFAULTS, mentionsIn, textOf } from './mentions.ts'
import { FLAGS, type MessageForm } from './message-form.ts'
import { isThread } from './permissions.ts'
import { refuse } from './refusal.ts'
import { INTENTS, isoTime, type StoredMessage, type World } from './state.ts'
import type { Channel, Snowflake, WireMessage } from './wire.ts'

/** How messages are stored and changed, once it is clear that they may be. */

export type Writing = {
  channel: Channel
  authorId: Snowflake
  form: MessageForm
  uploads: Upload[]
  defaults: keyof typeof DEFAULTS
  flags: number
  more?: Partial<WireMessage>
  visibleTo?: Snowflake | null
}

/** Stores a message, and tells of it. */
export const writeMessage = (world: World, writing: Writing): StoredMessage => {
  const { channel, authorId, form, uploads, flags, more = {}, visibleTo = null } = writing
  const attachments = attach(world, { channelId: channel.id, form, uploads })
  const stored: StoredMessage = {
    wire: {
      id: world.nextId(),
      channel_id: channel.id,
      author: userOf(world, authorId),
      ...inGuild(world, writing),
      content: form.content ?? '',
      timestamp: isoTime(world.now()),
      edited_timestamp: null,
      tts: form.tts ?? false,
      ...mentionedBy(world, writing),
      attachments,
      embeds: settledEmbeds(form.embeds ?? [], attachments),
      components: form.components ?? [],
      reactions: [],
      pinned: false,
      type: 0,
      flags,
      ...(typeof form.nonce === 'string' || typeof form.nonce === 'number' ? { nonce: form.nonce } : {}),
      ...more,
    },
    history: [],
    visibleTo,
    reactions: [],
    pinnedAt: null,
  }
  world.messages.set(stored.wire.id, stored)
  if (visibleTo === null) countIn(channel, stored.wire.id)
  tellMessage(world, 'MESSAGE_CREATE', stored)
  return stored
}

export type Rewriting = { stored: StoredMessage; form: MessageForm; uploads: Upload[]; defaults: keyof typeof DEFAULTS }

/** Changes a message, keeps what it said before, and tells of it. */
export const rewriteMessage = (world: World, { stored, form, uploads, defaults }: Rewriting): void => {
  const { wire } = stored
  const channel = channelOf(world, wire.channel_id)
  const attachments = attach(world, { channelId: channel.id, form, uploads, had: wire.attachments })
  const next = {
    content: form.content === undefined ? wire.content : (form.content ?? ''),
    embeds: form.embeds === undefined ? wire.embeds : settledEmbeds(form.embeds ?? [], attachments),
    components: form.components === undefined ? wire.components : (form.components ?? []),
    attachments,
  }
  if (Object.values(next).every(({ length }) => length === 0)) refuse('emptyMessage')
  keep(world, stored)
  Object.assign(wire, next, { flags: flagsAfter(wire.flags, form.flags) })
  // Without the mentions that are allowed, the new text is read as if nothing had ever been said of them.
  if (form.content !== undefined || wire.flags & FLAGS.newerLayout) {
    const whole = { ...form, content: wire.content, components: wire.components }
    Object.assign(wire, mentionedBy(world, { channel, authorId: wire.author.id, form: whole, defaults, more: wire }))
  }
  tellMessage(world, 'MESSAGE_UPDATE', stored)
}

export const removeMessage = (world: World, stored: StoredMessage): void => {
  const { id, channel_id, guild_id } = stored.wire
  world.messages.delete(id)
  if (stored.visibleTo !== null) return
  const channel = channelOf(world, channel_id)
  if (channel.message_count) channel.message_count -= 1
  world.tell({
    name: 'MESSAGE_DELETE',
    intents: guild_id ? INTENTS.messages : INTENTS.directMessages,
    channelId: channel_id,
    data: { id, channel_id, ...(guild_id ? { guild_id } : {}) },
  })
}

/** A message has to have something in it. */
export const demandSomething = (form: MessageForm, uploads: readonly Upload[]): void => {
  const embeds = (form.embeds ?? []).filter((embed) => Object.keys(embed).some((field) => field !== 'type'))
  const parts = [form.content ?? '', embeds, form.components ?? [], uploads]
  if (parts.every(({ length }) => length === 0)) refuse('emptyMessage')
}

export const referenceTo = ({ wire: { id, channel_id, guild_id } }: StoredMessage) => ({
  type: 0,
  message_id: id,
  channel_id,
  ...(guild_id === undefined ? {} : { guild_id }),
})

export const tellMessage = (world: World, name: string, message: StoredMessage): void => {
  const { guild_id, channel_id } = message.wire
  // Discord takes an ephemeral message for a direct one, wherever it is.
  const direct = guild_id === undefined || message.visibleTo !== null
  world.tell({
    name,
    intents: direct ? INTENTS.directMessages : INTENTS.messages,
    ...(message.visibleTo === null ? { channelId: channel_id } : {}),
    message,
  })
}

/** The guild, and what the author is there; what came by a webhook has no member. */
const inGuild = (world: World, { channel, authorId, more }: Writing): Pick<WireMessage, 'guild_id' | 'member'> => {
  if (channel.guild_id === undefined) return {}
  const found = world.guilds.get(channel.guild_id)?.members.get(authorId)
  if (!found || more?.webhook_id) return { guild_id: channel.guild_id }
  const { user: _, ...member } = found
  return { guild_id: channel.guild_id, member }
}

type Mentioning = Pick<Writing, 'channel' | 'authorId' | 'form' | 'defaults' | 'more'>

const mentionedBy = (world: World, { channel, authorId, form, defaults, more = {} }: Mentioning) => {
  const replied = more.type === 19 ? world.messages.get(more.message_reference?.message_id ?? '') : undefined
  return mentionsIn(world, {
    text: textOf(form.content ?? '', form.components ?? []),
    channel,
    authorId,
    allowed: form.allowed_mentions ?? DEFAULTS[defaults],
    repliedTo: replied?.wire.author ?? null,
  })
}

/** What a message said stays known, but for the loading that stood there before the answer. */
const keep = (world: World, { wire, history }: StoredMessage): void => {
  if (wire.flags & FLAGS.loading) return
  const { content, embeds, components, attachments, mentions } = wire
  history.push({ content, embeds, components, attachments, mentions, at: world.now() })
  wire.edited_timestamp = isoTime(world.now())
}

const flagsAfter = (had: number, asked: number | null | undefined): number => {
  const settable = FLAGS.suppressEmbeds | FLAGS.newerLayout
  const next = asked === undefined || asked === null ? had : (had & ~FLAGS.suppressEmbeds) | (asked & settable)
  return next & ~FLAGS.loading
}

const countIn = (channel: Channel, messageId: Snowflake): void => {
  channel.last_message_id = messageId
  if (!isThread(channel)) return
  channel.message_count = (channel.message_count ?? 0) + 1
  channel.total_message_sent = (channel.total_message_sent ?? 0) + 1
}
