import { type Described, holdAgainstPin } from '../evidence/pins.ts'
import type { Store } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { Job } from '../sandbox/job.ts'
import type { ServerConfig } from '../shapes/config.ts'
import { isOwnTool, type PeripheralSpec, type SandboxMode, type SourceTool, sourceOf } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Around, Said, Sourced } from '../tools/source.ts'
import { wrongArguments } from './arguments.ts'
import { type Server, startServer } from './server.ts'

type Options = {
  store: Pick<Store, 'query' | 'append' | 'hashBody'>
  servers: Readonly<Record<string, ServerConfig>>
  /** How a server is started behind a wall, in a sandbox that is no wider than the one given. */
  jobFor: (server: ServerConfig, mode: SandboxMode, spec: PeripheralSpec) => Promise<Job>
  /** What a server that could write has made which nobody may touch, in a sentence; null where nothing. */
  plantedBy: (job: Job, spec: PeripheralSpec) => Promise<string | null>
}

export type Sources = ReturnType<typeof createSources>

/** By wall and server, from the moment they are being started; a sentence where they could not be. */
type Kept = Map<string, Promise<Server | string>>

/**
 * The tools of other MCP servers. What they are is asked of a server that can only read, which goes on for as long as the
 * stay; one that may write runs for a single call, so that what it wrote is known to be that call's.
 */
export const createSources = ({ store, servers, jobFor, plantedBy }: Options) => {
  const sessions = new Map<string, Kept>()

  const start = async (server: string, mode: SandboxMode, spec: PeripheralSpec): Promise<Started | string> => {
    const config = servers[server]
    if (!config) return 'is not among servers in the config'
    const job = await jobFor(config, mode, spec)
    const started = await startServer(job)
    return typeof started === 'string' ? started : { server: started, job }
  }

  /** What throws is a sentence too: who waits for a start waits for an answer. */
  const starting = async (server: string, spec: PeripheralSpec): Promise<Server | string> => {
    const started = await start(server, 'read-only', spec).catch((error: Error) => `fails: ${error.message}`)
    return typeof started === 'string' ? started : started.server
  }

  /** The server of a stay that can only read; where it has ended, another. */
  const keptFor = async (session: string, spec: PeripheralSpec, server: string): Promise<Server | string> => {
    const kept: Kept = sessions.get(session) ?? new Map()
    sessions.set(session, kept)
    const key = `${spec.id} ${server}`
    const before = kept.get(key)
    const known = await before
    if (known !== undefined && typeof known !== 'string' && known.runs()) return known
    // Somebody else may have begun meanwhile.
    const next = kept.get(key) === before ? starting(server, spec) : (kept.get(key) ?? starting(server, spec))
    kept.set(key, next)
    await next
    // The stay may have ended meanwhile.
    if (sessions.get(session) !== kept) await endOne(next)
    return next
  }

  /** What a server says of a tool, where that is what was accepted, and the entry that accepted it. */
  const looked = async (name: SourceTool, running: Server | string): Promise<Result<Looked>> => {
    const { server, tool } = sourceOf(name)
    const listed = typeof running === 'string' ? running : await running.list()
    if (typeof listed === 'string') return refused(failing(server, listed))
    const described = listed.get(tool)
    if (!described) return refused(failing(server, `has no tool ${tool}; it has ${namesOf(listed)}`))
    const pin = await holdAgainstPin(store, name, described)
    return pin.ok ? ok({ pin: pin.value, described }) : pin
  }

  /** Calls a tool, where the server that is to do it says of it what was accepted. */
  const calledBy = async (running: Server | string, { name, args, pin }: Call, around: Around): Promise<Said> => {
    const found = await looked(name, running)
    if (!found.ok || typeof running === 'string')
      return notCalled(found.ok ? 'its server is gone' : found.refusal.message)
    if (found.value.pin !== pin) return notCalled('it is not what it was a moment ago')
    return running.call(sourceOf(name).tool, args, around)
  }

  /** A server for one call, that may write: it is gone before anybody looks what it did. */
  const calledOnce = async (call: Call, spec: PeripheralSpec, around: Around): Promise<Said> => {
    const { server } = sourceOf(call.name)
    const started = await start(server, around.sandbox, spec)
    if (typeof started === 'string') return notCalled(`the server ${server} ${started}`)
    const said = await calledBy(started.server, call, around).catch((error: Error) => notCalled(error.message))
    const note = await started.server.end()
    const planted = await plantedBy(started.job, spec)
    const wrong = [note, planted].filter(Boolean).join('\n')
    return wrong === ''
      ? said
      : { text: said.text, failed: [said.failed, `did what it may not: ${wrong}`].filter(Boolean).join('; ') }
  }

  const find = async (session: string, spec: PeripheralSpec, name: SourceTool): Promise<Result<Sourced>> => {
    const { server } = sourceOf(name)
    const found = await looked(name, await keptFor(session, spec, server))
    if (!found.ok) return found
    const { pin, described } = found.value
    return ok({
      pin,
      sandbox: servers[server]?.sandbox ?? 'read-only',
      wrong: (args) => wrongArguments(described.inputSchema, args),
      call: async (args, around) => {
        const call = { name, args, pin }
        if (around.sandbox !== 'read-only') return calledOnce(call, spec, around)
        return calledBy(await keptFor(session, spec, server), call, around)
      },
    })
  }

  /** Ends the servers of a session, or all there are. */
  const end = async (session?: string): Promise<void> => {
    const ending = [...sessions].filter(([id]) => session === undefined || id === session)
    for (const [id] of ending) sessions.delete(id)
    await Promise.all(ending.flatMap(([, kept]) => [...kept.values()].map(endOne)))
  }

  return {
    find,
    end,
    /** Looks once at all that walls name, so that agents can be told of it; answers what is wrong. */
    lookAt: async (specs: readonly PeripheralSpec[], signal: AbortSignal): Promise<Refusal[]> => {
      const named = specs.flatMap((spec) => foreignIn(spec).map((name) => ({ spec, name })))
      const wrong: Refusal[] = []
      for (const { spec, name } of named) {
        const found = signal.aborted ? null : await find(LOOKING, spec, name)
        if (found?.ok === false) wrong.push(found.refusal)
      }
      await end(LOOKING)
      return wrong
    },
  }
}

/** No session has this name. */
const LOOKING = ''

const foreignIn = ({ tools }: PeripheralSpec): SourceTool[] => tools.filter((name) => !isOwnTool(name))

type Started = { server: Server; job: Job }
type Looked = { pin: string; described: Described }
type Call = { name: SourceTool; args: Record<string, unknown>; pin: string }

const notCalled = (why: string): Said => ({ text: '', failed: `was not called: ${why}` })

const failing = (server: string, why: string): Refusal => refusal('server-failed', `the server ${server} ${why}`)

const SHOWN = 500

const namesOf = (listed: ReadonlyMap<string, Described>): string => oneLine([...listed.keys()].join(', '), SHOWN)

const endOne = async (starting: Promise<Server | string>): Promise<void> => {
  const server = await starting
  if (typeof server !== 'string') await server.end()
}
