import { relative } from 'node:path'
import type { Bells, Workshop } from '../peripherals/workshop.ts'
import type { Attached } from '../registry/attached.ts'
import type { Job, Ran } from '../sandbox/job.ts'
import { createProbe } from '../sandbox/probe.ts'
import { execute } from '../sandbox/sandbox.ts'
import { createTerminals } from '../sandbox/terminals.ts'
import type { Config } from '../shapes/config.ts'
import type { PeripheralSpec, SourceTool } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { refused } from '../shapes/result.ts'
import { createSources, type Sources } from '../sources/sources.ts'
import type { Command } from '../tools/tool.ts'
import { hiddenIn } from '../workspace/hidden.ts'
import type { Place } from '../workspace/place.ts'
import type { Parts } from './parts.ts'
import { noTickle } from './tickling.ts'
import type { Verdicts } from './verdicts.ts'

type Machine = Pick<
  Parts,
  | 'store'
  | 'live'
  | 'clock'
  | 'ledgers'
  | 'walls'
  | 'profileOf'
  | 'agents'
  | 'workspace'
  | 'roomMode'
  | 'shadow'
  | 'spills'
  | 'uploads'
  | 'holds'
  | 'progress'
> & {
  /** Where agents work, where that is not always the workspace. */
  places?: Pick<Parts['places'], 'inTurn'>
  /** Tells other workers whose terminals are here, where there are any. */
  attached?: Pick<Attached, 'keep' | 'leave'>
  config: Pick<Config, 'sandbox' | 'checks' | 'approvals' | 'servers'>
  settings: { path: string }
}

export type Made = Workshop & { sources: Sources; close: () => Promise<void> }

/** What of the house itself steps can reach: mission control, the patterns, work that lasts, other agents, Tickle, the text world. */
type Reached = Pick<Workshop, 'control' | 'library' | 'desk'> & Partial<Pick<Workshop, 'bells' | 'tickle' | 'world'>>

/** What a worker's steps are made with: everything of the machine that they can reach is put together here. */
export const createWorkshop = (
  parts: Machine,
  verdicts: Verdicts,
  { control, library, desk, bells = NO_BELLS, tickle = noTickle, world = NO_WORLD }: Reached,
): Made => {
  const {
    config,
    store,
    live,
    clock,
    workspace,
    shadow,
    holds,
    spills,
    uploads,
    progress,
    settings,
    roomMode,
    ledgers,
  } = parts
  const home: Place = { workspace, shadow, of: null }
  const terminals = createTerminals()
  const { attached } = parts
  /** The stay that terminals and servers of a session were started in: another worker may have ended it. */
  const behind = new Map<string, string>()
  const stayOf = async (session: string): Promise<string> => (await ledgers.of(session)).stay?.started ?? ''
  const end = async (session: string): Promise<void> => {
    await Promise.all([terminals.endAll(session), endSources(session)])
  }
  /** What is left of an earlier stay ends before anything is started in this one. */
  const startIn = async (session: string): Promise<void> => {
    const stay = await stayOf(session)
    const before = behind.get(session)
    behind.set(session, stay)
    if (before !== undefined && before !== stay) await end(session)
  }
  const sweep = async (): Promise<void> => {
    for (const [session, stay] of behind) {
      if ((await stayOf(session)) === stay) continue
      behind.delete(session)
      await end(session)
      tell(attached?.leave(session))
    }
    for (const session of terminals.sessions()) tell(attached?.keep(session))
  }
  /** Not waited for: while Redis is away, what is to end ends all the same. */
  const tell = (telling: Promise<unknown> | undefined): void => void telling?.catch(() => {})
  const sweeping = setInterval(() => void sweep().catch(() => {}), SWEEP_MS).unref()
  const job = async (
    { argv, sandbox, network }: Pick<Command, 'argv' | 'sandbox' | 'network'>,
    spec: PeripheralSpec,
    place: Place,
    signal: AbortSignal,
  ): Promise<Job> => {
    if (sandbox === 'full' && place.of !== null) throw new Error(`${place.of} ${NOT_FROM_HERE}`)
    return {
      argv,
      mode: sandbox,
      network,
      workspace: place.workspace,
      // git itself must see the files as they are: emptied ones would be committed. What it shows is bounded by its arguments.
      hidden: argv[0] === 'git' ? [] : await hiddenIn(place.workspace, spec.scope, settings.path),
      readable: config.sandbox.readable,
      path: settings.path,
      limits: { ...spec.limits, outputBytes: OUTPUT_BYTES },
      signal,
    }
  }
  /** What goes on between steps has the time of a turn. */
  const lasting = async (command: Parameters<typeof job>[0], spec: PeripheralSpec, place: Place): Promise<Job> => {
    const { limits, ...rest } = await job(command, spec, place, new AbortController().signal)
    return { ...rest, limits: { ...limits, seconds: spec.limits.secondsPerTurn } }
  }
  const sourcesIn = (place: Place): Sources =>
    createSources({
      store,
      servers: config.servers,
      jobFor: async ({ argv, network, env }, sandbox, spec) => ({
        ...(await lasting({ argv, sandbox, network }, spec, place)),
        env,
      }),
      plantedBy: async (given, { scope }) => plantedIn(given, scope),
    })
  const sources = sourcesIn(home)
  /** The servers of agents that work elsewhere run where they work. */
  const elsewhere = new Map<string, Sources>()
  const sourcesFor = (place: Place): Sources => {
    if (place.of === null) return sources
    const own = elsewhere.get(place.of) ?? sourcesIn(place)
    elsewhere.set(place.of, own)
    return own
  }
  const endSources = async (session?: string): Promise<void> => {
    await Promise.all([sources, ...elsewhere.values()].map(({ end }) => end(session)))
  }
  return {
    store,
    live,
    clock,
    ledgers,
    walls: parts.walls,
    profileOf: parts.profileOf,
    inhabits: async (agent) => (await parts.agents()).find(({ id }) => id === agent)?.peripherals ?? null,
    placeOf: async (agent, turn) => (await parts.places?.inTurn(agent, turn)) ?? home,
    roomMode,
    path: settings.path,
    sandbox: {
      missing: createProbe(settings.path),
      execute: async (command, { spec, place, signal, objection, said }) => {
        const given = await job(command, spec, place, signal)
        const ran = await execute({ ...given, objection, said })
        // Git has nothing hidden from it, and writes nothing in this sandbox.
        const mayPlant = command.sandbox === 'workspace-write' && command.argv[0] !== 'git'
        return mayPlant ? withPlanted(ran, given, spec) : ran
      },
      terminals: (session, { spec, place, objection }) => ({
        ...terminals.of(session),
        start: async (name, command) => {
          await startIn(session)
          if ((await attached?.keep(session)) === false) return { ok: false, why: ELSEWHERE }
          return terminals.of(session).start(name, { ...(await lasting(command, spec, place)), objection })
        },
      }),
      endTerminals: terminals.endAll,
    },
    sources: {
      ...sources,
      end: endSources,
      find: async (session: string, spec: PeripheralSpec, name: SourceTool, place: Place = home) => {
        await startIn(session)
        return sourcesFor(place).find(session, spec, name)
      },
    },
    spills,
    uploads,
    holds,
    control,
    desk,
    library,
    bells,
    checks: new Map(Object.entries(config.checks)),
    approvalMs: config.approvals.minutes * 60_000,
    progress: progress.say,
    verify: verdicts.reach,
    tickle,
    world,
    close: async () => {
      clearInterval(sweeping)
      const attachedTo = terminals.sessions()
      await Promise.all([terminals.endAll(), endSources()])
      // What is not told lapses by itself.
      await Promise.allSettled(attachedTo.map((session) => attached?.leave(session)))
    },
  }
}

