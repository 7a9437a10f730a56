import { setTimeout } from 'node:timers/promises'
import type { File, Interaction, Message, OptionValues, Person, SayOptions } from './api.ts'
import type { Upload } from './attachments.ts'
import { channelOf, dmWith } from './channels.ts'
import { flat } from './component-form.ts'
import { join, leave } from './guilds.ts'
import { handleOf, isLate, openInteraction, ownersIn } from './interactions.ts'
import { invocationData } from './invoking.ts'
import { deleteMessage, editMessage, sendMessage } from './messages.ts'
import { demand, isThread, permissionsIn } from './permissions.ts'
import { pin, unpin } from './pins.ts'
import { react, unreact } from './reactions.ts'
import { refuse } from './refusal.ts'
import { createUser, INTENTS, type InteractionKind, type StoredInteraction, type World } from './state.ts'
import { demandActive } from './thread-state.ts'
import { startThread } from './threads.ts'
import { toGateway, toTest } from './view.ts'
import type { Channel, Choice, Component, Snowflake } from './wire.ts'

/** Somebody new, at a client of Discord. They come into a guild with the first thing that they do there. */
export const createPerson = (world: World, name: string, options: { bot?: boolean; globalName?: string }): Person => {
  const user = { ...createUser(world.nextId(), name, options.bot ?? false), global_name: options.globalName ?? null }
  world.users.set(user.id, user)
  const { id } = user
  const stored = (messageId: Snowflake) => world.messages.get(messageId) ?? refuse('unknownMessage')
  const at = (channelId: Snowflake) => enter(world, id, channelId)
  return {
    id,
    name,
    mention: `<@${id}>`,
    says: (channelId, content, more = {}) => says(world, { userId: id, channel: at(channelId), content, more }),
    edits: (messageId, content) => {
      const channelId = stored(messageId).wire.channel_id
      return toTest(world, editMessage(world, messageId, { channelId, authorId: id, body: { content }, uploads: [] }))
    },
    deletes: (messageId) => deleteMessage(world, stored(messageId).wire.channel_id, messageId, id),
    pins: (messageId) => pin(world, { channelId: stored(messageId).wire.channel_id, messageId, userId: id }),
    unpins: (messageId) => unpin(world, { channelId: stored(messageId).wire.channel_id, messageId, userId: id }),
    reacts: (messageId, emoji) => {
      const { id: channelId } = at(stored(messageId).wire.channel_id)
      react(world, { channelId, messageId, emoji, userId: id })
    },
    unreacts: (messageId, emoji) => {
      unreact(world, { channelId: stored(messageId).wire.channel_id, messageId, emoji, userId: id }, id)
    },
    types: (channelId) => tellTyping(world, id, at(channelId)),
    slash: (channelId, path, values = {}) => {
      const found = invoke(world, { userId: id, channel: at(channelId), path, values }, 2)
      return handleOf(world, found)
    },
    clicks: (message, customId, values) => clicks(world, { userId: id, message, customId, values }),
    completes: async (channelId, path, values, focused) => {
      const found = invoke(world, { userId: id, channel: at(channelId), path, values, focused }, 4)
      return completed(world, found)
    },
    submits: (interaction, values) => submits(world, id, interaction, values),
    opensThread: (channelId, title, messageId) => {
      const { id: parentId } = at(channelId)
      const from = messageId === undefined ? {} : { messageId }
      return { ...startThread(world, { channelId: parentId, userId: id, body: { name: title, type: 11 }, ...from }) }
    },
    joins: (guildId) => join(world, world.guilds.get(guildId) ?? refuse('unknownGuild'), id),
    leaves: (guildId) => leave(world, world.guilds.get(guildId) ?? refuse('unknownGuild'), id),
    opensDm: () => ({ ...dmWith(world, id) }),
    closesDms: () => {
      world.closedDms.add(id)
    },
  }
}

/** The channel, with the person in its guild. */
const enter = (world: World, userId: Snowflake, channelId: Snowflake): Channel => {
  const channel = channelOf(world, channelId)
  const guild = world.guilds.get(channel.guild_id ?? '')
  if (guild) join(world, guild, userId)
  return channel
}

type Saying = { userId: Snowflake; channel: Channel; content: string; more: SayOptions }

const says = (world: World, { userId, channel, content, more }: Saying): Message => {
  const { reply, ping = true, attachments = [], embeds, nonce } = more
  const body = {
    content,
    ...(embeds ? { embeds } : {}),
    ...(nonce === undefined ? {} : { nonce }),
    ...(reply ? { message_reference: { message_id: reply } } : {}),
    ...(reply && !ping ? { allowed_mentions: { parse: ['users', 'roles', 'everyone'], replied_user: false } } : {}),
  }
  const uploads = attachments.map(uploadOf)
  return toTest(world, sendMessage(world, { channelId: channel.id, authorId: userId, body, uploads }))
}

const uploadOf = ({ name, content, contentType }: File, at: number): Upload => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { at, name, bytes, contentType }
}

