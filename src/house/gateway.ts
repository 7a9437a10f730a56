import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../console/app.ts'
import { createFront } from '../console/front.ts'
import { principalOf } from '../doors/admit.ts'
import { follow as followEvidence } from '../evidence/follow.ts'
import { exportFound } from '../evidence/transfer/export-found.ts'
import type { Extend } from '../mcp/house.ts'
import { leaveWith } from '../operations/entering.ts'
import { receive } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { openItems } from '../status/follow-items.ts'
import { follow, tail } from '../status/posts.ts'
import { bringing } from './bringing.ts'
import { doorway, hostsOf, openDoors } from './doors.ts'
import { healthOf } from './health.ts'
import { openHealthPort } from './health-port.ts'
import { startKeeping } from './keeping.ts'
import { openParts, type Settings } from './parts.ts'
import { endLapsed, openSeats, seatDoor, withByHand } from './seats.ts'
import { startSeeing } from './seeing.ts'
import { openServer } from './server.ts'
import { signingIn } from './signing-in.ts'
import { contextOf, createSocial } from './social.ts'
import { startSweep } from './sweep.ts'
import { whistling } from './whistling.ts'

/** Where it is, where it says how it is, and how it is ended. */
export type Running = { url: string; health: string | null; stop: () => Promise<void> }

/**
 * The gateway: the doors, the social pipeline, and the sweep that finds what got lost on the way to the queue. What its MCP
 * door offers can be added to, for a profile that is tested against.
 */
export const startGateway = async (settings: Settings, extend: Extend | null = null): Promise<Running> => {
  const parts = await openParts(settings, 'gateway')
  const { config, store, live, feed, log } = parts
  const drained = new AbortController()
  const plain = createSocial(parts, () => drained.signal.aborted)
  const seated = openSeats(parts, plain)
  const social = withByHand(plain, seated, drained.signal)
  const way = doorway(parts, social, seated)
  const health = () => healthOf(parts, drained.signal.aborted)
  const seeing = startSeeing(parts, { part: 'gateway', health })
  const app = createApp({
    hosts: hostsOf(config.http),
    version: settings.version,
    cookie: `bellhop-${parts.secrets.instance}`,
    front: config.http,
    pace: way.pace,
    page: join(settings.root, 'adapters/web/public'),
    health,
    metrics: seeing.all,
    admit: (face, credential) => principalOf({ door: 'http', face, credential }, social),
    signIn: signingIn(parts, social),
    signOut: (token) => leaveWith(token, { store, now: parts.clock }),
    stillValid: way.stillValid,
    enter: async (room, face) => enter(room, face, await social.roomsFor(room)),
    say: whistling((message, heard) => receive(message, { ...social, heard }), parts, drained.signal),
    refuseSparingly: way.refuseSparingly,
    refused: way.refused,
    contextFor: (principal, gone) => {
      const keeps = { clientMs: config.doors.clientMs, gone }
      return contextOf(parts, principal.person, null, principal.grant && seatDoor(principal, seated, keeps))
    },
    tail: (room, count) => tail(store, room, count),
    follow: (room, after, signal) => follow(store, feed, { room, after }, AbortSignal.any([signal, drained.signal])),
    progress: (room, heard) =>
      parts.progress.listen((progress) => {
        if (room === null || progress.room === room) heard(progress)
      }),
    items: (wanted) => openItems(store, feed, wanted, drained.signal),
    query: (filters) => store.query(filters),
    followEvidence: (filters, after, signal) =>
      followEvidence(store, live, { filters, after }, AbortSignal.any([signal, drained.signal])),
    exportEvidence: (filters, signal) => exportFound(store, filters, AbortSignal.any([signal, drained.signal])),
    ...bringing(parts, social.roomsFor, drained.signal),
    newId: parts.newId,
    log: log.warn,
  })
  const server = await openServer({
    answer: getRequestListener(app.fetch),
    doors: openDoors(parts, social, way, extend),
    host: config.http.host,
    port: config.http.port,
    log: log.warn,
    answered: ({ id, door, method, path, status, seconds }) => {
      parts.metrics.observe('bellhop_http_seconds', { door, status: `${Math.floor(status / 100)}xx` }, seconds)
      log.debug('a request was answered', { request: id, method, path, status, ms: Math.round(seconds * 1000) })
    },
    byProxy: createFront(config.http).isProxy,
  }).catch(async (error) => {
    await seeing.stop()
    await parts.close()
    throw error
  })
  const port = await openHealthPort({
    at: settings.health ?? null,
    health,
    metrics: seeing.own,
    social,
    parts,
  }).catch(async (error) => {
    await server.close(0)
    await parts.close()
    throw error
  })
  const sweep = startSweep(parts, () => endLapsed(parts, seated))
  const keeping = startKeeping(parts)
  log.info('gateway is up', { url: server.url })

  return {
    url: server.url,
    health: port.url,
    stop: async () => {
      drained.abort()
      await sweep.stop()
      keeping.stop()
      await server.close(config.drainMs)
      await port.close()
      await seeing.stop()
      await way.close()
      await parts.signHead()
      log.info('gateway is down')
      await parts.close()
    },
  }
}
