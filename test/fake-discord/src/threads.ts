import { channelOf, messageIn } from './channels.ts'
import { boolean, integer, object, oneOf, optional, read, text } from './form.ts'
import { FLAGS } from './message-form.ts'
import { demand, isThread, may } from './permissions.ts'
import { refuse } from './refusal.ts'
import { INTENTS, isoTime, type StoredMessage, type World } from './state.ts'
import { joinThread, setThread, tellThread, toBotThread } from './thread-state.ts'
import type { Channel, Snowflake, ThreadMember, ThreadMetadata } from './wire.ts'
import { referenceTo, tellMessage, writeMessage } from './writing.ts'

const PRIVATE = 12
const DURATIONS = [60, 1440, 4320, 10_080]

const name = text({ min: 1, max: 100 })

const threadForm = object({
  name,
  auto_archive_duration: optional(oneOf(DURATIONS)),
  rate_limit_per_user: optional(integer({ min: 0, max: 21_600 })),
  type: optional(oneOf([10, 11, PRIVATE])),
  invitable: optional(boolean),
})

type ThreadForm = { name: string; auto_archive_duration?: number; rate_limit_per_user?: number; type?: number }

export type Starting = { channelId: Snowflake; userId: Snowflake; messageId?: Snowflake; body: unknown }

/** Starts a thread: from a message, whose id it then has, or by itself. */
export const startThread = (world: World, { channelId, userId, messageId, body }: Starting): Channel => {
  const parent = channelOf(world, channelId)
  if (parent.type !== 0 && parent.type !== 5) refuse('wrongChannelType')
  demand(world, userId, parent)
  const source = messageId === undefined ? null : messageIn(world, channelId, messageId)
  const form = read<ThreadForm>(threadForm, body)
  // By itself a thread is private unless the form says something else: so it was when threads were new.
  const type = source ? 11 : (form.type ?? PRIVATE)
  demand(world, userId, parent, type === PRIVATE ? 'CREATE_PRIVATE_THREADS' : 'CREATE_PUBLIC_THREADS')
  if (source && world.channels.has(source.wire.id)) refuse('threadExists')
  const thread = createThread(world, { parent, userId, form, type, id: source?.wire.id ?? world.nextId() })
  if (source) begin(world, thread, source, userId)
  else if (type !== PRIVATE) announce(world, thread, parent, userId)
  return thread
}

/** Changes a channel or a thread. */
export const changeChannel = (world: World, channelId: Snowflake, userId: Snowflake, body: unknown): Channel => {
  const channel = channelOf(world, channelId)
  if (channel.type === 1) refuse('wrongChannelType')
  return isThread(channel) ? changeThread(world, channel, userId, body) : changeOther(world, channel, userId, body)
}

/** Deletes a channel, with its threads and all that was said. */
export const removeChannel = (world: World, channel: Channel): void => {
  for (const thread of threadsOf(world, channel.id)) removeChannel(world, thread)
  const { id, guild_id, parent_id, type } = channel
  const data = isThread(channel) ? { id, guild_id, parent_id, type } : channel
  world.tell({
    name: isThread(channel) ? 'THREAD_DELETE' : 'CHANNEL_DELETE',
    intents: INTENTS.guilds,
    channelId: id,
    data,
  })
  for (const stored of [...world.messages.values()]) {
    if (stored.wire.channel_id === id) world.messages.delete(stored.wire.id)
  }
  world.channels.delete(id)
  world.threadMembers.delete(id)
}

export const deleteChannel = (world: World, channelId: Snowflake, userId: Snowflake): Channel => {
  const channel = channelOf(world, channelId)
  if (channel.type === 1) return channel
  demand(world, userId, channel, isThread(channel) ? 'MANAGE_THREADS' : 'MANAGE_CHANNELS')
  removeChannel(world, channel)
  return channel
}

export type ThreadList = { threads: Channel[]; members: ThreadMember[] }

/** The threads that the bot can see and that are active: of a guild, or of one of its channels. */
export const activeThreads = (world: World, { guildId, parentId }: { guildId: Snowflake; parentId?: Snowflake }) =>
  listed(
    world,
    [...world.channels.values()].filter(
      ({ guild_id, parent_id, thread_metadata }) =>
        guild_id === guildId && (parentId ?? parent_id) === parent_id && thread_metadata?.archived === false,
    ),
  )

export const archivedThreads = (world: World, channelId: Snowflake, kind: string): ThreadList => {
  const parent = channelOf(world, channelId)
  demand(world, world.bot.id, parent, 'READ_MESSAGE_HISTORY')
  if (kind === 'private') demand(world, world.bot.id, parent, 'MANAGE_THREADS')
  return listed(
    world,
    threadsOf(world, channelId).filter(
      ({ type, thread_metadata }) => thread_metadata?.archived && (type === PRIVATE) === (kind === 'private'),
    ),
  )
}

const threadsOf = (world: World, parentId: Snowflake): Channel[] =>
  [...world.channels.values()].filter((channel) => isThread(channel) && channel.parent_id === parentId)

