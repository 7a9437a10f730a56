import { z } from 'zod'
import { AgentConfig, HouseType, Variable } from './agent.ts'
import { BulletinSettings } from './bulletin.ts'
import { Networks, People } from './networks.ts'
import { SandboxMode, ServerName } from './peripheral.ts'
import { Profiles } from './profile.ts'
import { Name, Room } from './room.ts'
import { Repository } from './tickle.ts'
import { Prices } from './usage.ts'

/** How much is written into the log: each with what comes after it. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

const Days = z.number().positive().nullable()

/** A folder of the workspace as tools name it: `./missions/` is `missions`. */
const WorkspaceFolder = z
  .string()
  .min(1)
  .max(200)
  .overwrite((path) => path.replace(/^(?:\.\/+)+/, '').replace(/(?<=[^/])\/+$/, '') || '.')

/** What is let go after how many days: what nothing builds on, what was said and done, what of it is large. */
export const KeepPolicy = z.strictObject({ ephemeralDays: Days, bodyDays: Days, largeDays: Days })
export type KeepPolicy = z.infer<typeof KeepPolicy>

const CommandName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a name such as "lint"')
/** Short: it is a part of the ids of the steps that run it. */
const CheckName = z.string().regex(/^[a-z][a-z0-9-]{0,7}$/, 'expected a short name such as "lint"')
const Argv = z.array(z.string().min(1)).min(1)

/** An MCP server whose tools peripherals may name: how it is started, in the sandbox, and what it may do there. */
export const ServerConfig = z.strictObject({
  argv: Argv,
  sandbox: SandboxMode.exclude(['full']).default('read-only'),
  network: z.boolean().default(false),
  env: z.record(Variable, z.string()).default({}),
})
export type ServerConfig = z.infer<typeof ServerConfig>

export const TickleConfig = z.strictObject({
  /** Whether it looks by itself; else only where it is told to. */
  on: z.boolean(),
  /** After how long without a word an agent at work is stuck, and paged; for how long it then has to answer. */
  stuckMinutes: z.number().positive(),
  ackMinutes: z.number().positive(),
  /** For how long after a page the same agent is not paged again. */
  cooldownMinutes: z.number().nonnegative(),
  /** After how long the work of an agent that is gone is given to another. */
  goneMinutes: z.number().positive(),
  /** How often changes that a review asks for go back to whoever did the work. */
  rounds: z.int().nonnegative(),
  /** The types of agents that work is given to, and that review it. */
  workers: z.array(HouseType).min(1),
  reviewers: z.array(HouseType).min(1),
  /** The repository that issues come from, where none is named. */
  repository: Repository.nullable(),
})
export type TickleConfig = z.infer<typeof TickleConfig>

/** How much of something may come at once, and how much a minute after that. */
const Rate = z.strictObject({ burst: z.int().positive(), perMinute: z.number().positive() })

/** How many turns may wait to be begun: of one agent in one room, in one room, and in all. */
export const Queues = z.strictObject({
  perSession: z.int().positive(),
  perRoom: z.int().positive(),
  total: z.int().positive(),
})
export type Queues = z.infer<typeof Queues>

