import { setTimeout as sleep } from 'node:timers/promises'
import { createDiscord } from '../../adapters/discord/index.ts'
import { createIrc } from '../../adapters/irc/index.ts'
import type { Network } from '../chat/outlet.ts'
import type { NetworkPort } from '../chat/port.ts'
import { createLedger, type Ledger } from '../delivery/ledger.ts'
import { randomToken } from '../lib/secret.ts'
import { within } from '../lib/within.ts'
import type { NetworkConfig } from '../shapes/networks.ts'
import type { Social } from '../social/pipeline.ts'
import { refuse } from '../social/refuse.ts'
import { createSparingly } from '../social/sparingly.ts'
import { type Bindings, openBindings } from './bindings.ts'
import { deliverTo } from './delivering.ts'
import { networkPort } from './network-port.ts'
import { ircSecrets, secretIn } from './network-secrets.ts'
import { openParts, type Parts, type Settings } from './parts.ts'
import { openSeats, withByHand } from './seats.ts'
import { createSocial } from './social.ts'

/** The bridge is on the networks of the config: hears what is said there, and says what the rooms have to say. */
export const startBridge = async (settings: Settings): Promise<{ stop: () => Promise<void> }> => {
  const parts = await openParts(settings, 'bridge')
  const { config, log, redis, prefix } = parts
  const closing = new AbortController()
  const secret = randomToken()
  const plain = createSocial(parts, () => closing.signal.aborted, secret)
  const social = withByHand(plain, openSeats(parts, plain), closing.signal)
  const sparingly = createSparingly({
    write: (stage, why) => refuse(social, stage, why),
    failed: (error) => log.warn('what was dropped could not be written down', { error: error.message }),
  })
  const shared: Shared = {
    parts,
    social,
    secret,
    ledger: createLedger({ redis, prefix }),
    bindings: await openBindings(parts, closing.signal),
    drop: (why, who) => void sparingly.refuse(who, 'adapter', why),
  }
  // What is missing is known before anything is joined.
  const joins = Object.entries(config.networks).map(([name, network]) => ({
    name,
    network,
    make: makerOf(name, network, settings),
  }))
  const running = joins.map((join) => keepJoined(join, shared, closing.signal))
  log.info('bridge is up', { networks: Object.keys(config.networks) })
  return {
    stop: async () => {
      closing.abort()
      // While Redis is away nothing ends in order: what is not settled is said again, marked, after the next start.
      await within(STOP_MS, Promise.all(running)).catch(() => log.warn('the networks were not left in order'))
      await sparingly.close()
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

/** Is on a network for as long as nobody else is; whoever waits takes over when the other one's lease has run out. */
const keepJoined = async (join: Join, shared: Shared, signal: AbortSignal): Promise<void> => {
  const { parts } = shared
  const registry = parts.networks
  const beat = Math.floor(parts.config.lease.ms / BEATS)
  let stay: { leave: AbortController; over: Promise<void> } | null = null
  while (!signal.aborted) {
    const ours = await registry.keep(join.name).catch(() => null)
    // While Redis is away nobody can take it from us.
    if (ours === true && stay === null) {
      const leave = new AbortController()
      stay = { leave, over: stayOn(join, shared, AbortSignal.any([signal, leave.signal])) }
    }
    if (ours === false && stay !== null) {
      stay.leave.abort()
      await stay.over
      stay = null
    }
    await sleep(beat, null, { signal }).catch(() => {})
  }
  await stay?.over
  if (stay) await registry.leave(join.name).catch(() => {})
}

const AGAIN_MS = 5000

/** One stay on a network: hears and speaks until the signal ends it. An adapter that fails is started anew. */
const stayOn = async (join: Join, shared: Shared, signal: AbortSignal): Promise<void> => {
  const { parts, bindings } = shared
  const { log } = parts
  while (!signal.aborted) {
    const over = new AbortController()
    const both = AbortSignal.any([signal, over.signal])
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
      { name: join.name, outlet: network.outlet, bindings, ledger: shared.ledger },
      parts,
      both,
    ).finally(() => left.abort())
    await network.run(left.signal).catch((error: Error) => {
      log.warn('an adapter failed', { network: join.name, error: error.stack ?? error.message })
      port.report({ state: 'lost', detail: error.message })
    })
    over.abort()
    await delivering
    if (!signal.aborted) await sleep(AGAIN_MS, null, { signal }).catch(() => {})
  }
}
