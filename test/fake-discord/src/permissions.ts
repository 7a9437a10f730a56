import { bitsOf, PERMISSIONS, type PermissionName } from './permission-names.ts'
import { refuse } from './refusal.ts'
import type { StoredGuild, World } from './state.ts'
import type { Channel, Member, Overwrite, Snowflake } from './wire.ts'

const EVERYTHING = Object.values(PERMISSIONS).reduce((bits, bit) => bits | bit, 0n)

/** What one may in a conversation of two. */
const IN_DM = bitsOf([
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_MESSAGES_IN_THREADS',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'ADD_REACTIONS',
  'MENTION_EVERYONE',
  'USE_EXTERNAL_EMOJIS',
  'USE_APPLICATION_COMMANDS',
])

/** What somebody may in a guild, wherever no channel says otherwise. */
export const permissionsInGuild = (guild: StoredGuild, userId: Snowflake): bigint => {
  const member = guild.members.get(userId)
  if (!member) return 0n
  if (guild.ownerId === userId) return EVERYTHING
  const bits = [guild.id, ...member.roles].reduce(
    (sum, role) => sum | BigInt(guild.roles.get(role)?.permissions ?? 0),
    0n,
  )
  return bits & PERMISSIONS.ADMINISTRATOR ? EVERYTHING : bits
}

/** What somebody may in a channel. */
export const permissionsIn = (world: World, userId: Snowflake, channel: Channel): bigint => {
  const guild = world.guilds.get(channel.guild_id ?? '')
  if (guild) return inGuildChannel(world, guild, userId, channel)
  return userId === world.bot.id || channel.recipients?.some(({ id }) => id === userId) ? IN_DM : 0n
}

/** By role, then by what the channel denies and allows, the most special last. */
const inGuildChannel = (world: World, guild: StoredGuild, userId: Snowflake, channel: Channel): bigint => {
  const base = permissionsInGuild(guild, userId)
  const member = guild.members.get(userId)
  if (!member || base & PERMISSIONS.ADMINISTRATOR) return base
  const own = isThread(channel) ? world.channels.get(channel.parent_id ?? '') : channel
  const bits = overwritten(base, own?.permission_overwrites ?? [], { guildId: guild.id, member })
  const sees = bits & PERMISSIONS.VIEW_CHANNEL && seesThread(world, userId, channel, bits)
  if (!sees) return 0n
  const speaks = isThread(channel) ? PERMISSIONS.SEND_MESSAGES_IN_THREADS : PERMISSIONS.SEND_MESSAGES
  return bits & speaks ? bits : bits & ~WITH_SPEECH
}

/** A private thread is for those in it, and for whoever looks after threads. */
const seesThread = (world: World, userId: Snowflake, channel: Channel, bits: bigint): boolean =>
  channel.type !== 12 || isInThread(world, userId, channel) || (bits & PERMISSIONS.MANAGE_THREADS) !== 0n

/** Whoever cannot speak can do none of these, either. */
const WITH_SPEECH = bitsOf(['MENTION_EVERYONE', 'SEND_TTS_MESSAGES', 'ATTACH_FILES', 'EMBED_LINKS'])

export const may = (world: World, userId: Snowflake, channel: Channel, ...names: PermissionName[]): boolean => {
  const wanted = bitsOf(names)
  return (permissionsIn(world, userId, channel) & wanted) === wanted
}

/** Refuses whoever may not: 50001 where they cannot even look, 50013 where they can. */
export const demand = (world: World, userId: Snowflake, channel: Channel, ...names: PermissionName[]): void => {
  if (!may(world, userId, channel, 'VIEW_CHANNEL')) refuse('missingAccess')
  if (!may(world, userId, channel, ...names)) refuse('missingPermissions')
}

export const isThread = (channel: Channel): boolean => channel.thread_metadata !== undefined

export const isInThread = (world: World, userId: Snowflake, thread: Channel): boolean =>
  world.threadMembers.get(thread.id)?.has(userId) ?? false

const overwritten = (
  base: bigint,
  overwrites: readonly Overwrite[],
  { guildId, member }: { guildId: Snowflake; member: Member },
): bigint => {
  const forEveryone = overwrites.filter(({ id }) => id === guildId)
  const forRoles = overwrites.filter(({ id, type }) => type === 0 && member.roles.includes(id))
  const forMember = overwrites.filter(({ id, type }) => type === 1 && id === member.user.id)
  return [forEveryone, forRoles, forMember].reduce((bits, step) => {
    const denied = step.reduce((sum, { deny }) => sum | BigInt(deny), 0n)
    const allowed = step.reduce((sum, { allow }) => sum | BigInt(allow), 0n)
    return (bits & ~denied) | allowed
  }, base)
}
