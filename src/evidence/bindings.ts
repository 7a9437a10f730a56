import { everyEntry } from './every.ts'
import { folded } from './folded.ts'
import type { Store } from './store.ts'

type Reader = Pick<Store, 'query'>

/** A channel that leads to a thread, and since which position. */
type Bound = { channel: string; thread: string; since: number }

/**
 * Which channels of a network lead to threads. A channel leads to one thread, and a thread has one channel on a network:
 * the last binding holds.
 */
export const boundThreads = async (store: Reader, network: string): Promise<Bound[]> => {
  const bound = new Map<string, Bound>()
  for await (const { body, position } of everyEntry(store, { event: 'thread-bound', order: 'oldest' })) {
    if (body?.event !== 'thread-bound' || body.network !== network) continue
    const { channel, thread } = body
    for (const [key, before] of bound) if (before.thread === thread) bound.delete(key)
    bound.set(folded(channel), { channel, thread, since: position })
  }
  return [...bound.values()]
}

/** The rooms that a room is shown, in the order in which that was asked for, and since which position. */
export const watchedSince = async (store: Reader, room: string): Promise<{ watched: string; since: number }[]> => {
  const watched = new Map<string, number>()
  const wanted = { event: 'watch-set', subject: `room/${room}`, order: 'oldest' } as const
  for await (const { body, position } of everyEntry(store, wanted)) {
    if (body?.event !== 'watch-set') continue
    watched.delete(body.watched)
    if (body.on) watched.set(body.watched, position)
  }
  return [...watched].map(([name, since]) => ({ watched: name, since }))
}

export const watchedBy = async (store: Reader, room: string): Promise<string[]> =>
  (await watchedSince(store, room)).map(({ watched }) => watched)