const listed = (world: World, threads: Channel[]): ThreadList => {
  const seen = threads.filter((thread) => may(world, world.bot.id, thread, 'VIEW_CHANNEL'))
  return {
    threads: seen.map((thread) => toBotThread(world, thread)),
    members: seen.flatMap((thread) => world.threadMembers.get(thread.id)?.get(world.bot.id) ?? []),
  }
}

type Creating = { parent: Channel; userId: Snowflake; form: ThreadForm; type: number; id: Snowflake }

const createThread = (world: World, { parent, userId, form, type, id }: Creating): Channel => {
  const now = isoTime(world.now())
  const thread: Channel = {
    id,
    type,
    name: form.name,
    ...(parent.guild_id === undefined ? {} : { guild_id: parent.guild_id }),
    parent_id: parent.id,
    owner_id: userId,
    rate_limit_per_user: form.rate_limit_per_user ?? 0,
    last_message_id: null,
    message_count: 0,
    total_message_sent: 0,
    member_count: 1,
    thread_metadata: {
      archived: false,
      auto_archive_duration: form.auto_archive_duration ?? 4320,
      archive_timestamp: now,
      locked: false,
      create_timestamp: now,
    },
  }
  world.channels.set(id, thread)
  const member = { id, user_id: userId, join_timestamp: now, flags: 1 }
  world.threadMembers.set(id, new Map([[userId, member]]))
  tellThread(world, 'THREAD_CREATE', thread, { newly_created: true })
  return thread
}

/** The message has a thread now, and the thread begins with a word on where it comes from. */
const begin = (world: World, thread: Channel, source: StoredMessage, userId: Snowflake): void => {
  source.wire.flags |= FLAGS.hasThread
  tellMessage(world, 'MESSAGE_UPDATE', source)
  const more = { type: 21, message_reference: referenceTo(source) }
  writeMessage(world, { ...bare(thread, userId), more })
}

const announce = (world: World, thread: Channel, parent: Channel, userId: Snowflake): void => {
  const { guild_id } = thread
  const reference = { channel_id: thread.id, ...(guild_id === undefined ? {} : { guild_id }) }
  const form = { content: thread.name, allowed_mentions: { parse: [] } }
  writeMessage(world, { ...bare(parent, userId), form, more: { type: 18, message_reference: reference } })
}

const bare = (channel: Channel, authorId: Snowflake) => ({
  channel,
  authorId,
  form: {},
  uploads: [],
  defaults: 'message' as const,
  flags: 0,
})

const changeForm = object({
  name: optional(name),
  archived: optional(boolean),
  locked: optional(boolean),
  auto_archive_duration: optional(oneOf(DURATIONS)),
  rate_limit_per_user: optional(integer({ min: 0, max: 21_600 })),
})

type ChangeForm = Partial<Pick<ThreadMetadata, 'archived' | 'locked' | 'auto_archive_duration'>> & {
  name?: string
  rate_limit_per_user?: number
}

const changeThread = (world: World, thread: Channel, userId: Snowflake, body: unknown): Channel => {
  demand(world, userId, thread)
  const form = read<ChangeForm>(changeForm, body)
  demandChange(world, thread, userId, form)
  const { name: renamed, rate_limit_per_user, ...metadata } = form
  const { archived, locked, auto_archive_duration } = metadata
  if (renamed !== undefined) thread.name = renamed
  if (rate_limit_per_user !== undefined) thread.rate_limit_per_user = rate_limit_per_user
  setThread(world, thread, {
    ...(archived === undefined ? {} : { archived }),
    ...(locked === undefined ? {} : { locked }),
    ...(auto_archive_duration === undefined ? {} : { auto_archive_duration }),
  })
  if (archived === false) joinThread(world, userId, thread)
  return thread
}

/** An archived thread can be brought back, and nothing else; locking and pacing is for those who look after threads. */
const demandChange = (world: World, thread: Channel, userId: Snowflake, form: ChangeForm): void => {
  const state = thread.thread_metadata
  const looksAfter = may(world, userId, thread, 'MANAGE_THREADS')
  const isOwner = thread.owner_id === userId
  if (form.locked !== undefined || form.rate_limit_per_user !== undefined)
    demand(world, userId, thread, 'MANAGE_THREADS')
  const opens = form.archived === false
  if (state?.archived && !opens && !(looksAfter && form.locked !== undefined)) refuse('threadArchived')
  if (state?.locked && !looksAfter && !isOwner) refuse('threadLocked')
  const onlyOpens = opens && Object.keys(form).length === 1
  if (!onlyOpens && !looksAfter && !isOwner) refuse('missingPermissions')
  if (onlyOpens && !looksAfter) demand(world, userId, thread, 'SEND_MESSAGES_IN_THREADS')
}

const otherForm = object({ name: optional(name), topic: optional(text({ max: 1024 })) })

const changeOther = (world: World, channel: Channel, userId: Snowflake, body: unknown): Channel => {
  demand(world, userId, channel, 'MANAGE_CHANNELS')
  const { name: renamed, topic } = read<{ name?: string; topic?: string | null }>(otherForm, body)
  if (renamed !== undefined) channel.name = renamed
  if (topic !== undefined) channel.topic = topic
  world.tell({ name: 'CHANNEL_UPDATE', intents: INTENTS.guilds, data: channel })
  return channel
}
