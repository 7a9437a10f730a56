import { setTimeout as sleep } from 'node:timers/promises'
import { createDiscord } from '../../adapters/discord/index.ts'
import { createIrc } from '../../adapters/irc/index.ts'
import type { Network, Outlet, Sent } from '../chat/outlet.ts'
import type { NetworkPort } from '../chat/port.ts'
import { createLedger, type Ledger } from '../delivery/ledger.ts'
import { steadyClock } from '../lib/clock.ts'
import { randomToken } from '../lib/secret.ts'
import { within } from '../lib/within.ts'
import type { NetworkConfig } from '../shapes/networks.ts'
import type { Social } from '../social/pipeline.ts'
import { type Bindings, openBindings } from './bindings.ts'
import { deliverTo } from './delivering.ts'
import type { Running } from './gateway.ts'
import { ownHealthOf } from './health.ts'
import { openHealthPort } from './health-port.ts'
import { networkPort } from './network-port.ts'
import { ircSecrets, secretIn } from './network-secrets.ts'
import { openParts, type Parts, type Settings } from './parts.ts'
import { openSeats, withByHand } from './seats.ts'
import { startSeeing } from './seeing.ts'
import { createSocial } from './social.ts'

/** The bridge is on the networks of the config: hears what is said there, and says what the rooms have to say. */
export const startBridge = async (settings: Settings): Promise<Omit<Running, 'url'>> => {
  const parts = await openParts(settings, 'bridge')
  const { config, log, redis, prefix } = parts
  const closing = new AbortController()
  const secret = randomToken()
  const plain = createSocial(parts, () => closing.signal.aborted, secret)
  const social = withByHand(plain, openSeats(parts, plain), closing.signal)
  const shared: Shared = {
    parts,
    social,
    secret,
    ledger: createLedger({ redis, prefix }),
    bindings: await openBindings(parts, closing.signal),
    drop: (why, who) => void social.sparingly.refuse(who, 'adapter', why),
  }
  // What is missing is known before anything is joined.
  const joins = Object.entries(config.networks).map(([name, network]) => ({
    name,
    network,
    make: makerOf(name, network, settings),
  }))
  const health = () => ownHealthOf(parts, closing.signal.aborted, {})
  const seeing = startSeeing(parts, { part: 'bridge', health })
  const port = await openHealthPort({ at: settings.health ?? null, health, metrics: seeing.own, social, parts })
  const running = joins.map((join) => keepJoined(join, shared, closing.signal))
  log.info('bridge is up', { networks: Object.keys(config.networks) })
  return {
    health: port.url,
    stop: async () => {
      closing.abort()
      // While Redis is away nothing ends in order: what is not settled is said again, marked, after the next start.
      await within(STOP_MS, Promise.all(running)).catch(() => log.warn('the networks were not left in order'))
      await social.sparingly.close()
      await port.close()
      await seeing.stop()
      log.info('bridge is down')
      await parts.close()
    },
  }
}

const STOP_MS = 15_000

type Shared = {
  parts: Parts
  social: Social
  secret: string
  ledger: Ledger
  bindings: Bindings
  drop: NetworkPort['drop']
}

type Join = { name: string; network: NetworkConfig; make: (port: NetworkPort) => Network }

/** The adapter of a network, with all that it is joined by. */
const makerOf = (name: string, config: NetworkConfig, { variables = {}, version }: Settings): Join['make'] => {
  if (config.kind === 'irc') {
    const secrets = ircSecrets(name, config, variables)
    return (port) => createIrc({ config, secrets, port, version })
  }
  const token = secretIn(config.token, name, variables)
  return (port) => createDiscord({ config, token, port })
}

/** How often one that is not on a network looks whether it could be, and one that is says so, as a part of the lease. */
const BEATS = 3

/** A stay on a network: until when nobody else can be on it, what ends it where that is over, and that it has ended. */
type Stay = { until: number; lost: AbortController; over: Promise<void> }

/**
 * Is on a network for as long as nobody else can be; whoever waits takes over when the other one's lease has run out. By
 * then that one is gone, also where it cannot ask: it knows since when it has had no answer.
 */
