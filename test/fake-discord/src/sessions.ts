import { isObject } from './form.ts'
import { toGatewayGuild } from './guilds.ts'
import { PERMISSIONS } from './permission-names.ts'
import { permissionsIn } from './permissions.ts'
import { type Happening, INTENTS, type World } from './state.ts'
import { toGateway } from './view.ts'

export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voice: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

type Send = (payload: object) => void

type Dispatch = { op: 0; t: string; s: number; d: unknown }

/** What one client has been told, so that it can be told again what it missed. */
export type Session = {
  readonly id: string
  readonly intents: number
  sequence: number
  told: Dispatch[]
  /** Null while its connection is lost. */
  send: Send | null
  lostAt: number | null
}

type Opening = { id: string; intents: number; shard: [number, number]; presence: unknown; send: Send }

export type Sessions = ReturnType<typeof createSessions>

export const createSessions = (world: World) => {
  const sessions = new Map<string, Session>()
  let openedAt: number[] = []
  let resumed = 0
  let presence: unknown = null

  const dispatch = (session: Session, name: string, data: unknown): void => {
    session.sequence += 1
    // What is told is what is true now, and not what becomes of it.
    const payload: Dispatch = { op: OP.dispatch, t: name, s: session.sequence, d: structuredClone(data) }
    session.told.push(payload)
    session.send?.(payload)
  }

  world.listen((happening) => {
    for (const session of sessions.values()) {
      if (isTold(world, session, happening)) dispatch(session, happening.name, dataFor(world, session, happening))
    }
  })

  /** New sessions within the window that they are counted in. */
  const recent = (): number => openedAt.filter((at) => world.now() - at < world.limits.identifies.perMs).length

  return {
    get identified() {
      return openedAt.length
    },
    get resumed() {
      return resumed
    },
    get presence() {
      return presence
    },
    setPresence: (told: unknown): void => {
      presence = told
    },
    /** How many more sessions may be opened. */
    get left() {
      return Math.max(0, world.limits.identifies.limit - recent())
    },
    /** A new session; null where it is too soon, or one too many. */
    open: ({ id, intents, shard, presence: told, send }: Opening): Session | null => {
      const tooSoon = world.now() - (openedAt.at(-1) ?? Number.NEGATIVE_INFINITY) < world.limits.identifyEveryMs
      if (tooSoon || recent() >= world.limits.identifies.limit) return null
      openedAt = [...openedAt, world.now()]
      presence = told ?? presence
      const session: Session = { id, intents, sequence: 0, told: [], send, lostAt: null }
      sessions.set(id, session)
      dispatch(session, 'READY', ready(world, id, shard))
      if (intents & INTENTS.guilds) {
        for (const guild of ownGuilds(world)) dispatch(session, 'GUILD_CREATE', toGatewayGuild(world, guild))
      }
      return session
    },
    /** A session that can be resumed. */
    find: (id: string): Session | null => {
      const session = sessions.get(id)
      const isOver = session?.lostAt && world.now() - session.lostAt > world.limits.resumeMs
      if (isOver) sessions.delete(id)
      return session && !isOver ? session : null
    },
    resume: (session: Session, sequence: number, send: Send): void => {
      resumed += 1
      session.send = send
      session.lostAt = null
      for (const payload of session.told.filter(({ s }) => s > sequence)) send(payload)
      dispatch(session, 'RESUMED', { _trace: [] })
    },
    /** A client that says goodbye in order has no session any more; one that is lost can come back. */
    lose: (session: Session, send: Send, code: number): void => {
      // By now another connection may have taken it up.
      if (session.send !== send) return
      session.send = null
      session.lostAt = world.now()
      if (code === 1000 || code === 1001) sessions.delete(session.id)
    },
    forgetAll: (): void => sessions.clear(),
    sendMembers: (session: Session, asked: Record<string, unknown>): void => {
      const chunk = membersAsked(world, session, asked)
      if (chunk) dispatch(session, 'GUILD_MEMBERS_CHUNK', chunk)
    },
  }
}

const ownGuilds = (world: World) => [...world.guilds.values()].filter(({ members }) => members.has(world.bot.id))

const ready = (world: World, sessionId: string, shard: [number, number]) => ({
  v: 10,
  user: { ...world.bot, email: null, verified: true, mfa_enabled: true, flags: 0 },
  user_settings: {},
  relationships: [],
  private_channels: [],
  presences: [],
  guilds: ownGuilds(world).map(({ id }) => ({ id, unavailable: true })),
  session_id: sessionId,
  session_type: 'normal',
  resume_gateway_url: world.base.replace('http', 'ws'),
  shard,
  application: { id: world.applicationId, flags: applicationFlags(world) },
})

/** The flags that say which privileged intents an application of few guilds has been given. */
export const applicationFlags = ({ intents }: World): number =>
  (intents.presences ? 1 << 13 : 0) | (intents.members ? 1 << 15 : 0) | (intents.messageContent ? 1 << 19 : 0)

/** A session is told of what it asked for, where the bot can look. */
const isTold = (world: World, session: Session, happening: Happening): boolean => {
  const { intents, channelId } = happening
  if ((intents !== 0 && !(session.intents & intents)) || isElsewhere(world, happening)) return false
  const channel = world.channels.get(channelId ?? '')
  return !channel || (permissionsIn(world, world.bot.id, channel) & PERMISSIONS.VIEW_CHANNEL) !== 0n
}

/** In a guild that the bot is not in any more. */
const isElsewhere = (world: World, happening: Happening): boolean => {
  const data = 'data' in happening && isObject(happening.data) ? happening.data : {}
  const guild = world.guilds.get(String(data['guild_id'] ?? ''))
  return guild !== undefined && !guild.members.has(world.bot.id)
}

const dataFor = (world: World, session: Session, happening: Happening): unknown =>
  'message' in happening
    ? toGateway(world, happening.message, (session.intents & INTENTS.messageContent) !== 0)
    : happening.data

/** The members that were asked for. All of them are for those alone who have the intent. */
const membersAsked = (world: World, session: Session, asked: Record<string, unknown>) => {
  const guild = world.guilds.get(String(asked['guild_id']))
  const wanted = [asked['user_ids'] ?? []].flat().map(String)
  const query = String(asked['query'] ?? '')
  if (!guild || (wanted.length === 0 && query === '' && !(session.intents & INTENTS.members))) return null
  const limit = Number(asked['limit'] ?? 0) || Number.POSITIVE_INFINITY
  const members = [...guild.members.values()].filter(({ user }) =>
    wanted.length > 0 ? wanted.includes(user.id) : user.username.startsWith(query),
  )
  return {
    guild_id: guild.id,
    members: members.slice(0, limit),
    chunk_index: 0,
    chunk_count: 1,
    not_found: wanted.filter((id) => !guild.members.has(id)),
    ...(asked['nonce'] === undefined ? {} : { nonce: asked['nonce'] }),
  }
}
