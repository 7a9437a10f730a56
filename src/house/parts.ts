import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { agentByHand } from '../agents/by-hand.ts'
import { loadHouse } from '../config/load.ts'
import { verifyFiles } from '../evidence/checker.ts'
import { brief } from '../evidence/digest.ts'
import { isOurs, readHead, signOn } from '../evidence/head.ts'
import { compact, digestSession } from '../evidence/keep.ts'
import { createLive } from '../evidence/live.ts'
import { createPeople } from '../evidence/people.ts'
import { profileOf } from '../evidence/profiles.ts'
import { createRedactor } from '../evidence/redact.ts'
import { createSpending } from '../evidence/spending.ts'
import { openStore, type Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { createRoll } from '../evidence/tokens.ts'
import { createBook } from '../evidence/usage.ts'
import { proveChain, verifyStore } from '../evidence/verify-store.ts'
import { systemClock } from '../lib/clock.ts'
import { createIds } from '../lib/id.ts'
import { type Log, openLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { within } from '../lib/within.ts'
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
import { createLane } from '../queue/lane.ts'
import { connect, ping, type RedisAddress } from '../redis/redis.ts'
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
import { RoomMode } from '../shapes/room.ts'
import type { Proof, StoreVerdict, Violation } from '../shapes/verdict.ts'
import { createTurnViews } from '../status/turn-view.ts'
import { createGithub } from '../tickle/source-github.ts'
import { createWorks } from '../tickle/work.ts'
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
import { type Folder, noteStore, openFolder, openWorkspaceFolder, secretsOf, userName } from './folder.ts'
import { createPlaces } from './places.ts'
import { stateIn } from './verdicts.ts'

/** What a process of Bellhop is started with: parsed once, from the command line and the environment. */
export type Settings = {
  /** The folder this program lies in, and which version it is. */
  root: string
  version: string
  data: string
  workspace: string
  configFile: string | null
  host: string | undefined
  port: number | undefined
  redis: RedisAddress | null
  /** The PostgreSQL server with the evidence; null keeps it in the data folder. */
  evidence: string | null
  verbose: boolean
  /** Where programs are looked for. */
  path: string
  /** The environment, for what the config names in it: keys, proxies and certificates. */
  variables?: Readonly<Record<string, string | undefined>>
}

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Opens what gateway and worker share: config, walls, workspace, evidence, Redis, registry and lanes. */
export const openParts = async (given: Settings, part: string) => {
  const { config, specs } = loadHouse(join(given.root, 'config'), given.configFile, given)
  openWorkspaceFolder(given.workspace)
  const folder = openFolder(given.data)
  const workspace = await openWorkspace(given.workspace, [folder.path, ...ownConfig(given)])
  keepPlace(given, workspace)
  // A folder of the workspace may be on the PATH: what an agent writes there is no program of the house.
  const settings = { ...given, path: (await programFolders(given.path, workspace)).join(delimiter) }
  await checkAll(specs)
  const secrets = secretsOf(folder)
  const log = openLog({ file: folder.log(part), part, verbose: settings.verbose ? process.stderr : null })

  const address = settings.redis ?? folder.redisSocket
  await reach(address)
  const prefix = `bellhop-${secrets.instance}`
  const redis = connect(address, (error) => log.warn('redis is not there', { error: error.message }))
  const live = createLive(redis, prefix)
  const redact = createRedactor([secrets.admin, secrets.operator, secrets.agents])
  const store = await openStore({
    url: settings.evidence ?? folder.store,
    clock: systemClock,
    redact,
    committed: live.announce,
  })
  if (settings.evidence !== null) await shared(store, secrets.instance)
  noteStore(folder, settings.evidence)
  const registry = createRegistry({
    redis,
    prefix,
    secret: secrets.agents,
    leaseMs: config.lease.ms,
    peripherals: [...specs.keys()],
  })
  const turns = createLane({ redis, prefix, name: 'turns' })
  const steps = createLane({ redis, prefix, name: 'steps' })

  const clock = systemClock
  const holder = `${hostname()}-${process.pid}-${part}`
  const shadow = await openShadow({ folder: folder.shadow, workspace, path: settings.path, deny: [] })
  const holds = createHolds({ redis, prefix, clock, ms: config.holds.minutes * 60_000 })
  const spills = createSpills(folder.spills)
  const uploads = createUploads(folder.uploads, { roomBytes: config.doors.uploadsPerRoom })
  const progress = createProgress({ redis, prefix, redact })
  const ledgers = createLedgers(store)
  const checkouts = createCheckouts({
    folder: checkoutsIn(folder),
    shadows: folder.shadow,
    workspace,
    shadow,
    path: settings.path,
    stands: (merge) => mergeStands(store, merge),
    log: log.warn,
  })
  const apart = config.agents.filter(({ worktree }) => worktree).map(({ id }) => id)
  const places = createPlaces({ home: { workspace, shadow, of: null }, apart, checkouts, store, log })
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

  const newId = createIds(systemClock)
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
    }),
    spending: createSpending({ store, book, config }),
    secrets,
    log,
    redis,
    prefix,
    live,
    store,
    registry,
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
    // In containers two processes can have the same name and number: no two may be on a network for one.
    networks: createNetworks({ redis, prefix, holder: `${holder}-${newId()}`, ms: config.lease.ms }),
    owner: userName(),
    ...views,
    /** Signs where the store stands. */
    signHead: config.evidence.sign ? createSigner(store, folder, log) : async (): Promise<void> => {},
    compact: (dry: boolean) =>
      compact({ store, policy: config.evidence.keep, now: systemClock(), newId, verify: views.verify, dry }),
    close: async (): Promise<void> => {
      if (redis.status === 'ready') await Promise.allSettled([turns.close(), steps.close()])
      await world.close()
      await store.close()
      live.close()
      progress.close()
      redis.disconnect()
      log.close()
    },
  }
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
    'to work for it, copy its secrets.json into this data folder and set the same REDIS_URL; else name another database or schema',
  )
}

/** Signs where the store stands, again and again; where it does not go on from what was signed, says so once. */
const createSigner = (store: Store, folder: Folder, log: Log): (() => Promise<void>) => {
  let complaint: string | null = null
  return async () => {
    const wrong = await signOn(folder.head, store, new Date(systemClock()).toISOString())
    if (wrong !== null && wrong !== complaint) log.warn('the head of the store is not signed any more', { wrong })
    complaint = wrong
  }
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
    throw new Problem(
      `Redis does not answer at ${address.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, '')}: ${(error as Error).message}`,
      'start it, correct REDIS_URL, or leave REDIS_URL unset and use `bellhop up`, which starts one of its own',
    )
  }
}
