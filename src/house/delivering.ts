import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outlet, Sent, Spot } from '../chat/outlet.ts'
import { createCards } from '../delivery/cards.ts'
import { createDelivery, type Note } from '../delivery/deliver.ts'
import { type Ledger, type Stream, streamName } from '../delivery/ledger.ts'
import { houseDraft } from '../evidence/drafts.ts'
import { everyEntry } from '../evidence/every.ts'
import { near } from '../evidence/near.ts'
import { showOf } from '../evidence/room-settings.ts'
import { steadyClock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Post } from '../shapes/post.ts'
import { toPost } from '../status/posts.ts'
import { messageOf } from '../traces/ids.ts'
import type { Bindings, Told } from './bindings.ts'
import type { Parts } from './parts.ts'

type Options = { name: string; outlet: Outlet; bindings: Bindings; ledger: Ledger }

/** Says in the channels of a network what the rooms they lead to have to say, until the signal ends it. */
export const deliverTo = async (
  { name, outlet: spoken, bindings, ledger }: Options,
  parts: Parts,
  signal: AbortSignal,
) => {
  const outlet = countedOutlet(spoken, name, parts)
  const { store, clock, turnViews, log } = parts
  const paused = (ms: number, until: AbortSignal): Promise<void> =>
    sleep(ms, undefined, { signal: until }).catch(() => {})
  const spotOf = async ({ channel, room }: Stream): Promise<Spot> => {
    const own = bindings.roomOf(name, channel) ?? room
    return { channel, room, watched: own !== room, show: await showOf(store, own) }
  }
  const time = { now: steadyClock, sleep: paused, spotOf }
  const cards = createCards({ ledger, outlet, viewOf: turnViews.of, log: log.warn, ...time })
  const delivery = createDelivery({
    ledger,
    outlet,
    cards,
    posts: (room, after, until) => postsFor(parts, { network: name, room, after }, until),
    note: noteIn(parts),
    lastThrough: (stream) => lastThrough(parts, stream),
    done: ({ at, id, turn, kind }, { channel }) => {
      const [from, to] = [Date.parse(at), clock()]
      parts.metrics.observe('bellhop_delivery_lag_seconds', { network: name }, Math.max(0, to - from) / 1000)
      if (!parts.traces.on || kind === 'notice') return
      const within =
        turn === null ? { name: 'message' as const, id: messageOf(id) } : { name: 'turn' as const, id: turn }
      const about = { 'bellhop.network': name, 'bellhop.post': kind }
      parts.traces.done({ name: 'delivery', id: `${id}.${name}/${channel}`, within, from, to, about })
    },
    newest: () => store.head(),
    random: Math.random,
    clock,
    ...time,
  })

  const streams = new Map<string, AbortController>()
  const inStream = oneAtATime()
  const running = new Set<Promise<void>>()
  const begin = (told: Told): void => {
    const end = new AbortController()
    const until = AbortSignal.any([signal, end.signal])
    streams.set(streamName(told), end)
    // One that was ended just now may still be saying something: two would say it twice.
    const over: Promise<void> = inStream(streamName(told), () => keepSaying(told, until)).finally(() =>
      running.delete(over),
    )
    running.add(over)
  }
  const keepSaying = async ({ network, channel, room, since }: Told, until: AbortSignal): Promise<void> => {
    while (!until.aborted) {
      await delivery.run({ network, channel, room }, until, since).catch((error: Error) => {
        log.warn('what is said in a channel was held up', { network, channel, room, error: error.message })
      })
      await paused(AGAIN_MS, until)
    }
  }
  const settle = (): void => {
    const told = new Map(bindings.told(name).map((one) => [streamName(one), one]))
    for (const [stream, end] of streams) {
      if (told.has(stream)) continue
      end.abort()
      streams.delete(stream)
    }
    for (const [stream, one] of told) if (!streams.has(stream)) begin(one)
  }

  const unlisten = bindings.listen(settle)
  settle()
  await new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  })
  unlisten()
  await Promise.all(running)
}

/** Counts what comes of what is said and changed on a network. */
const countedOutlet = (outlet: Outlet, network: string, { metrics }: Parts): Outlet => {
  const { edit } = outlet
  const counted = async (trying: Promise<Sent>): Promise<Sent> => {
    const sent = await trying
    metrics.count('bellhop_deliveries_total', { network, outcome: sent.kind })
    return sent
  }
  return {
    ...outlet,
    send: (spot, body, once) => counted(outlet.send(spot, body, once)),
    ...(edit ? { edit: (spot, ref, body) => counted(edit.call(outlet, spot, ref, body)) } : {}),
  }
}

const AGAIN_MS = 1000

type Wanted = { network: string; room: string; after: number }

/** The posts of a room that are for a network: not what is about the network itself, which would go round. */
async function* postsFor(
  { store, feed }: Parts,
  { network, room, after }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Post> {
  for await (const entry of near(store, feed, { part: { room }, after }, signal)) {
    const post = isFor(network, entry) ? toPost(entry, room) : null
    if (!post) continue
    // Another process may have written it just now: what is said cannot be taken back, so it is kept first.
    await store.engine.synced()
    yield post
  }
}

const isFor = (network: string, { body }: Entry): boolean => {
  switch (body?.event) {
    case 'delivery-noted':
    case 'network-noted':
      return body.network !== network
    // That everybody is there is what people expect: they are told of who is not.
    case 'presence':
      return body.agent.readiness !== 'ready'
    default:
      return true
  }
}

/** Writes down what became of posts. What could not be said is told to the room: others of its faces still work. */
const noteIn =
  ({ store, newId, log }: Parts): Note =>
  async (noted) => {
    const { about, position, post, room } = noted
    const tag = tagOf(noted)
    const isNote = post !== null && (await store.get(post))?.body?.event === 'delivery-noted'
    // Whoever dies right after it notes it again: it is the same note.
    const id = about === 'through' ? newId() : `${tag.replace('/', '.')}.${about}-${position}`
    // That a note of it could not be said either is for the evidence alone: two networks would tell each other for ever.
    const rooms = about === 'failed' && !isNote ? [room] : []
    const draft = houseDraft(id, { event: 'delivery-noted', ...noted }, rooms)
    const written = await store.append([{ ...draft, tags: [...draft.tags, tag] }])
    if (about !== 'through') log.warn('a post was not said as it should', noted)
    if (!written.ok && written.refusal.code !== 'id-conflict') throw new Error(written.refusal.message)
  }

/** However much could not be said since: a stream that is taken for a new one would leave out what it has not said. */
const lastThrough = async ({ store }: Parts, stream: Stream): Promise<number | null> => {
  const wanted = { event: 'delivery-noted', tag: tagOf(stream), ephemeral: 'with', order: 'newest' } as const
  for await (const { body } of everyEntry(store, wanted)) {
    if (body?.event === 'delivery-noted' && body.about === 'through') return body.position
  }
  return null
}

/** What the notes of a stream are found by: channels have letters that a tag has not. */
const tagOf = ({ network, channel, room }: Stream): string =>
  `delivery/${createHash('sha256').update(streamName({ network, channel, room })).digest('hex').slice(0, 16)}`
