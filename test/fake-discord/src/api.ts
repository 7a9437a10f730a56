import type { PermissionName } from './permission-names.ts'
import type {
  ApplicationCommand,
  Attachment,
  Channel,
  Choice,
  Component,
  Embed,
  Member,
  Role,
  Snowflake,
  WireMessage,
} from './wire.ts'

/** How many requests, in how many milliseconds. */
export type Rate = { limit: number; perMs: number }

export type Limits = {
  /** POST of a message, for each channel. */
  messages: Rate
  /** PATCH of a message, for each channel. */
  edits: Rate
  /** DELETE of a message, for each channel. */
  deletes: Rate
  /** Reactions put and taken away, for each channel. */
  reactions: Rate
  /** A channel's name and topic: a limit inside of the limit for changing a channel, and known for its length. */
  renames: Rate
  /** Follow-ups, and edits of answers, for each interaction. */
  webhooks: Rate
  /** Every other route, by itself. */
  other: Rate
  /** All routes together, but for the answers to interactions. */
  global: Rate
  /** Answers 401, 403 and 429; after that many, every request of the address is refused. */
  invalidRequests: Rate
  /** New commands for each guild (or for all guilds together). */
  commandCreates: Rate
  /** What a client may send over one connection to the gateway. */
  gatewaySends: Rate
  /** New sessions of the gateway. */
  identifies: Rate
  /** How long to wait between two IDENTIFY; clients keep to 5 s by themselves, so that it is 0 unless it is asked for. */
  identifyEveryMs: number
  /** The size of a request, and of one file in it. */
  requestBytes: number
  fileBytes: number
  /** How many messages a channel can have pinned. */
  pins: number
  /** How long an interaction waits for its first answer. */
  interactionMs: number
  /** How long the token of an interaction is good for. */
  interactionTokenMs: number
  /** How long a nonce is remembered. */
  nonceMs: number
  /** How long a session of the gateway can be resumed after its connection is lost. */
  resumeMs: number
  /** How often the gateway wants a heartbeat, in real time. */
  heartbeatMs: number
}

export type StartOptions = {
  /** The time, in milliseconds. It has to go on by itself: `Date.now` and an offset. See `pass`, too. */
  now?: () => number
  token?: string
  /** The privileged intents that the application has been given. By default: message content, and no other. */
  intents?: { messageContent?: boolean; members?: boolean; presences?: boolean }
  limits?: Partial<Limits>
}

/** What a message said before an edit. */
export type Edit = Pick<WireMessage, 'content' | 'embeds' | 'components' | 'attachments' | 'mentions'> & { at: number }

/** A message as it is stored, and what it said before, the oldest first. */
export type Message = WireMessage & { history: Edit[]; ephemeral: boolean }

/** A file that a person attaches. */
export type File = { name: string; content: string | Uint8Array; contentType?: string }

export type SayOptions = {
  /** The message that this one replies to. */
  reply?: Snowflake
  /** Whether the reply pings whom it replies to: true, as it is in Discord unless one switches it off. */
  ping?: boolean
  attachments?: File[]
  embeds?: Embed[]
  nonce?: string | number
}

/** What became of one interaction. The values are as of now, each time they are asked for. */
export type Interaction = {
  readonly id: Snowflake
  readonly token: string
  /**
   * `pending` until it is answered or deferred; `deferred` until the answer is there; `expired` where it was not
   * answered within 3 s, or was deferred and not answered while the token was good.
   */
  readonly state: 'pending' | 'deferred' | 'answered' | 'expired'
  /** Whether its answer is for the one person alone. */
  readonly ephemeral: boolean
  /** The answer; for a click that updates, the message that was clicked. Null where there is none (yet). */
  message(): Message | null
  followUps(): Message[]
  /** The modal that it was answered with, or null. */
  modal(): Modal | null
}

export type Modal = { custom_id: string; title: string; components: Component[] }

/** Values of options by name. A user, a channel or a role is its id; an attachment is a file. */
export type OptionValues = Record<string, string | number | boolean | File>

/** Somebody at a client of Discord. What they could not do there throws, as Discord would refuse it (`Refused`) or as the client would. */
export type Person = {
  readonly id: Snowflake
  readonly name: string
  readonly mention: string
  says(channelId: Snowflake, content: string, options?: SayOptions): Message
  edits(messageId: Snowflake, content: string): Message
  deletes(messageId: Snowflake): void
  /** Pins a message, or takes the pin away: both need the permission. */
  pins(messageId: Snowflake): void
  unpins(messageId: Snowflake): void
  reacts(messageId: Snowflake, emoji: string): void
  unreacts(messageId: Snowflake, emoji: string): void
  types(channelId: Snowflake): void
  /** Runs a command by its name: `status`, or with its subcommands, `agent start`. */
  slash(channelId: Snowflake, command: string, options?: OptionValues): Interaction
  /** Clicks a button, or picks `values` in a select. */
  clicks(message: Message | Snowflake, customId: string, values?: string[]): Interaction
  /** Types into the option `focused` of a command, and waits for what is suggested. */
  completes(channelId: Snowflake, command: string, options: OptionValues, focused: string): Promise<Choice[]>
  /** Sends the modal that an interaction was answered with. */
  submits(interaction: Interaction, values: Record<string, string>): Interaction
  opensThread(channelId: Snowflake, name: string, fromMessage?: Snowflake): Channel
  joins(guildId: Snowflake): void
  leaves(guildId: Snowflake): void
  /** Opens (or finds) the conversation of this person with the bot. */
  opensDm(): Channel
  /** Takes no direct messages any more: the bot is refused with 50007. */
  closesDms(): void
}

