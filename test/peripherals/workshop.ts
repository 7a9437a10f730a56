import { randomUUID } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mind } from '../../src/agents/mind.ts'
import { createThinking } from '../../src/agents/think.ts'
import { createTurns, type Stops } from '../../src/agents/turns.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { createLive } from '../../src/evidence/live.ts'
import { openStore } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { declareWalls } from '../../src/evidence/walls.ts'
import { deskOf } from '../../src/house/desk.ts'
import { createVerdicts } from '../../src/house/verdicts.ts'
import { createWorkshop } from '../../src/house/workshop.ts'
import { createControl } from '../../src/missions/control.ts'
import { createLibrary } from '../../src/patterns/library.ts'
import { createEntering } from '../../src/peripherals/entering.ts'
import { createLedgers } from '../../src/peripherals/ledgers.ts'
import type { CallRequest } from '../../src/peripherals/request.ts'
import { createSteps } from '../../src/peripherals/steps.ts'
import { createWalls, type Walls } from '../../src/peripherals/walls.ts'
import { createLane, drainLane } from '../../src/queue/lane.ts'
import { createMailbox } from '../../src/queue/mailbox.ts'
import { createHolds } from '../../src/registry/holds.ts'
import type { Config } from '../../src/shapes/config.ts'
import type { Author, Body, Draft } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import type { Progress } from '../../src/shapes/post.ts'
import type { Profiles } from '../../src/shapes/profile.ts'
import type { RoomMode } from '../../src/shapes/room.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { openShadow } from '../../src/workspace/shadow.ts'
import { createSpills } from '../../src/workspace/spills.ts'
import { createUploads } from '../../src/workspace/uploads.ts'
import { EXPLORE } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import type { TestRedis } from '../support/redis.ts'
import { ADA, CLAUDE, must, said } from '../support/store.ts'

export const SESSION = 's-1'
const PATH = process.env['PATH'] ?? ''

/** A ripgrep that counts how often it is run, and waits for as long as it is told to. */
const countingRipgrep = (folder: string) => {
  const bin = join(folder, 'bin')
  const [runs, hold] = [join(bin, 'runs'), join(bin, 'hold')]
  const path = process.env['PATH'] ?? ''
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'rg'),
    `#!/bin/sh\nPATH='${path}'\necho run >> '${runs}'\nwhile [ -e '${hold}' ]; do sleep 0.02; done\nexec rg "$@"\n`,
  )
  chmodSync(join(bin, 'rg'), 0o755)
  return {
    path: `${bin}:${path}`,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n').length : 0),
    hold: () => writeFileSync(hold, ''),
    release: () => rmSync(hold, { force: true }),
  }
}

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>
type Options = {
  spec?: PeripheralSpec
  /** Further walls, where there are hops. */
  specs?: PeripheralSpec[]
  /** Profiles that narrow them; none holds until a test says so. */
  profiles?: Profiles
  /** Where the agent may go; everywhere, where nothing is said. */
  inhabits?: string[] | null
  mode?: RoomMode
  files?: Record<string, string>
  checks?: Record<string, string[]>
  /** MCP servers of the config, and the folders that they lie in. */
  servers?: Config['servers']
  readable?: string[]
  approvalMinutes?: number
  /** Where turns begin. */
  peripheral?: string
}

