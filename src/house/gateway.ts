import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../console/app.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { follow as followEvidence } from '../evidence/follow.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { within } from '../lib/within.ts'
import type { Context } from '../operations/operation.ts'
import { operations } from '../operations/table.ts'
import { authorOf, type Person } from '../shapes/person.ts'
import { ok, type Result } from '../shapes/result.ts'
import { authenticate, type TokenOwner } from '../social/authenticate.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { refuse } from '../social/refuse.ts'
import { follow, tail } from '../status/posts.ts'
import { tools } from '../tools/table.ts'
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
    progress: (room, heard) =>
      parts.progress.listen((progress) => {
        if (progress.room === room) heard(progress)
      }),
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
    entryOf: async (spec, room, agent) => {
      const session = await store.openSession(room, agent)
      const entered = await parts.enter(spec, session?.id ?? null)
      return entered.ok ? null : entered.refusal
    },
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
    verifyFiles: parts.verifyFiles,
    verifyStore: parts.verifyStore,
    digest: parts.digest,
    compact: parts.compact,
    closeSession: (session, reason) => closeSession(parts, session, authorOf(person), reason),
    undo: parts.undo,
    helpOf: (tool) => tools[tool].help,
    holds: parts.holds,
    wakeSteps: (session) => {
      parts.steps.wake(session).catch((error: Error) => parts.log.warn('a wake was lost', { error: error.message }))
    },
    now: parts.clock,
    newId,
  }
}

const closeSession = async (
  { store, holds, spills }: Parts,
  { id, room, agent }: SessionRecord,
  author: ReturnType<typeof authorOf>,
  reason: string,
): Promise<Result<null>> => {
  const body = { event: 'session-closed', reason } as const
  const closed = await store.append([sessionDraft({ id: `${id}.closed`, session: id, room, agent, author, body })])
  if (!closed.ok) return closed
  // What a session held and kept aside ends with it; that it may not be reached just now does not keep it open.
  await Promise.allSettled([within(REDIS_MS, holds.release(id)), spills.clear(id)])
  return ok(null)
}

const REDIS_MS = 2000
