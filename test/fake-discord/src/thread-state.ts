import { isInThread, isThread, may } from './permissions.ts'
import { refuse } from './refusal.ts'
import { INTENTS, isoTime, type World } from './state.ts'
import type { Channel, Snowflake, ThreadMember, ThreadMetadata } from './wire.ts'

/** Nothing in an archived thread can be changed: messages, reactions, who is in it. */
export const demandActive = (channel: Channel): void => {
  if (channel.thread_metadata?.archived) refuse('threadArchived')
}

/** A message brings an archived thread back, unless it is locked and the author is nobody who looks after threads. */
export const openForMessage = (world: World, userId: Snowflake, channel: Channel): void => {
  const state = channel.thread_metadata
  if (!state) return
  if (state.locked && !may(world, userId, channel, 'MANAGE_THREADS')) refuse('threadLocked')
  if (state.archived) setThread(world, channel, { archived: false })
  joinThread(world, userId, channel)
}

/** Changes what a thread is, and says so. */
export const setThread = (world: World, thread: Channel, change: Partial<ThreadMetadata>): void => {
  if (!thread.thread_metadata) refuse('wrongChannelType')
  Object.assign(thread.thread_metadata ?? {}, change)
  if (change.archived !== undefined || change.auto_archive_duration !== undefined) {
    Object.assign(thread.thread_metadata ?? {}, { archive_timestamp: isoTime(world.now()) })
  }
  tellThread(world, 'THREAD_UPDATE', thread)
}

export const tellThread = (world: World, name: string, thread: Channel, more: object = {}): void =>
  world.tell({ name, intents: INTENTS.guilds, channelId: thread.id, data: { ...toBotThread(world, thread), ...more } })

/** A thread as the bot sees it, with its own membership. */
export const toBotThread = (world: World, thread: Channel): Channel => {
  const member = world.threadMembers.get(thread.id)?.get(world.bot.id)
  return { ...thread, ...(member ? { member } : {}) }
}

export const membersOf = (world: World, thread: Channel): ThreadMember[] => [
  ...(world.threadMembers.get(thread.id)?.values() ?? []),
]

export const joinThread = (world: World, userId: Snowflake, thread: Channel): void => {
  if (!isThread(thread)) refuse('wrongChannelType')
  if (isInThread(world, userId, thread)) return
  const member = { id: thread.id, user_id: userId, join_timestamp: isoTime(world.now()), flags: 1 }
  const members = world.threadMembers.get(thread.id) ?? new Map<Snowflake, ThreadMember>()
  world.threadMembers.set(thread.id, members.set(userId, member))
  tellMembers(world, thread, { userId, added_members: [member], removed_member_ids: [] })
}

export const leaveThread = (world: World, userId: Snowflake, thread: Channel): void => {
  if (!isThread(thread)) refuse('wrongChannelType')
  if (!world.threadMembers.get(thread.id)?.delete(userId)) refuse('unknownMember')
  tellMembers(world, thread, { userId, added_members: [], removed_member_ids: [userId] })
}

type MemberChange = { userId: Snowflake; added_members: ThreadMember[]; removed_member_ids: Snowflake[] }

const tellMembers = (world: World, thread: Channel, { userId, ...change }: MemberChange): void => {
  thread.member_count = Math.min(50, membersOf(world, thread).length)
  const { guild_id, member_count } = thread
  // Of itself the bot is told with the intent for guilds alone; of others, with the one for members.
  const intents = userId === world.bot.id ? INTENTS.guilds : INTENTS.members
  const data = { id: thread.id, guild_id, member_count, ...change }
  world.tell({ name: 'THREAD_MEMBERS_UPDATE', intents, channelId: thread.id, data })
}

/** Threads that nobody wrote in for as long as they are set to are archived. */
export const archiveIdle = (world: World): void => {
  for (const thread of world.channels.values()) {
    const state = thread.thread_metadata
    if (!state || state.archived) continue
    const newest = Math.max(Date.parse(state.archive_timestamp), timeOf(thread.last_message_id ?? thread.id))
    if (world.now() - newest > state.auto_archive_duration * 60_000) setThread(world, thread, { archived: true })
  }
}

const timeOf = (id: Snowflake): number => Number(BigInt(id) >> 22n) + 1_420_070_400_000
