import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { agentByHand } from '../agents/by-hand.ts'
import { loadHouse } from '../config/load.ts'
import { verifyFiles } from '../evidence/checker.ts'
import { brief } from '../evidence/digest.ts'
import { createFeed } from '../evidence/feed.ts'
import { isOurs, readHead, signOn } from '../evidence/head.ts'
import { compact, digestSession } from '../evidence/keep.ts'
import { createLive } from '../evidence/live.ts'
import { createPeople } from '../evidence/people.ts'
import { profileOf } from '../evidence/profiles.ts'
import { createRedactor, type Redact } from '../evidence/redact.ts'
import { createSpending } from '../evidence/spending.ts'
import { openStore, type Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { createRoll } from '../evidence/tokens.ts'
import { createBook } from '../evidence/usage.ts'
import { proveChain, verifyStore } from '../evidence/verify-store.ts'
import { systemClock } from '../lib/clock.ts'
import { holderName } from '../lib/holder.ts'
import { createIds } from '../lib/id.ts'
import { type Log, type LogLevel, openLog } from '../lib/log.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { Problem } from '../lib/problem.ts'
import { within } from '../lib/within.ts'
import { countEntries } from '../metrics/entries.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createSnapshots } from '../metrics/snapshots.ts'
import { beginAtZero } from '../metrics/zeros.ts'
import { createOutlook } from '../missions/outlook.ts'
import { scanMissions, textOfMission } from '../missions/scan.ts'
import { mergeStands } from '../operations/merge-history.ts'
import { operations } from '../operations/table.ts'
import { createUndo } from '../operations/undo-files.ts'
import { createEntering } from '../peripherals/entering.ts'
import { checkExamples } from '../peripherals/examples.ts'
import { createLedgers } from '../peripherals/ledgers.ts'
import { createTrying } from '../peripherals/trying.ts'
import { createWalls } from '../peripherals/walls.ts'
import { connect, ping, type RedisAddress, shownAddress } from '../redis/redis.ts'
import { createAlone } from '../registry/alone.ts'
import { createHolds } from '../registry/holds.ts'
import { createNetworks } from '../registry/networks.ts'
import { createProgress } from '../registry/progress.ts'
import { createRegistry } from '../registry/registry.ts'
import { createProbe } from '../sandbox/probe.ts'
import { programFolders } from '../sandbox/programs.ts'
import { BY_HAND, type KnownAgent, type Presence } from '../shapes/agent.ts'
import type { Config } from '../shapes/config.ts'
import type { Digest } from '../shapes/digest.ts'
import type { Mission } from '../shapes/mission.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { QueueName } from '../shapes/queue.ts'
import { MAIN, RoomMode } from '../shapes/room.ts'
import type { Proof, StoreVerdict, Violation } from '../shapes/verdict.ts'
import { createTurnViews } from '../status/turn-view.ts'
import { createGithub } from '../tickle/source-github.ts'
import { createWorks } from '../tickle/work.ts'
import { traceEntries } from '../traces/entries.ts'
import { traceIdOf } from '../traces/ids.ts'
import { openTraces } from '../traces/traces.ts'
import { adoptCheckouts } from '../workspace/checkout-adopt.ts'
import { checkoutAt } from '../workspace/checkout-record.ts'
import { createCheckouts } from '../workspace/checkouts.ts'
import { contains, openWorkspace, type Workspace } from '../workspace/paths.ts'
import { reachOf } from '../workspace/scope.ts'
import { openShadow } from '../workspace/shadow.ts'
import { createSpills } from '../workspace/spills.ts'
import { createUploads } from '../workspace/uploads.ts'
import { createWorldClient } from '../world/client.ts'
import { worldAddress } from '../world/own.ts'
import { createWorlds } from '../world/worlds.ts'
import { type Folder, noteStore, openFolder, openWorkspaceFolder, prefixOf, secretsOf, userName } from './folder.ts'
import { type HeldAs, holdFolder } from './lock.ts'
import { createPlaces } from './places.ts'
import { givenSecrets, refuseOpenSecrets, secretPlaces } from './secret-names.ts'
import { stateIn } from './verdicts.ts'
import { createWorkspaces } from './workspaces.ts'

/** What a process of Bellhop is started with: parsed once, from the command line and the environment. */
export type Settings = {
  /** The folder this program lies in, and which version it is. */
  root: string
  version: string
  data: string
  workspace: string
  /** The name of that set of files; `main` where none was given. */
  workspaceName?: string | undefined
  /** The queues that a worker takes from; both, where none were named. */
  queues?: readonly QueueName[] | undefined
  configFile: string | null
  host: string | undefined
  port: number | undefined
  /** Where this process says how it is, besides what it listens for; nowhere, where there is none. */
  health?: { host: string; port: number } | null
  /** Where the log goes, and how much of it is written, where that is not as the config says. */
  log?: { to: 'file' | 'stdout' | 'stderr' | null; level: LogLevel | null }
  redis: RedisAddress | null
  /** The PostgreSQL server with the evidence; null keeps it in the data folder. */
  evidence: string | null
  verbose: boolean
  /** How many workers `up` starts, where that is not as the config has it. */
  workers?: number | undefined
  /** Where programs are looked for. */
  path: string
  /** The environment, for what the config names in it, and for keys of the config. */
  variables?: Readonly<Record<string, string | undefined>>
  /** The file with the secrets of the instance, where several machines share them; else they are in the data folder. */
  secretsFile?: string | null
  /** The files with secrets that whoever started this process was given: programs of agents are kept from them, too. */
  closed?: readonly string[]
  /** The instance that commands speak to, where it is not the one of the data folder, and whose token they come with. */
  instance?: { url: string | null; token: string | null }
  /** By which option or variable something was given. */
  from?: Readonly<Record<string, string>>
}

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Opens what gateway and worker share: config, walls, workspace, evidence, Redis, registry and lanes. */
export const openParts = async (given: Settings, part: string, way: HeldAs = 'processes') => {
  const { config, specs } = loadHouse(join(given.root, 'config'), given.configFile, given)
  openWorkspaceFolder(given.workspace)
  refuseOpenSecrets(given, config)
  const folder = openFolder(given.data)
  const letGo = holdFolder(folder, way)
  const opened = await openWorkspace(given.workspace, [folder.path, ...ownConfig(given)])
  const workspace: Workspace = { ...opened, offLimits: [...opened.offLimits, ...secretPlaces(given, config)] }
  keepPlace(given, workspace)
  // A folder of the workspace may be on the PATH: what an agent writes there is no program of the house.
  const settings = { ...given, path: (await programFolders(given.path, workspace)).join(delimiter) }
  await checkAll(specs)
  const secrets = secretsOf(folder, settings.secretsFile)
  const redact = createRedactor([
    ...[secrets.admin, secrets.operator, secrets.agents],
    ...givenSecrets(config, settings.variables),
  ])
  const log = openLogOf(settings, config, { file: folder.log(part), part, redact })

  const address = settings.redis ?? folder.redisSocket
  await reach(address)
  const prefix = prefixOf(secrets)
  const away = (error: Error) => log.warn('redis is not there', { error: error.message })
  const redis = connect(address, away)
  /** For what is counted with every line. */
  const counting = connect(address, away, true)
  const live = createLive(redis, prefix)
  const metrics = createMetrics()
  beginAtZero(metrics, { ...config, peripherals: specs.keys() })
  const counted = countEntries({
    metrics,
    acceptedAt: async (turn) => Date.parse((await store.get(turn))?.at ?? '') || null,
  })
  const traces = await openTraces({ variables: settings.variables ?? {}, part, version: settings.version })
  /** The trace that something is in, for log lines about it. */
  const traceOf = (id: string) => (traces.on ? { trace: traceIdOf(id) } : {})
  const traced = traceEntries({ traces, writtenAt: async (id) => Date.parse((await store.get(id))?.at ?? '') || null })
  const store: Store = await openStore({
    url: settings.evidence ?? folder.store,
    clock: systemClock,
    redact,
    queues: config.queues,
    committed: (entries) => {
      ledgers.wrote(entries)
      live.announce(entries)
      counted(entries)
      if (traces.on) traced.written(entries)
      for (const { id, session, body } of entries)
        log.debug('written', { entry: id, session, event: body?.event, ...traceOf(id) })
    },
    watch: {
      wrote: (entries, seconds) => {
        metrics.count('bellhop_evidence_entries_total', {}, entries)
        metrics.observe('bellhop_evidence_append_seconds', {}, seconds)
      },
      refused: (code) => metrics.count('bellhop_evidence_refusals_total', { code }),
    },
  })
  const ledgers = createLedgers(store)
  const feed = createFeed({
    store,
    live,
    failed: (error) => log.warn('the feed could not be read', { error: error.message }),
  })
  if (settings.evidence !== null) await shared(store, secrets.instance)
  noteStore(folder, settings.evidence)
  const signHead = config.evidence.sign ? createSigner(store, folder, log) : async (): Promise<void> => {}
  // Before anything is written: whatever becomes of this process, its store had a head.
  if ((await store.head()) === 0) await signHead()
  const registry = createRegistry({
    redis,
    prefix,
    secret: secrets.agents,
    leaseMs: config.lease.ms,
    peripherals: [...specs.keys()],
  })
  const workspaces = createWorkspaces({ store, config, redis, prefix, own: given.workspaceName ?? MAIN })
  const { turns, steps } = workspaces

  const clock = systemClock
  // What belongs to a set of files is kept apart for each: two of them have the same paths.
  const set = workspaces.own === MAIN ? '' : `-${workspaces.own}`
  const shadows = `${folder.shadow}${set}`
  const shadow = await openShadow({ folder: shadows, workspace, path: settings.path, deny: [] })
  const holds = createHolds({ redis, prefix: `${prefix}${set}`, ms: config.holds.minutes * 60_000 })
  const spills = createSpills(folder.spills)
  const uploads = createUploads(folder.uploads, { roomBytes: config.doors.uploadsPerRoom })
  const progress = createProgress({ redis, prefix, redact })
  const ground = { folder: checkoutsIn(folder), shadows, workspace, shadow, path: settings.path, log: log.warn }
  await adoptCheckouts(ground)
  const apart = config.agents.filter(({ worktree }) => worktree).map(({ id }) => id)
  const newId = createIds(systemClock)
  const holder = holderName(part, newId())
  const alone = createAlone({ redis, prefix: `${prefix}${set}:checkout`, holder, ms: config.lease.ms })
  const checkouts = createCheckouts({ ...ground, stands: (merge) => mergeStands(store, merge), alone })
  const places = createPlaces({ home: { workspace, shadow, of: null }, apart, checkouts, alone, store, log })
  const enter = createEntering({
    ledgers,
    tree: async (session) => (await places.of((await store.session(session))?.agent ?? '')).shadow.tree(),
  })
  const roll = createRoll(store)
  const walls = createWalls(specs, config.profiles)
  const profileIn = (room: string): Promise<string | null> => profileOf(store, room, config)
  const book = createBook({ store, clock })
  // A token for one of the house's own agents is for a session of theirs.
  const guests = async (): Promise<KnownAgent[]> =>
    (await roll()).filter(({ id }) => id !== BY_HAND && !config.agents.some((agent) => agent.id === id))

  const scope = specs.get('mission-control')?.scope
  const sight = { workspace, folders: config.missions.folders, shows: scope ? reachOf(scope).mayRead : () => false }
  // What shows an obligation can be any file that the wall opens which it is worked on behind.
  const carried = [...specs.values()].find(({ cycle }) => cycle === 'mission')?.scope ?? scope
  const views = viewsOf({ store, config, folder, workspace: workspace.root })
  const world = worldAddress(config.world.server)
  const wallsIn = async (room: string) => walls.for(await profileIn(room))

  return {
    settings,
    config,
    folder,
    workspace,
    specs,
    /** The walls that can be put up: as the config has them, and narrowed by each profile. */
    walls,
    /** The profile that holds in a room, and the walls that are put up there. */
    profileOf: profileIn,
    wallsIn,
    book,
    /** The missions of the workspace, as mission control may see them. */
    missions: {
      all: async () => (await scanMissions(sight)).missions,
      textOf: (mission: Pick<Mission, 'path'>) => textOfMission(mission, sight),
      sight: { ...sight, shows: carried ? reachOf(carried).mayRead : () => false },
    },
    /** The same together with what the evidence shows, for whoever looks. */
    outlook: createOutlook({ store, book, clock, scan: () => scanMissions(sight) }),
    /** What the gate would say of a call. */
    judge: createTrying({
      workspace,
      specs,
      wallsIn,
      roomMode: views.roomMode,
      sandboxless: createProbe(settings.path),
      heldBy: (paths) => within(REGISTRY_MS, holds.heldBy(paths)),
    }),
    /** Tickle's work queue, and the issues that can become work. */
    works: createWorks(store),
    issues: createGithub({ path: settings.path, variables: settings.variables ?? {}, cwd: folder.path }),
    /** The games in text worlds. */
    worlds: createWorlds({ store, server: createWorldClient(world.find) }),
    /** Who is who on the networks, and how turns stand. */
    people: createPeople({ store, config }),
    turnViews: createTurnViews({
      store,
      presenceOf: presenceIn(registry, config),
      clock,
      stalledMs: config.status.stalledMinutes * 60_000,
      approversIn: (room) => config.rooms.find(({ id }) => id === room)?.approvers ?? null,
      workspaceless: (room) => within(REGISTRY_MS, workspaces.missing(room)).catch(() => null),
    }),
    spending: createSpending({ store, book, config }),
    secrets,
    log,
    /** What this process counts, and whom it tells what it did. */
    metrics,
    /** What each process said of itself last; what is older than a few beats, or a lease, is not believed. */
    snapshots: createSnapshots({ redis, prefix, expiryMs: Math.max(EXPIRY_MS, config.lease.ms) }),
    traces: { ...traces, judged: traced.judged, of: traceOf },
    redis,
    counting,
    prefix,
    live,
    /** What is written, as it is written, for all in this process who follow it. */
    feed,
    store,
    registry,
    /** Which set of files a room's work is done on, and whether that is the one of this process. */
    workspaces,
    turns,
    steps,
    clock,
    shadow,
    holds,
    spills,
    uploads,
    progress,
    ledgers,
    /** Whether a turn may begin in a peripheral. */
    enter,
    /** The agents whose turns are conducted at a door: those that come in by one, and whoever works by hand. */
    visitors: async (): Promise<KnownAgent[]> => [...(await guests()), agentByHand(specs)],
    /** Every agent that work can be given to. */
    agents: async (): Promise<readonly KnownAgent[]> => [...config.agents, ...(await guests())],
    /** Where agents work, and what becomes of what they did in checkouts of their own. */
    places,
    checkouts: { ...checkouts, agents: apart },
    undo: createUndo({
      store,
      shadow,
      workspace,
      placeOf: places.of,
      holders: holds.all,
      release: holds.release,
    }),
    newId,
    /** Which process this is, among all that share the Redis. */
    holder,
    /** Who is on which network. */
    networks: createNetworks({ redis, prefix, holder, ms: config.lease.ms }),
    owner: userName(),
    ...views,
    /** Signs where the store stands. */
    signHead,
    compact: (dry: boolean) =>
      compact({ store, policy: config.evidence.keep, now: systemClock(), newId, verify: views.verify, dry }),
    close: async (): Promise<void> => {
      if (redis.status === 'ready') await Promise.allSettled([turns.close(), steps.close()])
      await world.close()
      feed.close()
      await store.close()
      live.close()
      progress.close()
      await traces.close()
      redis.disconnect()
      counting.disconnect()
      log.close()
      letGo()
    },
  }
}

const EXPIRY_MS = 6000

/** The log of a process: as it was started with, else as the config says. */
const openLogOf = (
  { log, verbose }: Settings,
  { log: { to, level, megabytes, files } }: Config,
  { file, part, redact }: { file: string; part: string; redact: Redact },
): Log => {
  const where = log?.to ?? to
  return openLog({
    to: where === 'file' ? { file, megabytes, files } : process[where],
    part,
    level: log?.level ?? level,
    verbose: verbose ? process.stderr : null,
    redact,
  })
}

/** How long the registry may take: its commands wait for ever while Redis is away. */
export const REGISTRY_MS = 2000

/** How an agent of the house is here; null where that is not known. */
const presenceIn =
  (registry: ReturnType<typeof createRegistry>, { agents }: Config) =>
  async (agent: string): Promise<Presence | null> =>
    agents.some(({ id }) => id === agent) ? within(REGISTRY_MS, registry.presence(agent)).catch(() => null) : null

type Seen = { store: Store; config: Config; folder: Folder; workspace: string }

/** What follows from evidence and config together: the mode a room is in, and whether what is kept is whole. */
export const viewsOf = ({ store, config, folder, workspace }: Seen) => {
  const isConfigured = (room: string): boolean => config.rooms.some(({ id }) => id === room)
  /** The mode a room was put into, or the one it has by itself. */
  const modeOf = async (room: string): Promise<RoomMode | undefined> =>
    (await store.roomMode(room)) ?? config.rooms.find(({ id }) => id === room)?.mode
  /** Where the files of an agent are. */
  const rootFor = (agent: string | undefined): string => {
    const apart = config.agents.find(({ id, worktree }) => id === agent && worktree)
    const own = apart && checkoutAt(checkoutsIn(folder), realpathSync(workspace), apart.id).root
    return own && existsSync(own) ? own : workspace
  }
  return {
    /** A thread may do no more than the room it was begun in, as that is now. */
    roomMode: async (room: string): Promise<RoomMode> => {
      const thread = isConfigured(room) ? null : await threadOf(store, room)
      const own = (await modeOf(room)) ?? thread?.mode ?? 'discuss'
      return thread ? lowest([own, (await modeOf(thread.room)) ?? 'discuss']) : own
    },
    verify: (session: string): Promise<Proof> => proveChain(store, session),
    verifyFiles: async (session: string): Promise<Violation[]> => {
      const place = await openWorkspace(rootFor((await store.session(session))?.agent), [])
      return (await verifyFiles(store, session, (path) => stateIn(place, path))).violations
    },
    verifyStore: (
      kept: { position: number; root: string } | null,
      progress = (_position: number, _of: number) => {},
    ): Promise<StoreVerdict> => {
      const head = readHead(folder.head.head)
      const ours = head !== null && isOurs(head, folder.head.key)
      return verifyStore(store, { head, ours, expected: existsSync(folder.head.key), kept, progress })
    },
    digest: async (session: string): Promise<{ digest: Digest; text: string }> => {
      const { digest } = await digestSession(store, session)
      return { digest, text: brief(digest) }
    },
  }
}

const checkoutsIn = ({ path }: Folder): string => join(path, 'checkouts')

/** The one that may do least. */
const lowest = (modes: readonly RoomMode[]): RoomMode =>
  RoomMode.options.find((mode) => modes.includes(mode)) ?? 'discuss'

/** An agent that could write these would widen its own wall at the next start. */
const ownConfig = ({ configFile }: Settings): string[] =>
  configFile === null ? [] : [configFile, join(dirname(configFile), 'peripherals')].map((path) => resolve(path))

/** Where the config lies in the workspace, the folder for walls beside it is made: what is there can be covered. */
const keepPlace = ({ configFile }: Settings, { root }: Workspace): void => {
  const place = configFile === null ? null : resolve(dirname(configFile), 'peripherals')
  if (place !== null && contains(root, place)) mkdirSync(place, { recursive: true })
}

/** A store that several machines share belongs to one instance: only then do all its workers have one queue. */
const shared = async (store: Store, instance: string): Promise<void> => {
  if ((await store.ownerFor(instance)) === instance) return
  await store.close()
  throw new Problem(
    'the evidence on this server belongs to another Bellhop',
    'to work for it, name its secrets with BELLHOP_SECRETS_FILE and set the same REDIS_URL; else name another database or schema',
  )
}

/** Signs where the store stands, again and again; where it does not go on from what was signed, says so once. */
const createSigner = (store: Store, folder: Folder, log: Log): (() => Promise<void>) => {
  let complaint: string | null = null
  const sign = async (): Promise<void> => {
    const wrong = await signOn(folder.head, store, new Date(systemClock()).toISOString())
    if (wrong !== null && wrong !== complaint) log.warn('the head of the store is not signed any more', { wrong })
    complaint = wrong
  }
  // A sweep may still be at it when the process ends: what is signed then comes last.
  const alone = oneAtATime()
  return () => alone(folder.head.head, sign)
}

/** The examples are tried in an empty folder: what a user's workspace holds must not decide whether a spec is right. */
const checkAll = async (specs: ReadonlyMap<string, PeripheralSpec>): Promise<void> => {
  // What is carried on in cycles has a row of its name: `/proof @claude …` is work behind that wall, all else is asked.
  const taken = operations.map(({ name }) => name).filter((name) => specs.has(name) && specs.get(name)?.cycle !== name)
  if (taken.length > 0)
    throw new Problem(`there is a command /${taken[0]}, so no peripheral can be called that`, 'rename it')
  const empty = mkdtempSync(join(tmpdir(), 'bellhop-examples-'))
  try {
    for (const spec of specs.values()) await checkExamples(spec, await openWorkspace(empty, []))
  } finally {
    rmSync(empty, { recursive: true })
  }
}

const reach = async (address: RedisAddress): Promise<void> => {
  try {
    await ping(address)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(
      `Redis does not answer at ${shownAddress(address)}: ${(error as Error).message}`,
      'start it, correct REDIS_URL, or leave REDIS_URL unset and use `bellhop up`, which starts one of its own',
    )
  }
}