/**
 * A program that made files which nobody may touch has failed, and says which: a tool of the user's own would obey them.
 * They stay, as a person may have made them at the same moment.
 */
const withPlanted = async (ran: Ran, job: Job, { scope }: PeripheralSpec): Promise<Ran> => {
  const planted = await plantedIn(job, scope)
  if (planted === null) return ran
  return { ...ran, exit: ran.exit === 0 ? NOT_ALLOWED : ran.exit, output: `${ran.output}\n[${planted}]\n` }
}

const plantedIn = async ({ workspace, hidden, path }: Job, scope: PeripheralSpec['scope']): Promise<string | null> => {
  const planted = (await hiddenIn(workspace, scope, path)).filter((path) => !hidden.includes(path))
  const names = planted.map((path) => relative(workspace.root, path)).join(', ')
  return names === '' ? null : `there is now ${names}, which nobody may touch: a person should look at it`
}

/** A program that may write to the whole machine has nothing to do in a copy: what it did there could not be merged. */
const NOT_FROM_HERE =
  'works in a checkout of its own, and nothing is committed, pushed or deployed from there: have a person merge it first'

/** Where nothing goes through a pipeline, nobody can be rung for. */
const NOBODY = refused(refusal('agent-unknown', 'there is nobody to ring for here'))
const NO_BELLS: Bells = { jobOf: async () => NOBODY, ring: async () => NOBODY }

/** Where no games are kept, there is none. */
const NOWHERE = refused(refusal('world-failed', 'there is no text world here'))
const NO_WORLD: Workshop['world'] = () => ({
  reset: async () => NOWHERE,
  act: async () => NOWHERE,
  state: async () => NOWHERE,
})

const ELSEWHERE = 'the terminals of this session are with another worker: try again when they have ended'

/** As shells say of what may not be done. */
const NOT_ALLOWED = 126

/** What a program may say in all: what is shown of it is far less, and the rest is kept beside it. */
const OUTPUT_BYTES = 8 * 1024 * 1024

const SWEEP_MS = 1000
