import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../console/app.ts'
import { principalOf } from '../doors/admit.ts'
import { follow as followEvidence } from '../evidence/follow.ts'
import { exportFound } from '../evidence/transfer/export-found.ts'
import type { Extend } from '../mcp/house.ts'
import { leaveWith } from '../operations/entering.ts'
import { receive } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { refuse } from '../social/refuse.ts'
import { openItems } from '../status/follow-items.ts'
import { follow, tail } from '../status/posts.ts'
import { bringing } from './bringing.ts'
import { doorway, hostsOf, openDoors } from './doors.ts'
import { healthOf } from './health.ts'
import { startKeeping } from './keeping.ts'
import { openParts, type Settings } from './parts.ts'
import { endLapsed, openSeats, seatDoor, withByHand } from './seats.ts'
import { openServer } from './server.ts'
import { signingIn } from './signing-in.ts'
import { contextOf, createSocial } from './social.ts'
import { startSweep } from './sweep.ts'
import { whistling } from './whistling.ts'

export type Running = { url: string; stop: () => Promise<void> }

/**
 * The gateway: the doors, the social pipeline, and the sweep that finds what got lost on the way to the queue. What its MCP
 * door offers can be added to, for a profile that is tested against.
 */
export const startGateway = async (settings: Settings, extend: Extend | null = null): Promise<Running> => {
  const parts = await openParts(settings, 'gateway')
  const { config, store, live, log } = parts
  const drained = new AbortController()
  const plain = createSocial(parts, () => drained.signal.aborted)
  const seated = openSeats(parts, plain)
  const social = withByHand(plain, seated, drained.signal)
  const way = doorway(parts, social, seated)
  const app = createApp({
    hosts: hostsOf(config.http),
    version: settings.version,
    cookie: `bellhop-${parts.secrets.instance}`,
    front: config.http,
    pace: { burst: config.doors.requestsAtOnce, perSecond: config.doors.requestsPerSecond },
    page: join(settings.root, 'adapters/web/public'),
    health: () => healthOf(parts, drained.signal.aborted),
    admit: (face, credential) => principalOf({ door: 'http', face, credential }, social),
    signIn: signingIn(parts, social),
    signOut: (token) => leaveWith(token, { store, now: parts.clock }),
    stillValid: way.stillValid,
    enter: async (room, face) => enter(room, face, await social.roomsFor(room)),
    say: whistling((message, heard) => receive(message, { ...social, heard }), parts, drained.signal),
    refuse: (stage, refusal) => refuse(social, stage, refusal),
    refuseSparingly: way.refuseSparingly,
    contextFor: (principal, gone) => {
      const keeps = { clientMs: config.doors.clientMs, gone }
      return contextOf(parts, principal.person, null, principal.grant && seatDoor(principal, seated, keeps))
    },
    tail: (room, count) => tail(store, room, count),
    follow: (room, after, signal) => follow(store, live, { room, after }, AbortSignal.any([signal, drained.signal])),
    progress: (room, heard) =>
      parts.progress.listen((progress) => {
        if (room === null || progress.room === room) heard(progress)
      }),
    items: (wanted) => openItems(store, live, wanted, drained.signal),
    query: (filters) => store.query(filters),
    followEvidence: (filters, after, signal) =>
      followEvidence(store, live, { filters, after }, AbortSignal.any([signal, drained.signal])),
    exportEvidence: (filters, signal) => exportFound(store, filters, AbortSignal.any([signal, drained.signal])),
    ...bringing(parts, social.roomsFor, drained.signal),
    newId: parts.newId,
    log: log.warn,
  })
  const { host, port } = config.http
  const server = await openServer({
    answer: getRequestListener(app.fetch),
    doors: openDoors(parts, social, way, extend),
    host,
    port,
    log: log.warn,
  }).catch(async (error) => {
    await parts.close()
    throw error
  })
  const sweep = startSweep(parts, () => endLapsed(parts, seated))
  const keeping = startKeeping(parts)
  log.info('gateway is up', { url: server.url })

  return {
    url: server.url,
    stop: async () => {
      drained.abort()
      await sweep.stop()
      keeping.stop()
      await server.close(config.drainMs)
      await way.close()
      await parts.signHead()
      log.info('gateway is down')
      await parts.close()
    },
  }
}
