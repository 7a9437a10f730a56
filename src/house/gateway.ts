import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp, type Health } from '../console/app.ts'
import { BELLHOP, houseDraft, sessionDraft } from '../evidence/drafts.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { Problem } from '../lib/problem.ts'
import type { Context } from '../operations/operation.ts'
import { operations } from '../operations/table.ts'
import type { Presence } from '../shapes/agent.ts'
import { authorOf, type Person } from '../shapes/person.ts'
import { ok, type Result } from '../shapes/result.ts'
import { authenticate, type TokenOwner } from '../social/authenticate.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { follow, tail } from '../status/posts.ts'
import { openParts, type Parts, type Settings } from './parts.ts'

export type Running = { url: string; stop: () => Promise<void> }

/** How long a line waits for the registry, and a stop for the sweep: while Redis is away they would wait for ever. */
const REGISTRY_MS = 2000
const SWEEP_MS = 2000

/** The gateway: the doors, the social pipeline, and the sweep that finds what got lost on the way to the queue. */
export const startGateway = async (settings: Settings): Promise<Running> => {
  const parts = await openParts(settings, 'gateway')
  const { config, store, live, log } = parts
  const drained = new AbortController()
  const social = createSocial(parts, () => drained.signal.aborted)
  const app = createApp({
    hosts: config.http.hosts,
    cookie: `bellhop-${parts.secrets.instance}`,
    page: join(settings.root, 'adapters/web/public'),
    health: () => healthOf(parts, drained.signal.aborted),
    admit: (face, credential) => authenticate({ face, credential }, social.owners),
    enter: (room, face) => enter(room, face, config.rooms),
    say: (message) => receive(message, social),
    contextFor: (person) => contextOf(parts, person, null),
    tail: (room, count) => tail(store, room, count),
    follow: (room, after, signal) => follow(store, live, { room, after }, AbortSignal.any([signal, drained.signal])),
    newId: parts.newId,
    log: log.warn,
  })
  const server = createServer(getRequestListener(app.fetch))
  const underWay = requestsOf(server)
  const url = await listen(server, config.http.host, config.http.port).catch(async (error) => {
    await parts.close()
    throw error
  })
  const sweep = every(config.sweepMs, () => sweepOnce(parts), log.warn)
  log.info('gateway is up', { url })

  return {
    url,
    stop: async () => {
      drained.abort()
      await within(SWEEP_MS, sweep.stop()).catch(() => log.warn('the sweep did not end: Redis does not answer'))
      await closed(server, underWay, config.drainMs)
      log.info('gateway is down')
      await parts.close()
    },
  }
}

const createSocial = (parts: Parts, draining: () => boolean): Social => {
  const { config, specs, store, secrets, owner, registry, turns, log } = parts
  const owners: TokenOwner[] = [
    { token: secrets.admin, name: owner, role: 'admin' },
    { token: secrets.operator, name: owner, role: 'operator' },
  ]
  return {
    rooms: config.rooms,
    owners,
    agents: config.agents,
    specs,
    vocabulary: { operations, peripherals: [...specs.keys()], agents: config.agents },
    store,
    draining,
    roomMode: parts.roomMode,
    presenceOf: (agent) => within(REGISTRY_MS, registry.presence(agent)).catch(() => unreachable(agent)),
    contextFor: (person, room) => contextOf(parts, person, room),
    enqueue: (session) => {
      turns
        .wake(session)
        .catch((error: Error) => log.warn('a wake was lost; the sweep will find it', { error: error.message }))
    },
    newId: parts.newId,
    log: log.warn,
  }
}

const contextOf = (parts: Parts, person: Person, room: string | null): Context => {
  const { store, registry, config, specs, roomMode, newId } = parts
  return {
    person,
    room,
    store,
    who: () => within(REGISTRY_MS, registry.who()).catch(() => config.agents.map(({ id }) => unreachable(id))),
    rooms: config.rooms,
    roomMode,
    specs,
    verify: parts.verify,
    closeSession: (session, reason) => closeSession(parts, session, authorOf(person), reason),
    newId,
  }
}

const closeSession = async (
  { store }: Parts,
  { id, room, agent }: SessionRecord,
  author: ReturnType<typeof authorOf>,
  reason: string,
): Promise<Result<null>> => {
  const body = { event: 'session-closed', reason } as const
  const closed = await store.append([sessionDraft({ id: `${id}.closed`, session: id, room, agent, author, body })])
  return closed.ok ? ok(null) : closed
}

/** Wakes every session that has work left, and tells the rooms whose lease ran out. */
const sweepOnce = async ({ store, turns, registry, config, newId, log }: Parts): Promise<void> => {
  for (const session of await store.unfinished()) await turns.wake(session)
  const rooms = config.rooms.map(({ id }) => id)
  for (const agent of await registry.lapsed()) {
    const told = await store.append([houseDraft(newId(), { event: 'presence', agent }, rooms, BELLHOP)])
    if (!told.ok) log.warn('a lapse could not be written down', { agent: agent.id, ...told.refusal })
  }
}

const healthOf = async ({ redis, registry, config, settings }: Parts, draining: boolean): Promise<Health> => {
  const up = await within(1000, redis.ping()).then(
    () => true,
    () => false,
  )
  const agents = await Promise.all(
    config.agents.map(({ id }) =>
      up ? within(1000, registry.presence(id)).catch(() => unreachable(id)) : unreachable(id),
    ),
  )
  return {
    ready: up && !draining && agents.every(({ readiness }) => readiness === 'ready'),
    version: settings.version,
    up: { redis: up ? 'up' : 'down', ...Object.fromEntries(agents.map(({ id, readiness }) => [id, readiness])) },
  }
}

const unreachable = (id: string): Presence => ({
  id,
  type: null,
  readiness: 'absent',
  peripherals: [],
  reason: 'the registry cannot be reached',
})

/** A promise that does not wait for ever: Redis commands do, while the connection is gone. */
const within = <T>(ms: number, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** Does something again and again, never twice at once. */
const every = (
  ms: number,
  task: () => Promise<void>,
  warn: (message: string, fields: Record<string, unknown>) => void,
) => {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= task()
      .catch((error: Error) => warn('the sweep failed', { error: error.message }))
      .finally(() => {
        running = null
      })
  }, ms)
  return {
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await running
    },
  }
}

const listen = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      const what = taken ? `port ${port} on ${host} is taken` : `cannot listen on ${host}:${port}: ${error.code}`
      reject(new Problem(what, 'choose another with --port N, or --port 0 for any free one'))
    })
    server.listen(port, host, () => {
      const bound = server.address() as AddressInfo
      const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
      resolve(`http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`)
    })
  })

/** How many requests are under way. */
const requestsOf = (server: Server): (() => number) => {
  let underWay = 0
  server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => underWay--)
  })
  return () => underWay
}

/** Lets requests that are under way end, up to a limit; a browser also holds connections that carry none. */
const closed = (server: Server, underWay: () => number, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms)
    const look = setInterval(() => underWay() === 0 && server.closeAllConnections(), 20)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(look)
      resolve()
    })
  })
