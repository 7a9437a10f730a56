import type { ChannelOptions, Guild, GuildOptions, Person } from './api.ts'
import { channelOf, userOf } from './channels.ts'
import { bitsOf, DEFAULT_PERMISSIONS, PERMISSIONS, type PermissionName } from './permission-names.ts'
import { isThread, may } from './permissions.ts'
import { refuse } from './refusal.ts'
import { createUser, INTENTS, isoTime, type StoredGuild, type World } from './state.ts'
import { activeThreads } from './threads.ts'
import type { Channel, Member, Overwrite, Role, Snowflake } from './wire.ts'

const idOf = (who: Person | Snowflake): Snowflake => (typeof who === 'string' ? who : who.id)

/** Makes a guild with the bot in it. */
export const createGuild = (world: World, options: GuildOptions): Guild => {
  const { name = 'guild', permissions = DEFAULT_PERMISSIONS, botPermissions = [], channels = ['general'] } = options
  const owner = createUser(world.nextId(), 'owner', false)
  world.users.set(owner.id, owner)
  const id = world.nextId()
  const guild: StoredGuild = {
    id,
    name,
    ownerId: owner.id,
    createdAt: world.now(),
    // The role of everyone has the id of the guild.
    roles: new Map([[id, createRole(id, '@everyone', permissions)]]),
    members: new Map(),
  }
  world.guilds.set(id, guild)
  join(world, guild, owner.id)
  join(world, guild, world.bot.id)
  const botRole = { ...createRole(world.nextId(), 'bot', botPermissions), managed: true, position: 1 }
  guild.roles.set(botRole.id, botRole)
  guild.members.get(world.bot.id)?.roles.push(botRole.id)
  const [first] = channels.map((channel) => createChannel(world, guild, channel))
  world.tell({ name: 'GUILD_CREATE', intents: INTENTS.guilds, data: toGatewayGuild(world, guild) })
  return handleOf(world, guild, first?.id ?? '')
}

const handleOf = (world: World, guild: StoredGuild, channelId: Snowflake): Guild => ({
  id: guild.id,
  name: guild.name,
  channelId,
  channel: (name, options) => {
    const channel = createChannel(world, guild, name, options)
    world.tell({ name: 'CHANNEL_CREATE', intents: INTENTS.guilds, data: channel })
    return { ...channel }
  },
  role: (name, permissions = [], mentionable = false) => {
    const role = { ...createRole(world.nextId(), name, permissions), mentionable, position: guild.roles.size }
    guild.roles.set(role.id, role)
    world.tell({ name: 'GUILD_ROLE_CREATE', intents: INTENTS.guilds, data: { guild_id: guild.id, role } })
    return { ...role }
  },
  gives: (who, roleId) => changeRoles(world, guild, idOf(who), (roles) => [...new Set([...roles, roleId])]),
  takes: (who, roleId) => changeRoles(world, guild, idOf(who), (roles) => roles.filter((id) => id !== roleId)),
  members: () => structuredClone([...guild.members.values()]),
  channels: () => structuredClone(channelsOf(world, guild)),
  removesBot: () => removeBot(world, guild),
})

/** The guild of an id, as far as the bot is in it. */
export const guildOf = (world: World, id: Snowflake): StoredGuild => {
  const guild = world.guilds.get(id)
  if (!guild) return refuse('unknownGuild')
  return guild.members.has(world.bot.id) ? guild : refuse('missingAccess')
}

export const channelsOf = (world: World, guild: StoredGuild): Channel[] =>
  [...world.channels.values()].filter((channel) => channel.guild_id === guild.id && !isThread(channel))

export const join = (world: World, guild: StoredGuild, userId: Snowflake): void => {
  if (guild.members.has(userId)) return
  const member: Member = {
    user: userOf(world, userId),
    nick: null,
    roles: [],
    joined_at: isoTime(world.now()),
    deaf: false,
    mute: false,
    flags: 0,
  }
  guild.members.set(userId, member)
  world.tell({ name: 'GUILD_MEMBER_ADD', intents: INTENTS.members, data: { guild_id: guild.id, ...member } })
}

export const leave = (world: World, guild: StoredGuild, userId: Snowflake): void => {
  if (!guild.members.delete(userId)) refuse('unknownMember')
  const data = { guild_id: guild.id, user: userOf(world, userId) }
  world.tell({ name: 'GUILD_MEMBER_REMOVE', intents: INTENTS.members, data })
}

/** The bot goes, or is thrown out: to it, the guild is gone. */
export const removeBot = (world: World, guild: StoredGuild): void => {
  world.tell({ name: 'GUILD_DELETE', intents: INTENTS.guilds, data: { id: guild.id } })
  guild.members.delete(world.bot.id)
}

