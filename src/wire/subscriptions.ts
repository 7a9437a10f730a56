import { type Bounds, boundsOf, isWithin } from '../agents/sight.ts'
import type { Page } from '../evidence/find.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Said } from '../shapes/wire.ts'
import type { AgentsHouse, Answer, Limits } from './house.ts'
import { no } from './objection.ts'
import type { Peer } from './peer.ts'

/** How many entries go out before it is asked again what may be seen. */
const PAGE = 50

type Options = Pick<AgentsHouse, 'store' | 'seats' | 'log'> & {
  limits: Pick<Limits, 'subscriptions' | 'stallMs'>
  peer: Peer
}
type Filters = Record<string, unknown>
type Subscription = { id: string; filters: Filters; from: number; ends: AbortController; bell: Bell }

export type Subscriptions = ReturnType<typeof createSubscriptions>

/**
 * Evidence as it is written, for those who may see it. Each subscription reads the store from its own place on, as fast
 * as the program reads: nothing piles up here, none is left out, and none comes twice.
 */
export const createSubscriptions = ({ store, seats, log, limits, peer }: Options) => {
  const all = new Map<string, Subscription>()
  /** What it could see when it was last looked: of the rest it need not hear. */
  let sight: Bounds = {}

  const look = async (): Promise<Bounds> => {
    sight = await boundsOf(peer.principal, seats)
    return sight
  }

  const subscribe = async ({ id, filters, after }: Said<'subscribe'>): Promise<Answer> => {
    const objection = objectionTo(id, filters)
    if (objection) return objection
    const asked = await store.query({ ...filters, limit: 1 })
    if (!asked.ok) return asked
    const { through } = asked.value
    if ((after ?? 0) > through) return no('query-invalid', `after: the store ends at ${through}`, { through })
    const ends = new AbortController()
    const subscription = { id, filters, from: after ?? through, ends, bell: createBell(ends.signal) }
    all.set(id, subscription)
    // The answer goes out before what follows from it.
    setImmediate(() => follow(subscription).catch((error: Error) => failed(id, error)))
    return { ok: true, value: { type: 'subscribed', after: subscription.from } }
  }

  const objectionTo = (id: string, filters: Filters): Answer | null => {
    const limit = limits.subscriptions
    if (!peer.capabilities.has('evidence')) return no('capabilities-missing', 'evidence was not agreed on in hello')
    if (all.has(id)) return no('id-conflict', `${id} is the name of a subscription: end that first, or use a new id`)
    if (all.size >= limit) return no('frames-exceeded', `there are ${limit} subscriptions: end one first`, { limit })
    const odd = ['order', 'limit', 'cursor'].find((key) => key in filters)
    return odd === undefined ? null : no('query-invalid', `${odd}: what is followed has none`)
  }

  const failed = (id: string, error: Error): void => {
    if (!all.delete(id)) return
    log('a subscription has ended', { agent: peer.grant.agent, error: error.message })
    peer.outbox.answer(id, no('store-failed', 'the evidence could not be read: subscribe again'))
  }

  const follow = async ({ id, filters, from, ends: { signal }, bell }: Subscription): Promise<void> => {
    let cursor = from
    while (!signal.aborted) {
      const slow = await peer.outbox.drained(limits.stallMs, signal)
      if (slow) return peer.outbox.refuse(id, slow)
      const page = await pageAfter(cursor, filters)
      // Asked again right before it is sent: what may be seen changes with the wall.
      const bounds = await look()
      if (!signal.aborted) send(id, page, bounds)
      cursor = Math.max(cursor, page.next ?? page.through)
      if (page.next === null) await bell.next()
    }
  }

  const send = (subscription: string, { entries }: Page, bounds: Bounds): void => {
    for (const entry of entries)
      if (isWithin(bounds, entry)) peer.outbox.tell({ type: 'evidence', subscription, entry })
  }

  const pageAfter = async (cursor: number, filters: Filters): Promise<Page> => {
    const narrowed = narrowedBy(filters, await look())
    // Who may see nothing now may see what comes later, and nothing of what came before that.
    if (narrowed === null) return { entries: [], next: null, through: await store.head() }
    const found = await store.query({ ...narrowed, order: 'oldest', cursor, limit: PAGE })
    if (!found.ok) throw new Error(found.refusal.message)
    return found.value
  }

  return {
    subscribe,
    unsubscribe: ({ subscription }: Said<'unsubscribe'>): Answer => {
      all.get(subscription)?.ends.abort()
      if (!all.delete(subscription)) return no('entry-unknown', 'there is no such subscription', { subscription })
      return { ok: true, value: { type: 'unsubscribed', subscription } }
    },
    /** Something was written: whoever may want to see it looks. */
    heard: (entry: Entry): void => {
      // What happens to the agent itself may change what it can see.
      if (!isWithin(sight, entry) && !entry.tags.includes(`agent/${peer.grant.agent}`)) return
      for (const { bell } of all.values()) bell.ring()
    },
    close: (): void => {
      for (const { ends } of all.values()) ends.abort()
      all.clear()
    },
  }
}

/** The filters, and with them no more than may be seen; null where that is nothing. */
const narrowedBy = (filters: Filters, bounds: Bounds): Filters | null => {
  if (bounds === null) return null
  const given = Object.entries(bounds).filter(([, value]) => value !== undefined)
  const apart = given.some(([key, value]) => filters[key] !== undefined && filters[key] !== value)
  return apart ? null : { ...filters, ...Object.fromEntries(given) }
}

type Bell = ReturnType<typeof createBell>

/** Rings for whoever waits, or for whoever comes to wait next. */
const createBell = (signal: AbortSignal) => {
  let rung = false
  let hear = (): void => {}
  const ring = (): void => {
    rung = true
    hear()
  }
  signal.addEventListener('abort', ring)
  return {
    ring,
    next: async (): Promise<void> => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          hear = resolve
        })
      }
      rung = false
    },
  }
}
