import {
  type APIChannel,
  type APIRole,
  ChannelType,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
  GatewayDispatchEvents as Happened,
  type REST,
  Routes,
} from 'discord.js'
import { CODES, codeOf } from './failures.ts'

/** A channel or a thread, as far as it matters here. */
export type DiscordPlace = { id: string; name: string; guild: string | null; parent: string | null; thread: boolean }

export type Places = ReturnType<typeof createPlaces>

type Known = { id: string; type: ChannelType; name?: string | null; guild_id?: string; parent_id?: string | null }

/** The servers, channels, threads and roles that the gateway tells of: names for what is only a number in a message. */
export const createPlaces = (rest: REST) => {
  const places = new Map<string, DiscordPlace>()
  const roles = new Map<string, APIRole>()
  const unknown = new Set<string>()

  const keep = (channel: Known, guild = channel.guild_id ?? null): DiscordPlace => {
    const { id, type, name, parent_id } = channel
    const place = { id, name: name ?? id, guild, parent: parent_id ?? null, thread: THREADS.has(type) }
    places.set(id, place)
    unknown.delete(id)
    return place
  }
  const enter = ({ id, channels, threads, roles: given }: Partial<GatewayGuildCreateDispatchData>): void => {
    for (const channel of [...(channels ?? []), ...(threads ?? [])]) keep(channel as Known, id)
    for (const role of given ?? []) roles.set(role.id, role)
  }
  const forget = ({ t, d }: GatewayDispatchPayload): void => {
    if (t === Happened.GuildRoleDelete) roles.delete(d.role_id)
    else if (t === Happened.ChannelDelete || t === Happened.ThreadDelete) places.delete(d.id)
    // Where something is heard, we see by now.
    else if (t === Happened.MessageCreate) unknown.delete(d.channel_id)
  }

  return {
    known: (id: string): DiscordPlace | null => places.get(id) ?? null,
    /** A place by its number, asked for once where nothing was told of it. */
    find: async (id: string): Promise<DiscordPlace | null> => {
      const known = places.get(id)
      if (known || unknown.has(id)) return known ?? null
      try {
        return keep((await rest.get(Routes.channel(id))) as APIChannel as Known)
      } catch (problem) {
        if (UNSEEN.has(codeOf(problem) ?? 0)) unknown.add(id)
        return null
      }
    },
    role: (id: string): APIRole | null => roles.get(id) ?? null,
    learn: (payload: GatewayDispatchPayload): void => {
      const { t, d } = payload
      if (t === Happened.GuildCreate) enter(d)
      else if (t === Happened.ThreadListSync) enter({ id: d.guild_id, threads: d.threads })
      else if (t === Happened.GuildRoleCreate || t === Happened.GuildRoleUpdate) roles.set(d.role.id, d.role)
      else if (CHANNELS.has(t)) keep(d as Known)
      else forget(payload)
    },
  }
}

const UNSEEN: ReadonlySet<number> = new Set([CODES.unknownChannel, CODES.missingAccess])

const THREADS: ReadonlySet<ChannelType> = new Set([
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
])

const CHANNELS: ReadonlySet<string> = new Set([
  Happened.ChannelCreate,
  Happened.ChannelUpdate,
  Happened.ThreadCreate,
  Happened.ThreadUpdate,
])