/** A guild as REST gives it. */
export const toGuild = (guild: StoredGuild) => ({
  id: guild.id,
  name: guild.name,
  icon: null,
  splash: null,
  banner: null,
  owner_id: guild.ownerId,
  roles: [...guild.roles.values()],
  emojis: [],
  stickers: [],
  features: [],
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  premium_tier: 0,
  premium_progress_bar_enabled: false,
  preferred_locale: 'en-US',
  vanity_url_code: null,
  description: null,
})

/** A guild as it comes with GUILD_CREATE. Of the members it has the bot alone, since it is told of no presences. */
export const toGatewayGuild = (world: World, guild: StoredGuild) => ({
  ...toGuild(guild),
  joined_at: guild.members.get(world.bot.id)?.joined_at ?? null,
  large: false,
  unavailable: false,
  member_count: guild.members.size,
  members: [guild.members.get(world.bot.id)].filter((member) => member !== undefined),
  channels: channelsOf(world, guild),
  threads: activeThreads(world, { guildId: guild.id }).threads,
  voice_states: [],
  presences: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
})

type Overwriting = { channelId: Snowflake; permission: PermissionName; who: Person | Snowflake | undefined }

/** Writes down for one person or role what a channel allows or denies. The bot is told of threads it can see now. */
export const overwrite = (world: World, { channelId, permission, who }: Overwriting, allows: boolean): void => {
  const asked = channelOf(world, channelId)
  const channel = isThread(asked) ? channelOf(world, asked.parent_id ?? '') : asked
  const saw = may(world, world.bot.id, channel, 'VIEW_CHANNEL')
  const id = who === undefined ? world.bot.id : idOf(who)
  const guild = world.guilds.get(channel.guild_id ?? '')
  const others = (channel.permission_overwrites ?? []).filter((one) => one.id !== id)
  const had = channel.permission_overwrites?.find((one) => one.id === id)
  channel.permission_overwrites = [
    ...others,
    changed(had, { id, isRole: guild?.roles.has(id) ?? false }, permission, allows),
  ]
  world.tell({ name: 'CHANNEL_UPDATE', intents: INTENTS.guilds, data: channel })
  if (!saw && may(world, world.bot.id, channel, 'VIEW_CHANNEL')) syncThreads(world, channel)
}

const changed = (
  had: Overwrite | undefined,
  { id, isRole }: { id: Snowflake; isRole: boolean },
  permission: PermissionName,
  allows: boolean,
): Overwrite => {
  const bit = PERMISSIONS[permission]
  const allow = BigInt(had?.allow ?? 0) & ~bit
  const deny = BigInt(had?.deny ?? 0) & ~bit
  return {
    id,
    type: isRole ? 0 : 1,
    allow: String(allows ? allow | bit : allow),
    deny: String(allows ? deny : deny | bit),
  }
}

const syncThreads = (world: World, channel: Channel): void => {
  const guildId = channel.guild_id ?? ''
  const data = {
    guild_id: guildId,
    channel_ids: [channel.id],
    ...activeThreads(world, { guildId, parentId: channel.id }),
  }
  world.tell({ name: 'THREAD_LIST_SYNC', intents: INTENTS.guilds, data })
}

const createRole = (id: Snowflake, name: string, permissions: PermissionName[]): Role => ({
  id,
  name,
  permissions: String(bitsOf(permissions)),
  position: 0,
  color: 0,
  hoist: false,
  managed: false,
  mentionable: false,
})

const createChannel = (world: World, guild: StoredGuild, name: string, options: ChannelOptions = {}): Channel => {
  const channel: Channel = {
    id: world.nextId(),
    type: options.type ?? 0,
    name,
    guild_id: guild.id,
    parent_id: options.parentId ?? null,
    topic: options.topic ?? null,
    position: channelsOf(world, guild).length,
    nsfw: false,
    permission_overwrites: [],
    rate_limit_per_user: 0,
    last_message_id: null,
  }
  world.channels.set(channel.id, channel)
  return channel
}

const changeRoles = (
  world: World,
  guild: StoredGuild,
  userId: Snowflake,
  change: (roles: Snowflake[]) => Snowflake[],
): void => {
  const member = guild.members.get(userId) ?? refuse('unknownMember')
  member.roles = change(member.roles)
  // Of itself the bot is told with the intent for guilds alone; of others, with the one for members.
  const intents = userId === world.bot.id ? INTENTS.guilds : INTENTS.members
  world.tell({ name: 'GUILD_MEMBER_UPDATE', intents, data: { guild_id: guild.id, ...member } })
}
