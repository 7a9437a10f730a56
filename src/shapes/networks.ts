import { z } from 'zod'
import { Variable } from './agent.ts'
import { ChannelName, Identity } from './network.ts'
import { Role } from './person.ts'
import { Name } from './room.ts'

/** Which channel leads to which room. A room has one channel on a network at most. */
const Channels = z
  .record(ChannelName, Name)
  .refine((channels) => Object.keys(channels).length > 0, 'expected a channel and its room, such as "#team": lobby')

const common = {
  channels: Channels,
  /** What everybody may do whom the network knows; null: they talk, until they have a role of their own. */
  role: Role.nullable().default(null),
  /** Other bots that may give work, by their accounts. */
  bots: z.array(z.string().min(1).max(64)).default([]),
}

const Nick = z.string().regex(/^[A-Za-z[\]\\`_^{|}][A-Za-z0-9[\]\\`_^{|}-]{0,29}$/, 'expected a nick such as "bellhop"')
const File = z.string().min(1)

export const IrcConfig = z.strictObject({
  kind: z.literal('irc'),
  host: z.string().min(1),
  port: z.int().min(1).max(65535).default(6697),
  tls: z.boolean().default(true),
  /** A file with the certificate of the server, or of who signed it, where it is not one that everybody knows. */
  ca: File.optional(),
  /** A file with a certificate of our own and its key, for SASL EXTERNAL. */
  certificate: File.optional(),
  /** The variable with the password of the server. */
  password: Variable.optional(),
  nick: Nick.default('bellhop'),
  /** One nick for everybody, or besides it one for each agent, which says what that agent says. */
  nicks: z.enum(['one', 'each']).default('one'),
  realname: z.string().max(100).default('Bellhop, a bot'),
  /** The account to sign in to, and the variable with its password. */
  account: Nick.optional(),
  secret: Variable.optional(),
  /** auto: what the server offers of EXTERNAL and PLAIN, and NickServ where it offers neither. */
  sasl: z.enum(['auto', 'plain', 'external', 'never']).default('auto'),
  /** Accounts for the nicks of agents. */
  agents: z
    .record(Name, z.strictObject({ nick: Nick.optional(), account: Nick.optional(), secret: Variable.optional() }))
    .default({}),
  /** The keys of channels that have one: the variables they are in. */
  keys: z.record(ChannelName, Variable).default({}),
  /** How many lines of an answer are said before `!more`. */
  lines: z.int().min(1).max(50).default(5),
  /** How fast it speaks: lines at once, and then so many in a second. */
  flood: z
    .strictObject({ burst: z.int().min(1).max(50), perSecond: z.number().positive().max(50) })
    .default({ burst: 4, perSecond: 0.9 }),
  ...common,
})
export type IrcConfig = z.infer<typeof IrcConfig>

const Snowflake = z.string().regex(/^\d{15,20}$/, 'expected the number of it, such as "1234567890123456789"')

/** Whether a name is that of a channel on a network of a kind: on IRC, others are people. */
export const isChannelOf = (kind: 'irc' | 'discord', channel: string): boolean =>
  kind === 'irc' ? /^[#&+!]/.test(channel) : Snowflake.safeParse(channel).success

export const DiscordConfig = z.strictObject({
  kind: z.literal('discord'),
  /** The variable with the bot's token. */
  token: Variable,
  /** Whether the bot has the message-content intent; without it, it hears commands and lines that mention it. */
  content: z.boolean().default(true),
  /** What the roles of the server give, by their numbers. */
  groups: z.record(Snowflake, Role).default({}),
  /** Where Discord is, where it is not Discord. */
  api: z.url({ protocol: /^https?$/ }).optional(),
  ...common,
  channels: Channels.refine(
    (channels) => Object.keys(channels).every((id) => isChannelOf('discord', id)),
    'expected channels by their numbers, such as "1234567890123456789": lobby',
  ),
})
export type DiscordConfig = z.infer<typeof DiscordConfig>

export const NetworkConfig = z.discriminatedUnion('kind', [IrcConfig, DiscordConfig])
export type NetworkConfig = z.infer<typeof NetworkConfig>

export const Networks = z.record(Name, NetworkConfig)

/** A person of the config: what they may do, everywhere and by room or network, and the accounts that are theirs. */
const PersonConfig = z.strictObject({
  role: Role.optional(),
  roles: z.record(Name, Role).default({}),
  accounts: z.array(Identity).default([]),
})

/** A name without `@` and `~`: those are for whoever is only known to a network. */
const PersonName = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u, 'expected a name such as "ada"')
export const People = z.record(PersonName, PersonConfig)

/** How it stands with a network, as the process that is on it says. */
export const NetworkStanding = z.strictObject({
  network: Name,
  state: z.enum(['connecting', 'connected', 'lost', 'refused']),
  detail: z.string(),
  since: z.iso.datetime(),
})
export type NetworkStanding = z.infer<typeof NetworkStanding>
