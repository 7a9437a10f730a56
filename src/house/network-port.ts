import type { NetworkPort } from '../chat/port.ts'
import type { Ledger } from '../delivery/ledger.ts'
import { houseDraft } from '../evidence/drafts.ts'
import { everyEntry } from '../evidence/every.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { within } from '../lib/within.ts'
import { commandRows } from '../operations/commands.ts'
import type { Message } from '../shapes/message.ts'
import type { Sender } from '../shapes/network.ts'
import type { NetworkConfig, NetworkStanding } from '../shapes/networks.ts'
import { refusal } from '../shapes/refusal.ts'
import { refused } from '../shapes/result.ts'
import { ask } from '../social/ask.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { follow, tail } from '../status/posts.ts'
import type { Bindings } from './bindings.ts'
import type { Parts } from './parts.ts'

type Options = {
  network: string
  config: NetworkConfig
  parts: Parts
  social: Social
  bindings: Bindings
  ledger: Ledger
  secret: string
  /** Writes a refusal down, of many alike the first ones. */
  drop: NetworkPort['drop']
  note: (standing: NetworkStanding) => Promise<void>
  signal: AbortSignal
}

/** The port of the house for the adapter of one network. */
export const networkPort = (options: Options): NetworkPort => {
  const { network, config, parts, social, bindings, ledger, secret } = options
  const { store, feed, clock, log } = parts
  const credential = (sender: Sender | undefined): Message['credential'] => ({
    token: secret,
    as: null,
    ...(sender ? { sender } : {}),
  })
  const { rooms, http } = parts.config

  return {
    network,
    say: ({ sender, id, room, text, command }) =>
      receive(
        { id, room, text, face: config.kind, credential: credential(sender), ...(command ? { command } : {}) },
        social,
      ),
    follow: async (room, from, ears, signal) => {
      const after = typeof from === 'number' ? from : 0
      const last = typeof from === 'number' ? [] : await tail(store, room, from.tail)
      ears.open?.()
      for (const post of last) ears.post(post)
      const posts = follow(store, feed, { room, after: last.at(-1)?.position ?? after }, signal)
      for await (const post of posts) ears.post(post)
    },
    ask: ({ name, input = {}, room = rooms[0]?.id ?? '', sender }) =>
      sender
        ? ask({ name, input, room, face: config.kind, credential: credential(sender) }, social)
        : Promise.resolve(refused(refusal('unauthenticated', 'somebody has to ask'))),
    roomOf: (channel) => bindings.roomOf(network, channel),
    channels: () => bindings.channels(network),
    commands: commandRows({ specs: parts.specs }),
    agents: parts.agents,
    drop: options.drop,
    linkTo: ({ room, id }) =>
      http.public === null ? null : new URL(`?room=${encodeURIComponent(room)}#post-${id}`, http.public).href,
    memory: {
      get: (key) => ledger.recall(network, key),
      set: (key, value) => ledger.remember(network, key, value),
    },
    report: createReport(options, new Date(clock()).toISOString()),
    log: (message, fields = {}) => log.info(message, { network, ...fields }),
  }
}

/** How long Redis may take to say whose a network is: while it is away, nobody else has come. */
const OURS_MS = 2000

/** Notes how it stands with a network, and tells its rooms where that is something else than they were told last. */
const createReport = ({ network, config, parts, note, signal }: Options, started: string): NetworkPort['report'] => {
  const { store, newId, clock, log } = parts
  let before: NetworkStanding = { network, state: 'connecting', detail: '', since: started }
  const inTurn = oneAtATime()
  const tell = async ({ state, detail }: NetworkStanding): Promise<void> => {
    if (state === 'connecting' || state === (await lastTold(network, store))) return
    // Who stood still may have lost the network to another by now, and that one says how it stands.
    if (!(await within(OURS_MS, parts.networks.isOurs(network)).catch(() => true))) return
    const rooms = [...new Set(Object.values(config.channels))]
    const told = await store.append([houseDraft(newId(), { event: 'network-noted', network, state, detail }, rooms)])
    if (!told.ok) log.warn('how a network stands could not be written down', { network, ...told.refusal })
  }
  return ({ state, detail }) => {
    // Whoever leaves loses nothing: that the connection ends then is what was asked for.
    if (signal.aborted) return
    const changed = state !== before.state
    const since = changed ? new Date(clock()).toISOString() : before.since
    const now: NetworkStanding = { network, state, detail, since }
    before = now
    if (changed) parts.metrics.count('bellhop_network_changes_total', { network, state })
    parts.metrics.set('bellhop_network_up', { network }, state === 'connected' ? 1 : 0)
    log[state === 'connected' ? 'info' : 'warn'](`${network} is ${state}`, { detail })
    const failed = (error: Error) => log.warn('how a network stands could not be noted', { error: error.message })
    note(before).catch(failed)
    if (changed) inTurn(network, () => tell(now)).catch(failed)
  }
}

/**
 * What the rooms of a network were told of it last, by whichever process was on it then: who was told that it is lost is
 * told that it is back. That it is connected is what everybody expects who was told nothing.
 */
const lastTold = async (network: string, store: Parts['store']): Promise<NetworkStanding['state']> => {
  const wanted = { event: 'network-noted', ephemeral: 'with', order: 'newest' } as const
  for await (const { body } of everyEntry(store, wanted)) {
    if (body?.event === 'network-noted' && body.network === network) return body.state
  }
  return 'connected'
}
