import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { refuseUpgrade } from '../lib/turn-away.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { type Caller, openConnection, type Parts } from './connection.ts'
import { createHandshake } from './handshake.ts'
import { type AgentsHouse, type Asked, LIMITS } from './house.ts'
import { createInvokes } from './invokes.ts'
import { CLOSED } from './outbox.ts'
import { createRoster } from './roster.ts'
import { createRoute } from './route.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { createWork } from './work.ts'

/** The door's name: what comes in by it is signed with that. */
const DOOR = 'agents'
/** How long connections have to close in order. */
const CLOSE_MS = 3000

/** The door where any program can be an agent: WebSocket connections, and everything that is kept for them. */
export const createAgentsDoor = (house: AgentsHouse) => {
  const { registry, store, feed, hold, announce, lease, log } = house
  const limits = { ...LIMITS, ...house.limits }
  const wire = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false,
  })
  const roster = createRoster(house)
  const work = createWork(house)
  const invokes = createInvokes({ ...house, roster, stopOf: work.stopOf })
  const sockets = new Set<WebSocket>()
  const readers = new Set<Subscriptions>()
  const tokens = createTally()
  let strangers = 0
  let made = 0
  let closing = false
  let ear: Promise<() => void> | null = null

  const heard = (entry: Entry): void => {
    invokes.heard(entry)
    for (const reader of readers) reader.heard(entry)
  }

  const listening = async (): Promise<number> => {
    ear ??= feed.listen(heard)
    await ear.catch((error) => {
      ear = null
      throw error
    })
    return store.head()
  }

  const parts: Omit<Parts, 'known' | 'joined'> = {
    house,
    limits,
    handshake: createHandshake(house, roster),
    route: createRoute(work),
    listening,
    subscriptionsOf: (peer) => createSubscriptions({ ...house, limits, peer }),
    forsaken: ({ grant }, holder) => quietly(registry.leave(grant.agent, holder), 'a lease was left to lapse'),
  }

  const quietly = (promise: Promise<unknown>, message: string): void => {
    promise.catch((error: Error) => log(message, { error: error.message }))
  }

  const beating = setInterval(() => {
    if (roster.size() === 0) return
    quietly(roster.beat(), 'a beat failed')
    invokes.look()
  }, lease.heartbeatMs).unref()

  const open = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => {})
    admission(request)
      .then((caller) => {
        if ('refusal' in caller) return refuseUpgrade(socket, caller.refusal)
        wire.handleUpgrade(request, socket, head, (opened) => connect(opened, caller))
      })
      .catch((error: Error) => {
        log('a connection could not be opened', { error: error.message })
        refuseUpgrade(socket, refusal('store-failed', 'the connection could not be opened'))
      })
  }

  /** Who opens a connection: somebody with a token, or a stranger, who brings it with hello. */
  const admission = async (request: Asked): Promise<Caller | { refusal: Refusal }> => {
    if (closing) return { refusal: refusal('draining', 'this instance is going down') }
    const admitted = await house.admit(request, DOOR)
    const isStranger = !admitted.ok && request.headers.authorization === undefined
    if (!admitted.ok && !(isStranger && admitted.refusal.code === 'unauthenticated')) return admitted
    const principal = admitted.ok ? admitted.value : null
    const many = tooMany(principal)
    if (many) return { refusal: refusal('connections-exceeded', many) }
    const admit = (token: string | null) => house.admit(token === null ? request : bearing(request, token), DOOR)
    return { holder: `${house.holder}/${++made}`, principal, admit }
  }

  const tooMany = (principal: Principal | null): string | null => {
    if (sockets.size >= limits.connections) return `there are ${limits.connections} connections already`
    if (principal === null)
      return strangers < limits.strangers ? null : 'too many have not yet said who they are: send the token as a header'
    return tokens.of(principal.key) < limits.perToken ? null : `there are ${limits.perToken} with this token already`
  }

  const connect = (socket: WebSocket, caller: Caller): void => {
    let key = caller.principal?.key ?? null
    let reader: Subscriptions | null = null
    sockets.add(socket)
    if (key === null) strangers++
    else tokens.add(key)
    const connection = openConnection(socket, caller, {
      ...parts,
      known: (principal) => {
        strangers--
        key = principal.key
        tokens.add(key)
      },
      joined: (peer, subscriptions, { back, grant, peripherals }) => {
        const { agent: id, type } = grant
        reader = subscriptions
        readers.add(subscriptions)
        roster.join(peer)
        if (peer.turn) quietly(hold(peer.turn.session, lease.ms, peer.holder), 'a turn could not be held')
        const presence = { id, type, readiness: 'ready', peripherals, reason: null } as const
        if (!back) quietly(announce(presence), 'a presence could not be told')
        invokes.look()
      },
    })
    socket.on('close', () => {
      sockets.delete(socket)
      if (key === null) strangers--
      else tokens.remove(key)
      if (reader) readers.delete(reader)
      const peer = connection.peer()
      if (peer) roster.part(peer)
    })
  }

  const close = async (): Promise<void> => {
    closing = true
    clearInterval(beating)
    await roster.dismiss()
    for (const socket of sockets) socket.close(CLOSED.away, 'draining')
    const limit = performance.now() + CLOSE_MS
    while (sockets.size > 0 && performance.now() < limit) await setTimeout(20)
    for (const socket of sockets) socket.terminate()
    await invokes.settled()
    const hush = await ear?.catch(() => null)
    hush?.()
  }

  return { open, connections: (): number => sockets.size, close }
}

/** The same request, with a token that was said later. */
const bearing = ({ headers }: Asked, token: string): Asked => ({
  headers: { ...headers, authorization: `Bearer ${token}` },
})

/** How many there are of each. */
const createTally = () => {
  const counts = new Map<string, number>()
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    of,
    add: (key: string): void => void counts.set(key, of(key) + 1),
    remove: (key: string): void => {
      if (of(key) > 1) counts.set(key, of(key) - 1)
      else counts.delete(key)
    },
  }
}