/** What a worker is made of, with a real store and a real Redis, on keys and files of its own. */
export const openWorkshop = async (
  server: TestRedis,
  {
    spec = EXPLORE,
    specs: given = [spec],
    profiles = {},
    inhabits = null,
    mode = 'execute',
    files = {},
    checks = {},
    servers = {},
    readable = [],
    approvalMinutes = 30,
    peripheral: begins = spec.id,
  }: Options = {},
) => {
  const folder = scratch()
  for (const [name, text] of Object.entries({ 'a.txt': 'one\n', ...files })) folder.write(join('ws', name), text)
  const workspace = await openWorkspace(join(folder.path, 'ws'), [])
  const prefix = `t-${randomUUID()}`
  const { redis } = server
  const live = createLive(redis, prefix, 200)
  const time = { now: Date.parse('2026-01-02T03:04:05.000Z') }
  const clock = () => time.now
  const store = await openStore({
    url: join(folder.path, 'evidence.db'),
    clock,
    committed: (entries) => {
      ledgers.wrote(entries)
      live.announce(entries)
    },
  })
  const ledgers = createLedgers(store)
  const specs = new Map(given.map((one) => [one.id, one]))
  const walls = wallsOf(specs, profiles)
  must(await declareWalls(store, walls.all()))
  const shadow = await openShadow({ folder: join(folder.path, 'shadow'), workspace, path: PATH, deny: [] })
  const holds = createHolds({ redis, prefix, ms: 600_000 })
  const mailbox = createMailbox(redis, prefix, 'steps')
  const lanes = {
    turns: createLane({ redis, prefix, name: 'turns' }),
    steps: createLane({ redis, prefix, name: 'steps' }),
  }
  const ripgrep = countingRipgrep(folder.path)
  const room = { mode, profile: null as string | null, asked: async (): Promise<void> => {} }
  const warned: string[] = []
  const verdicts = createVerdicts({ store, workspace, log: { warn: (message) => void warned.push(message) } })
  const progressed: Progress[] = []
  const workshop = createWorkshop(
    {
      store,
      live,
      clock,
      ledgers,
      walls,
      profileOf: async () => room.profile,
      agents: async () =>
        inhabits === null ? [] : [{ id: 'claude-1', type: 'claude', peripheral: spec.id, peripherals: inhabits }],
      workspace,
      shadow,
      holds,
      spills: createSpills(join(folder.path, 'spills')),
      uploads: createUploads(join(folder.path, 'uploads'), { roomBytes: 1_000_000 }),
      progress: { say: (progress) => void progressed.push(progress), listen: () => () => {}, close: () => {} },
      roomMode: async () => {
        await room.asked()
        return room.mode
      },
      config: { sandbox: { readable }, checks, servers, approvals: { minutes: approvalMinutes } },
      settings: { path: ripgrep.path },
    },
    verdicts,
    {
      control: createControl({
        store,
        clock,
        folders: ['missions', 'docs/missions'],
        who: async () => [],
        openTurns: async () => [],
        budgetsIn: async () => [],
        roomMode: async () => room.mode,
        obligationsOf: async () => null,
      }),
      desk: deskOf({ store, clock, ledgers, config: { missions: { folders: ['missions', 'docs/missions'] } } }),
      library: createLibrary({
        store,
        clock,
        folders: ['patterns'],
        ours: join(import.meta.dirname, '../../config/patterns'),
        unusedDays: 90,
        roomMode: async () => room.mode,
      }).at,
    },
  )
  const wake = (session: string) => lanes.steps.wake(session)
  const steps = createSteps(workshop, { mailbox, wake, isWaitedFor: lanes.steps.isWaitedFor })
  const enter = createEntering({ ledgers, tree: shadow.tree })
  const closing: (() => Promise<void>)[] = []
  const never = new AbortController().signal

  /** Drains the lane of steps in the background, as a worker does. */
  const runSteps = (concurrency = 4) => {
    const lane = drainLane(
      { redis, prefix, name: 'steps' },
      concurrency,
      (session) => steps.drain(session, never),
      () => {},
    )
    closing.push(lane.close)
    return lane
  }

  const thinking = createThinking({ store, steps, specs })

  /** Turns of agents with this mind. */
  const turnsOf = (
    mind: Mind,
    {
      isReady = async (_agent: string) => true,
      mindless = false,
      think = thinking(mind),
      looked = async () => {},
    } = {},
  ) =>
    createTurns({
      store,
      live,
      steps,
      wallsIn: async () => walls.for(room.profile),
      enter,
      openSteps: async (session) => [...(await ledgers.of(session)).open],
      roomMode: async () => room.mode,
      inhabitantOf: async () => {
        await looked()
        return mindless ? 'unknown' : { think, author: CLAUDE }
      },
      isReady,
      isElsewhere: async () => false,
    })

  const append = async (...drafts: Draft[]) => must(await store.append(drafts))
  const chain = (session = SESSION) => store.chain(session)

  return {
    folder,
    store,
    specs,
    walls,
    mailbox,
    lanes,
    ripgrep,
    /** What the gate learns of the room, and a place where a test can hold it up. */
    room,
    steps,
    workshop,
    holds,
    ledgers,
    shadow,
    verdicts,
    progressed,
    warned,
    time,
    wake,
    root: workspace.root,
    redis,
    prefix,
    runSteps,
    turnsOf,
    append,
    /** The same, for tests that need not look at what was written. */
    record: async (...drafts: Draft[]): Promise<void> => void (await append(...drafts)),
    chain,
    write: (name: string, text: string) => folder.write(join('ws', name), text),
    has: (name: string) => existsSync(join(folder.path, 'ws', name)),
    text: (name: string) => readFileSync(join(folder.path, 'ws', name), 'utf8'),
    add: (name: string, text: string) => appendFileSync(join(folder.path, 'ws', name), text),
    closing,

    /** Opens a session, and takes as many requests in it as are named. */
    accept: async (...requests: string[]) => {
      await append(
        said('m1', 'to work'),
        entry(`${SESSION}.opened`, ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }, 'm1'),
      )
      await append(...requests.map((request, i) => accepted(`t${i + 1}`, begins, request)))
    },
    /** Puts a wall up without a turn, as the profile has it: what steps need to be let through. */
    enter: (peripheral = spec.id, wall = walls.for(room.profile).get(peripheral) ?? spec) =>
      append(
        entry('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' }, 't1'),
        entry(
          't1.peripheral',
          CLAUDE,
          {
            event: 'peripheral-started',
            turn: 't1',
            peripheral,
            tools: wall.tools,
            spec: hashOf(wall),
            entry: 'user-request',
          },
          't1.started',
        ),
      ),
    /** The chain as [event, author, what it answers]; verdicts come when they come, and are left out. */
    story: async (session = SESSION) =>
      (await chain(session))
        .filter(({ body }) => body.event !== 'verified')
        .map(({ body, author, inReplyTo }) => [body.event, author.id, inReplyTo]),
    bodies: async (event: Body['event']) =>
      (await chain()).map(({ body }) => body).filter((body) => body.event === event),
    verdict: async () => {
      const { ok, violations } = await verifyChain(store, SESSION)
      return { ok, violations }
    },
    /** Waits until a turn has ended. */
    ended: (turn: string) => eventually(`${turn} to end`, () => store.get(`${turn}.ended`)),
    [Symbol.asyncDispose]: async () => {
      ripgrep.release()
      await Promise.all(closing.map((close) => close()))
      await workshop.close()
      await verdicts.settled()
      await Promise.all([lanes.turns.close(), lanes.steps.close()])
      await store.close()
      mailbox.close()
      live.close()
      folder[Symbol.dispose]()
    },
  }
}