const keepJoined = async (join: Join, shared: Shared, signal: AbortSignal): Promise<void> => {
  const { parts } = shared
  const { ms } = parts.config.lease
  const beat = Math.floor(ms / BEATS)
  let stay: Stay | null = null
  const begin = (): Stay => {
    const lost = new AbortController()
    const over = stayOn(join, shared, { signal, lost: lost.signal }).finally(() => {
      if (lost.signal.aborted) stay = null
    })
    return { until: 0, lost, over }
  }
  const isOn = (): boolean => stay !== null && !stay.lost.signal.aborted
  const left = (): number => (stay && isOn() ? stay.until - steadyClock() : Number.POSITIVE_INFINITY)
  const lose = (why: string): void => {
    if (!isOn()) return
    parts.log.warn('a network is left to another bridge', { network: join.name, why })
    stay?.lost.abort()
    // Whoever leaves does not report any more how it stands there.
    parts.metrics.set('bellhop_network_up', { network: join.name }, 0)
  }

  while (!signal.aborted) {
    if (left() <= 0) lose('Redis does not answer')
    const asked = steadyClock()
    const ours = await within(Math.min(beat, left()), parts.networks.keep(join.name)).catch(() => null)
    if (ours === false) lose('another one has the lease')
    if (ours === true) {
      stay ??= begin()
      stay.until = asked + ms
    }
    await sleep(Math.max(0, Math.min(beat, left())), null, { signal }).catch(() => {})
  }
  if (!stay) return
  // Whoever is leaving is there until it is gone: nobody else comes before that.
  const leaving = setInterval(() => void parts.networks.keep(join.name).catch(() => {}), beat)
  await stay.over.finally(() => clearInterval(leaving))
  await parts.networks.leave(join.name).catch(() => {})
}

const AGAIN_MS = 5000

/** What ends a stay: in order, or at once, where the network may be another's. */
type Ends = { signal: AbortSignal; lost: AbortSignal }

/** One stay on a network: hears and speaks until it is ended. An adapter that fails is started anew. */
const stayOn = async (join: Join, shared: Shared, { signal, lost }: Ends): Promise<void> => {
  const { parts, bindings } = shared
  const { log } = parts
  const ended = AbortSignal.any([signal, lost])
  while (!ended.aborted) {
    const over = new AbortController()
    const both = AbortSignal.any([ended, over.signal])
    const port = networkPort({
      network: join.name,
      config: join.network,
      note: parts.networks.note,
      signal: both,
      ...shared,
    })
    const network = join.make(port)
    // What is being said is said to its end before the network is left: else it would be said again after a restart.
    const left = new AbortController()
    const delivering = deliverTo(
      { name: join.name, outlet: silentAfter(lost, network.outlet), bindings, ledger: shared.ledger },
      parts,
      both,
    ).finally(() => left.abort())
    await network.run(AbortSignal.any([left.signal, lost])).catch((error: Error) => {
      log.warn('an adapter failed', { network: join.name, error: error.stack ?? error.message })
      port.report({ state: 'lost', detail: error.message })
    })
    over.abort()
    // Where Redis is away, that is when it is back.
    await delivering
    if (!ended.aborted) await sleep(AGAIN_MS, null, { signal: ended }).catch(() => {})
  }
}

/**
 * Says nothing more once the network may be another's. It is in doubt then, and not for later: what is put off takes back
 * that a piece is in flight, and that piece may be the other one's by now.
 */
const silentAfter = (lost: AbortSignal, outlet: Outlet): Outlet => {
  const { edit } = outlet
  const unless = async (say: () => Promise<Sent>): Promise<Sent> =>
    lost.aborted ? { kind: 'unsure', why: 'another bridge may be on the network' } : say()
  return {
    ...outlet,
    send: (spot, body, once) => unless(() => outlet.send(spot, body, once)),
    ...(edit ? { edit: (spot, ref, body) => unless(() => edit.call(outlet, spot, ref, body)) } : {}),
  }
}