export type GuildOptions = {
  name?: string
  /** What @everyone may. By default what a new guild of Discord gives, mentions of everyone included. */
  permissions?: PermissionName[]
  /** What the bot's own role adds to that; nothing by default. */
  botPermissions?: PermissionName[]
  /** The text channels it begins with; one called `general` by default. */
  channels?: string[]
}

export type ChannelOptions = { type?: number; topic?: string; parentId?: Snowflake }

export type Guild = {
  readonly id: Snowflake
  readonly name: string
  /** The first of the text channels. */
  readonly channelId: Snowflake
  channel(name: string, options?: ChannelOptions): Channel
  role(name: string, permissions?: PermissionName[], mentionable?: boolean): Role
  /** Gives a role to a member, or takes it away. */
  gives(who: Person | Snowflake, roleId: Snowflake): void
  takes(who: Person | Snowflake, roleId: Snowflake): void
  members(): Member[]
  channels(): Channel[]
  /** The bot is thrown out. */
  removesBot(): void
}

export type RequestRecord = {
  method: string
  /** The path without `/api/v10`, as it was asked for. */
  path: string
  /** The same with names for the ids: `/channels/:channel/messages`. */
  route: string
  query: Record<string, string>
  /** 0 where the connection was broken instead of an answer. */
  status: number
  /** The code of Discord's error, where it was one. */
  code: number | null
  /** The payload: of JSON, or `payload_json` of a form. */
  body: unknown
  files: { name: string; size: number }[]
  /** The reason for the audit log. */
  reason: string | null
  at: number
}

/** Which requests: all that is given has to fit. A text is compared with `route`, an expression with `path`. */
export type RequestMatch = { method?: string; route?: string | RegExp; body?: (body: unknown) => boolean }

/** What happens to them instead; once, unless `times` says otherwise. */
export type Failure =
  /** An answer of the servers in between; with `carriedOut`, after all that was asked for is done. */
  (
    | { status: 500 | 502 | 503 | 504; carriedOut?: boolean }
    /** The connection is broken, before it is done or after. */
    | { drop: 'before' | 'after' }
    /** It is carried out later. */
    | { delayMs: number }
    /** 429, in seconds. */
    | { retryAfter: number; scope?: 'user' | 'global' | 'shared' }
  ) & { times?: number }

export type Gateway = {
  /** Connections that are open, identified or not. */
  readonly connections: number
  /** How often somebody identified, and resumed, with success. */
  readonly identified: number
  readonly resumed: number
  /** The newest presence that the bot told of. */
  readonly presence: unknown
  /** Closes all connections with a code; without one, breaks them off. Sessions stay, and can be resumed. */
  dropAll(code?: number): void
  /** Asks all to reconnect (op 7). */
  reconnect(): void
  /** Tells all that their session is invalid (op 9); unless it is resumable, it is forgotten. */
  invalidate(resumable: boolean): void
  /** Forgets all sessions without a word: the next RESUME is answered with INVALID_SESSION. */
  forget(): void
  /** Asks all for a heartbeat at once (op 1). */
  askHeartbeat(): void
  /** The connections that are open now stay open and say nothing any more, not even to heartbeats. */
  silence(): void
  /** Lets nobody connect (503), until `admit`. */
  refuse(): void
  admit(): void
  /** Dispatches anything to all sessions, as it is. */
  dispatch(event: string, data: unknown): void
}

export type FakeDiscord = {
  /** For discord.js: `rest: { api }`. */
  readonly api: string
  readonly token: string
  readonly applicationId: Snowflake
  readonly botId: Snowflake
  /** Moves the clock on. */
  pass(ms: number): void
  now(): number
  guild(options?: GuildOptions): Guild
  user(name: string, options?: { bot?: boolean; globalName?: string }): Person
  /** What everyone in a channel reads, in order, with edits applied. */
  messages(channelId: Snowflake): Message[]
  /** The same with the ephemeral messages for one person. */
  visibleTo(user: Person | Snowflake, channelId: Snowflake): Message[]
  message(messageId: Snowflake): Message | null
  /** The messages that are pinned in a channel, the newest pin first. */
  pinned(channelId: Snowflake): Message[]
  channel(channelId: Snowflake): Channel | null
  /** The bytes of an attachment. */
  file(attachment: Attachment): Uint8Array
  /** Who is typing in a channel: the bot has said so in the last ten seconds. */
  typing(channelId: Snowflake): boolean
  commands(guildId?: Snowflake): ApplicationCommand[]
  readonly requests: RequestRecord[]
  /** Answers 401, 403 and 429 in the last ten minutes. */
  readonly invalidRequests: number
  fail(match: RequestMatch, how: Failure): void
  readonly gateway: Gateway
  archive(threadId: Snowflake): void
  unarchive(threadId: Snowflake): void
  lock(threadId: Snowflake): void
  unlock(threadId: Snowflake): void
  deleteChannel(channelId: Snowflake): void
  /** Denies or allows something in a channel: to the bot, or to a person or role that is named. */
  deny(channelId: Snowflake, permission: PermissionName, who?: Person | Snowflake): void
  allow(channelId: Snowflake, permission: PermissionName, who?: Person | Snowflake): void
  /** Gives the bot a new token: the old one is refused from now on (401, and 4004 at the gateway). */
  resetToken(): string
  /** Changes what the application has been given; a session that is open stays. */
  setIntents(intents: { messageContent?: boolean; members?: boolean; presences?: boolean }): void
  close(): Promise<void>
}