/** The walls of specs that a test may change, as a restart with another config would. */
const wallsOf = (specs: ReadonlyMap<string, PeripheralSpec>, profiles: Profiles): Walls => {
  let made = { of: [...specs.values()], walls: createWalls(specs, profiles) }
  const now = (): Walls => {
    const of = [...specs.values()]
    const same = of.length === made.of.length && of.every((spec, i) => spec === made.of[i])
    if (!same) made = { of, walls: createWalls(specs, profiles) }
    return made.walls
  }
  return {
    all: () => now().all(),
    for: (profile) => now().for(profile),
    standing: (peripheral, hash) => now().standing(peripheral, hash),
  }
}

/** An entry in the chain of the session. */
export const entry = (id: string, author: Author, body: Body, inReplyTo: string): Draft =>
  sessionDraft({ session: SESSION, room: 'lobby', agent: 'claude-1', id, author, body, inReplyTo })

const accepted = (id: string, peripheral: string, request: string): Draft =>
  entry(id, ADA, { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral, request, role: 'operator' }, 'm1')

export const request = (n: number, call: ToolCall, turn = 't1'): CallRequest => ({
  kind: 'call',
  session: SESSION,
  turn,
  step: `${turn}.${n}`,
  author: CLAUDE,
  call,
})

export const READ: ToolCall = { tool: 'read', args: { path: 'a.txt' } }
export const GREP: ToolCall = { tool: 'grep', args: { pattern: '.' } }

/** The two stops of a drain, of which a test may pull either. */
export const stops = (): Stops & { close: () => void; giveUp: () => void } => {
  const [closing, abandon] = [new AbortController(), new AbortController()]
  return {
    closing: closing.signal,
    abandon: abandon.signal,
    close: () => closing.abort(),
    giveUp: () => abandon.abort(),
  }
}