/** What `config/default.yaml` holds and a user's file may change. No secrets: those come by environment. */
export const Config = z.strictObject({
  http: z.strictObject({
    host: z.string(),
    port: z.int().min(0).max(65535),
    /** Host names besides localhost that this instance answers to. */
    hosts: z.array(z.string()),
    /** The address that people reach the web page at, for links in chat; null gives none. */
    public: z.url({ protocol: /^https?$/ }).nullable(),
    /** Proxies besides those on this machine that are believed from where a request came, by address or network. */
    proxies: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])),
  }),
  /** The networks that rooms are on, and the people who speak there. */
  networks: Networks,
  people: People,
  /** What bots and agents may set off by themselves. */
  loops: z.strictObject({
    /** How many turns they may give out in a room until a person says something. */
    hops: z.int().nonnegative(),
    /** How many agents one line may name. */
    named: z.int().positive(),
  }),
  /** Bells between agents: how many there may be between two of them in so many minutes. */
  bells: z.strictObject({ pair: z.int().positive(), minutes: z.int().positive() }),
  /** How many lines and commands are taken from one person, in one room and by one token: across all gateways. */
  limits: z.strictObject({ person: Rate, room: Rate, token: Rate }),
  queues: Queues,
  rooms: z.array(Room).min(1),
  agents: z.array(AgentConfig).min(1),
  /** Named ways to work, and the one that holds where a room has none. */
  profiles: Profiles,
  profile: Name.nullable(),
  /** What models cost. */
  prices: Prices,
  runners: z.strictObject({
    /** How long the process of an agent may be idle before it is ended; it is resumed when it is needed. */
    idleMinutes: z.number().positive(),
    /** How many processes of agents one worker runs side by side. */
    processes: z.int().positive(),
    /** Whether they run in a cage: with nothing of this machine but what they need. `auto` where bubblewrap works. */
    cage: z.enum(['auto', 'never']),
    /** How long it waits before it tries a model again that failed; twice as long each time. */
    retryMs: z.int().positive(),
  }),
  lease: z.strictObject({
    /** How long an agent stays ready without a heartbeat. */
    ms: z.int().min(500),
    heartbeatMs: z.int().min(100),
  }),
  worker: z.strictObject({
    /** How many turns and how many tool steps one worker runs side by side. */
    turns: z.int().positive(),
    steps: z.int().positive(),
    /** How many workers `bellhop up` starts. */
    processes: z.int().positive().max(64),
  }),
  evidence: z.strictObject({
    /** Whether the head of the store is signed, so that what is cut off later shows. */
    sign: z.boolean(),
    /** After how many days bodies are let go; null keeps them for ever. Entries and their chains always stay. */
    keep: KeepPolicy,
  }),
  /** Commands by name: what edit runs before it is left, and test may run; and what deploy may run. */
  checks: z.record(CheckName, Argv),
  deploys: z.record(CommandName, Argv),
  /** MCP servers by name. */
  servers: z.record(ServerName, ServerConfig),
  status: z.strictObject({
    /** After how long without a word a turn that runs is said to be stalled. */
    stalledMinutes: z.number().positive(),
  }),
  /** Where missions are, in the workspace: the first folder is where new ones are made. */
  missions: z.strictObject({ folders: z.array(WorkspaceFolder).min(1).max(20) }),
  /** Where patterns are, in the workspace, and after how long without use one is proposed for retirement. */
  patterns: z.strictObject({
    folders: z.array(WorkspaceFolder).min(1).max(20),
    unusedDays: z.number().positive(),
  }),
  /** When rooms are told how things stand. */
  bulletins: BulletinSettings,
  approvals: z.strictObject({
    /** How long a person has to answer. */
    minutes: z.number().positive(),
  }),
  /** Tickle: when agents are paged, and how work is given out. */
  tickle: TickleConfig,
  /** The server of the text world that alfworld plays in; null is one of our own, in this process. */
  world: z.strictObject({ server: z.url({ protocol: /^https?$/ }).nullable() }),
  holds: z.strictObject({
    /** How long a path stays with the agent that changed it last. */
    minutes: z.number().positive(),
  }),
  sandbox: z.strictObject({
    /** Folders of this machine besides the system's own that programs in the sandbox may read: a toolchain, for one. */
    readable: z.array(z.string().startsWith('/')),
  }),
  doors: z.strictObject({
    /** How long the seat of an agent that comes by HTTP or MCP is kept without a call or an open stream. */
    clientMs: z.int().min(500),
    /** How many MCP sessions there may be in all, and of one token. */
    sessions: z.int().positive(),
    sessionsPerToken: z.int().positive(),
    /** How many requests one token may make by HTTP at once, and how many a second after that. */
    requestsAtOnce: z.int().positive(),
    requestsPerSecond: z.number().positive(),
    /** How much a room may have of files that people brought, in bytes. */
    uploadsPerRoom: z.int().positive(),
  }),
  /** What is written into the log, and where: a file in the data folder that is turned over when it is full, or a stream. */
  log: z.strictObject({
    level: z.enum(LOG_LEVELS),
    to: z.enum(['file', 'stdout', 'stderr']),
    megabytes: z.number().positive(),
    /** How many full ones are kept. */
    files: z.int().positive(),
  }),
  /** How often lost jobs and lapsed leases are looked for. */
  sweepMs: z.int().min(100),
  /** How long a drain waits for running work before it gives up. */
  drainMs: z.int().min(100),
})
export type Config = z.infer<typeof Config>
