import type { Edit, Limits, Modal, StartOptions } from './api.ts'
import type {
  ApplicationCommand,
  Channel,
  Choice,
  Emoji,
  Member,
  Role,
  Snowflake,
  ThreadMember,
  User,
  WireMessage,
} from './wire.ts'

/** A message, with what does not go over the wire. Its reactions are made from who reacted, when it is looked at. */
export type StoredMessage = {
  wire: WireMessage
  history: Edit[]
  /** The one person who sees it; null where it is for everyone in the channel. */
  visibleTo: Snowflake | null
  reactions: { emoji: Emoji; users: Snowflake[] }[]
  /** When it was pinned; null where it is not. */
  pinnedAt: number | null
}

export type StoredGuild = {
  id: Snowflake
  name: string
  ownerId: Snowflake
  createdAt: number
  roles: Map<Snowflake, Role>
  members: Map<Snowflake, Member>
}

/** 2 is a command, 3 a click, 4 a completion, 5 a modal that was sent. */
export type InteractionKind = 2 | 3 | 4 | 5

export type StoredInteraction = {
  id: Snowflake
  token: string
  kind: InteractionKind
  userId: Snowflake
  channelId: Snowflake
  createdAt: number
  /** The type of the first answer; null while there is none. */
  answeredBy: number | null
  /** Deferred, and what it is deferred for is not there yet. */
  deferred: boolean
  ephemeral: boolean
  /** What `@original` is. */
  originalId: Snowflake | null
  /** The message that was clicked. */
  sourceId: Snowflake | null
  followUps: Snowflake[]
  choices: Choice[] | null
  modal: Modal | null
}

/** Something that happened, for the gateway to tell. */
export type Happening = {
  name: string
  /** Nobody without one of these intents is told; 0 is for everyone. */
  intents: number
  /** Where the bot has to be able to look. */
  channelId?: Snowflake
} & ({ data: unknown } | { message: StoredMessage })

type StoredFile = { name: string; bytes: Uint8Array; contentType: string | undefined }

export type World = {
  now: () => number
  limits: Limits
  /** Where files are downloaded from; known when the server listens. */
  base: string
  bot: User
  applicationId: Snowflake
  token: string
  intents: Required<NonNullable<StartOptions['intents']>>
  users: Map<Snowflake, User>
  guilds: Map<Snowflake, StoredGuild>
  channels: Map<Snowflake, Channel>
  threadMembers: Map<Snowflake, Map<Snowflake, ThreadMember>>
  messages: Map<Snowflake, StoredMessage>
  files: Map<Snowflake, StoredFile>
  /** Commands by guild; those of all guilds are under an empty id. */
  commands: Map<Snowflake, Map<Snowflake, ApplicationCommand>>
  commandCreates: Map<Snowflake, number[]>
  interactions: Map<Snowflake, StoredInteraction>
  /** When the bot last said that it types, by channel. */
  typing: Map<Snowflake, number>
  closedDms: Set<Snowflake>
  nextId: () => Snowflake
  tell: (happening: Happening) => void
  listen: (listener: (happening: Happening) => void) => void
}

export const INTENTS = {
  guilds: 1 << 0,
  members: 1 << 1,
  presences: 1 << 8,
  messages: 1 << 9,
  reactions: 1 << 10,
  typing: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const

export const createWorld = (options: StartOptions, now: () => number): World => {
  const listeners: ((happening: Happening) => void)[] = []
  const nextId = createIds(now)
  const bot = createUser(nextId(), 'bot', true)
  return {
    now,
    limits: { ...LIMITS, ...options.limits },
    base: '',
    bot,
    // The id of an application is that of its bot, in all that were made since 2016.
    applicationId: bot.id,
    token: options.token ?? 'a.fake.token',
    intents: { messageContent: true, members: false, presences: false, ...options.intents },
    users: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    threadMembers: new Map(),
    messages: new Map(),
    files: new Map(),
    commands: new Map(),
    commandCreates: new Map(),
    interactions: new Map(),
    typing: new Map(),
    closedDms: new Set(),
    nextId,
    tell: (happening) => {
      for (const listener of listeners) listener(happening)
    },
    listen: (listener) => {
      listeners.push(listener)
    },
  }
}

export const createUser = (id: Snowflake, username: string, bot: boolean): User => ({
  id,
  username,
  global_name: null,
  discriminator: bot ? '0001' : '0',
  avatar: null,
  bot,
})

export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00')

const MIB = 1024 * 1024
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** As far as Discord says; what it does not say is measured by those who use it, and changes. */
const LIMITS: Limits = {
  messages: { limit: 5, perMs: 5000 },
  edits: { limit: 5, perMs: 5000 },
  deletes: { limit: 5, perMs: 1000 },
  reactions: { limit: 1, perMs: 250 },
  renames: { limit: 2, perMs: 10 * MINUTE },
  webhooks: { limit: 5, perMs: 2000 },
  other: { limit: 50, perMs: 1000 },
  global: { limit: 50, perMs: 1000 },
  invalidRequests: { limit: 10_000, perMs: 10 * MINUTE },
  commandCreates: { limit: 200, perMs: DAY },
  gatewaySends: { limit: 120, perMs: MINUTE },
  identifies: { limit: 1000, perMs: DAY },
  identifyEveryMs: 0,
  requestBytes: 25 * MIB,
  fileBytes: 10 * MIB,
  pins: 250,
  interactionMs: 3000,
  interactionTokenMs: 15 * MINUTE,
  nonceMs: 5 * MINUTE,
  resumeMs: 5 * MINUTE,
  heartbeatMs: 41_250,
}

const EPOCH = 1_420_070_400_000

/** Ids that say when they were made, and of which each is greater than the one before, whatever the clock does. */
const createIds = (now: () => number): (() => Snowflake) => {
  let last = 0n
  return () => {
    const made = BigInt(Math.floor(now()) - EPOCH) << 22n
    last = made > last ? made : last + 1n
    return String(last)
  }
}
