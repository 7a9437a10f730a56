import type { File, OptionValues } from './api.ts'
import { attach } from './attachments.ts'
import { CHAT_INPUT, SUBCOMMAND, SUBCOMMAND_GROUP } from './command-form.ts'
import { commandsIn } from './commands.ts'
import { lengthOf } from './form.ts'
import { permissionsIn } from './permissions.ts'
import type { World } from './state.ts'
import type { ApplicationCommand, Attachment, Channel, CommandOption, Snowflake } from './wire.ts'

/** What somebody typed into the line of a command, as the client of Discord sends it. It lets nobody send what is wrong. */

export type Invocation = { channel: Channel; userId: Snowflake; path: string; values: OptionValues; focused?: string }

type SentOption = { name: string; type: number; value?: unknown; focused?: true; options?: SentOption[] }

export const invocationData = (world: World, invocation: Invocation) => {
  const [name = '', ...branch] = invocation.path.split(' ')
  const command = findCommand(world, invocation, name)
  const resolved: Resolved = {}
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    options: sentOptions(world, { ...invocation, branch, declared: command.options ?? [], resolved }),
    resolved,
  }
}

const findCommand = (world: World, { channel, userId }: Invocation, name: string): ApplicationCommand => {
  const isDm = channel.guild_id === undefined
  const all = [...commandsIn(world, channel.guild_id ?? ''), ...commandsIn(world, '')]
  const found = all.find((one) => one.name === name && one.type === CHAT_INPUT)
  if (!found) throw new Error(`there is no command /${name}`)
  if (isDm && (found.contexts ? !found.contexts.includes(1) : found.dm_permission === false)) {
    throw new Error(`/${name} is not for direct messages`)
  }
  const needed = BigInt(found.default_member_permissions ?? 0)
  const held = permissionsIn(world, userId, channel)
  const closed = found.default_member_permissions === '0' && !(held & 8n)
  if (!isDm && (closed || (held & needed) !== needed)) throw new Error(`/${name} is not shown to this person`)
  return found
}

type Filling = Invocation & { branch: string[]; declared: CommandOption[]; resolved: Resolved }

const sentOptions = (world: World, filling: Filling): SentOption[] => {
  const { branch, declared, path } = filling
  const [next, ...rest] = branch
  const found = declared.find(({ name, type }) => name === next && type <= SUBCOMMAND_GROUP)
  if (next !== undefined && !found) throw new Error(`/${path} has no subcommand ${next}`)
  if (found) {
    const options = sentOptions(world, { ...filling, branch: rest, declared: found.options ?? [] })
    return [{ name: found.name, type: found.type, options }]
  }
  if (declared.some(({ type }) => type === SUBCOMMAND || type === SUBCOMMAND_GROUP)) {
    throw new Error(`/${path} needs a subcommand`)
  }
  return filledOptions(world, filling)
}

const filledOptions = (world: World, filling: Filling): SentOption[] => {
  const { declared, values, focused, path } = filling
  const unknown = Object.keys(values).find((name) => !declared.some((one) => one.name === name))
  if (unknown) throw new Error(`/${path} has no option ${unknown}`)
  const missing = declared.find(({ name, required }) => required && values[name] === undefined)
  if (missing && focused === undefined) throw new Error(`/${path} needs the option ${missing.name}`)
  if (focused !== undefined && !declared.find(({ name }) => name === focused)?.autocomplete) {
    throw new Error(`/${path} does not complete ${focused}`)
  }
  return declared.flatMap((option) => {
    const isFocused = option.name === focused
    const given = values[option.name] ?? (isFocused ? '' : undefined)
    if (given === undefined) return []
    const value = isFocused ? String(given) : sentValue(world, filling, option, given)
    return [{ name: option.name, type: option.type, value, ...(isFocused ? { focused: true as const } : {}) }]
  })
}

type Value = OptionValues[string]

const sentValue = (world: World, filling: Filling, option: CommandOption, given: Value): unknown => {
  const { name, type, choices } = option
  const wrong = () => new Error(`/${filling.path} does not take ${JSON.stringify(given)} for ${name}`)
  const kind = KINDS[type] ?? 'string'
  if (type === 11) return sentFile(world, filling, given as File)
  if (typeof given !== kind || (type === 4 && !Number.isInteger(given))) throw wrong()
  if (choices?.length && !choices.some(({ value }) => value === given)) throw wrong()
  if (!isWithin(option, given)) throw wrong()
  if (type >= 6 && type <= 9) resolve(world, filling, type, String(given))
  return given
}

const KINDS: Record<number, string> = { 4: 'number', 5: 'boolean', 10: 'number' }

const isWithin = (option: CommandOption, given: Value): boolean => {
  const { min_value = Number.NEGATIVE_INFINITY, max_value = Number.POSITIVE_INFINITY } = option
  const { min_length = 0, max_length = 6000 } = option
  if (typeof given === 'number') return given >= min_value && given <= max_value
  if (typeof given !== 'string') return true
  return lengthOf(given) >= min_length && lengthOf(given) <= max_length
}

type Resolved = Partial<Record<'users' | 'members' | 'roles' | 'channels' | 'attachments', Record<Snowflake, unknown>>>

/** What an id stands for goes along with it. */
const resolve = (world: World, filling: Filling, type: number, id: Snowflake): void => {
  const found = {
    ...(type === 7 ? placeOf(world, id) : {}),
    ...(type === 6 || type === 9 ? userOf(world, filling, id) : {}),
  }
  const all = { ...found, ...(type === 8 || type === 9 ? roleOf(world, filling, id) : {}) }
  if (Object.keys(all).length === 0) throw new Error(`/${filling.path} was given ${id}, which is nothing`)
  for (const [kind, value] of Object.entries(all) as [keyof Resolved, unknown][]) {
    filling.resolved[kind] = { ...filling.resolved[kind], [id]: value }
  }
}

const placeOf = (world: World, id: Snowflake): { channels?: unknown } => {
  const channel = world.channels.get(id)
  return channel ? { channels: { ...channel, permissions: '0' } } : {}
}

const userOf = (world: World, { channel }: Filling, id: Snowflake): { users?: unknown; members?: unknown } => {
  const user = world.users.get(id)
  const member = world.guilds.get(channel.guild_id ?? '')?.members.get(id)
  if (!user) return {}
  return { users: user, ...(member ? { members: { ...member, user: undefined, permissions: '0' } } : {}) }
}

const roleOf = (world: World, { channel }: Filling, id: Snowflake): { roles?: unknown } => {
  const role = world.guilds.get(channel.guild_id ?? '')?.roles.get(id)
  return role ? { roles: role } : {}
}

const sentFile = (world: World, { channel, resolved }: Filling, { name, content, contentType }: File): Snowflake => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const uploads = [{ at: 0, name, bytes, contentType }]
  const [attachment] = attach(world, { channelId: channel.id, form: {}, uploads }) as [Attachment]
  resolved.attachments = { ...resolved.attachments, [attachment.id]: { ...attachment, ephemeral: true } }
  return attachment.id
}
