import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../console/app.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { follow as followEvidence } from '../evidence/follow.ts'
import type { SessionRecord } from '../evidence/store.ts'
import type { Context } from '../operations/operation.ts'
import { operations } from '../operations/table.ts'
import { authorOf, type Person } from '../shapes/person.ts'
import { ok, type Result } from '../shapes/result.ts'
import { authenticate, type TokenOwner } from '../social/authenticate.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { refuse } from '../social/refuse.ts'
import { follow, tail } from '../status/posts.ts'
import { everybody, healthOf, presenceOf } from './health.ts'
import { startKeeping } from './keeping.ts'
import { openParts, type Parts, type Settings } from './parts.ts'
import { openServer } from './server.ts'
import { startSweep } from './sweep.ts'

export type Running = { url: string; stop: () => Promise<void> }

/** The gateway: the doors, the social pipeline, and the sweep that finds what got lost on the way to the queue. */
export const startGateway = async (settings: Settings): Promise<Running> => {
  const parts = await openParts(settings, 'gateway')
  const { config, store, live, log } = parts
  const drained = new AbortController()
  const social = createSocial(parts, () => drained.signal.aborted)
  const app = createApp({
    hosts: [...config.http.hosts, config.http.host],
    cookie: `bellhop-${parts.secrets.instance}`,
    page: join(settings.root, 'adapters/web/public'),
    health: () => healthOf(parts, drained.signal.aborted),
    admit: (face, credential) => authenticate({ face, credential }, social.owners),
    enter: (room, face) => enter(room, face, config.rooms),
    say: (message) => receive(message, social),
    refuse: (stage, refusal) => refuse(social, stage, refusal),
    contextFor: (person) => contextOf(parts, person, null),
    tail: (room, count) => tail(store, room, count),
    follow: (room, after, signal) => follow(store, live, { room, after }, AbortSignal.any([signal, drained.signal])),
    query: (filters) => store.query(filters),
    followEvidence: (filters, after, signal) =>
      followEvidence(store, live, { filters, after }, AbortSignal.any([signal, drained.signal])),
    newId: parts.newId,
    log: log.warn,
  })
  const { host, port } = config.http
  const server = await openServer(getRequestListener(app.fetch), host, port).catch(async (error) => {
    await parts.close()
    throw error
  })
  const sweep = startSweep(parts)
  const keeping = startKeeping(parts)
  log.info('gateway is up', { url: server.url })

  return {
    url: server.url,
    stop: async () => {
      drained.abort()
      await sweep.stop()
      keeping.stop()
      await server.close(config.drainMs)
      await parts.signHead()
      log.info('gateway is down')
      await parts.close()
    },
  }
}

const createSocial = (parts: Parts, draining: () => boolean): Social => {
  const { config, specs, store, secrets, owner, turns, log } = parts
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
    presenceOf: (agent) => presenceOf(parts, agent),
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
  const { store, config, specs, roomMode, newId } = parts
  return {
    person,
    room,
    store,
    who: () => everybody(parts),
    rooms: config.rooms,
    roomMode,
    specs,
    verify: parts.verify,
    verifyStore: parts.verifyStore,
    digest: parts.digest,
    compact: parts.compact,
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