type Invoking = { userId: Snowflake; channel: Channel; path: string; values: OptionValues; focused?: string }

const invoke = (world: World, invoking: Invoking, kind: 2 | 4): StoredInteraction => {
  const { userId, channel } = invoking
  demand(world, userId, channel, 'USE_APPLICATION_COMMANDS')
  demandActive(channel)
  return begin(world, { kind, userId, channel, sourceId: null, data: invocationData(world, invoking) })
}

type Clicking = { userId: Snowflake; message: Message | Snowflake; customId: string; values: string[] | undefined }

const clicks = (world: World, { userId, message, customId, values }: Clicking): Interaction => {
  const messageId = typeof message === 'string' ? message : message.id
  const stored = world.messages.get(messageId) ?? refuse('unknownMessage')
  const channel = enter(world, userId, stored.wire.channel_id)
  if (stored.visibleTo !== null && stored.visibleTo !== userId) refuse('unknownMessage')
  demand(world, userId, channel)
  const component = flat(stored.wire.components).find((one) => one.custom_id === customId)
  if (!component) throw new Error(`there is nothing to click with the id ${customId}`)
  if (component.disabled) throw new Error(`${customId} is disabled`)
  const data = { custom_id: customId, component_type: component.type, ...picked(component, values) }
  return handleOf(world, begin(world, { kind: 3, userId, channel, sourceId: messageId, data }))
}

const picked = ({ type, custom_id, options }: Component, values: string[] = []): { values?: string[] } => {
  if (type === 2) return {}
  const unknown = values.find((value) => options && !options.some((option) => option.value === value))
  if (unknown) throw new Error(`${custom_id} has no option ${unknown}`)
  return { values }
}

const submits = (world: World, userId: Snowflake, { id }: Interaction, values: Record<string, string>): Interaction => {
  const opened = world.interactions.get(id)
  if (!opened?.modal || opened.userId !== userId) throw new Error('there is no modal to send')
  const { custom_id, components } = opened.modal
  const filled = (one: Component): object => {
    const { type, id: number, components: inside, component, custom_id: name } = one
    if (inside) return { type, id: number, components: inside.map(filled) }
    if (component) return { type, id: number, component: filled(component) }
    return { type, id: number, custom_id: name, value: values[name ?? ''] ?? one.value ?? '' }
  }
  const data = { custom_id, components: components.map(filled) }
  const { sourceId } = opened
  return handleOf(world, begin(world, { kind: 5, userId, channel: channelOf(world, opened.channelId), sourceId, data }))
}

type Beginning = {
  kind: InteractionKind
  userId: Snowflake
  channel: Channel
  sourceId: Snowflake | null
  data: unknown
}

/** An interaction begins, and the bot is told. */
const begin = (world: World, { kind, userId, channel, sourceId, data }: Beginning): StoredInteraction => {
  const found = openInteraction(world, { kind, userId, channelId: channel.id, sourceId })
  const source = world.messages.get(sourceId ?? '')
  world.tell({
    name: 'INTERACTION_CREATE',
    intents: 0,
    data: {
      id: found.id,
      application_id: world.applicationId,
      type: kind,
      token: found.token,
      version: 1,
      data,
      channel_id: channel.id,
      channel: { ...channel, permissions: String(permissionsIn(world, userId, channel)) },
      ...whoAndWhere(world, userId, channel),
      authorizing_integration_owners: ownersIn(channel),
      ...(source ? { message: toGateway(world, source, true) } : {}),
      app_permissions: String(permissionsIn(world, world.bot.id, channel)),
      locale: 'en-US',
      entitlements: [],
      attachment_size_limit: world.limits.fileBytes,
    },
  })
  return found
}

const whoAndWhere = (world: World, userId: Snowflake, channel: Channel): object => {
  const guild = world.guilds.get(channel.guild_id ?? '')
  const member = guild?.members.get(userId)
  if (!guild || !member) {
    return { user: world.users.get(userId), context: 1 }
  }
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
    member: { ...member, permissions: String(permissionsIn(world, userId, channel)) },
    context: 0,
  }
}

/** What is suggested; nothing where the bot is too late, as somebody who types would see it. */
const completed = async (world: World, found: StoredInteraction): Promise<Choice[]> => {
  while (found.choices === null) {
    if (isLate(world, found)) throw new Error('nothing was suggested in time')
    await setTimeout(5)
  }
  return found.choices
}

const tellTyping = (world: World, userId: Snowflake, channel: Channel): void => {
  const { id, guild_id } = channel
  const timestamp = Math.floor(world.now() / 1000)
  const data = { channel_id: id, user_id: userId, timestamp, ...(guild_id ? { guild_id } : {}) }
  const intents = guild_id ? INTENTS.typing : INTENTS.directTyping
  world.tell({ name: 'TYPING_START', intents, channelId: id, data })
}

/** What a test names a thread by has to be one. */
export const threadOf = (world: World, id: Snowflake): Channel => {
  const channel = channelOf(world, id)
  return isThread(channel) ? channel : refuse('wrongChannelType')
}
