import { type Face, NETWORK_FACES, type Place, type RoomSetting, Show } from '../shapes/room.ts'
import { everyEntry } from './every.ts'
import type { Store } from './store.ts'
import { threadOf } from './threads.ts'

type Reader = Pick<Store, 'get' | 'query' | 'lastOf'>

/** What a listener is set to where a room is mention-only: no agent can be called so. */
export const NOBODY = 'nobody'

/** What is known of a store's rooms, as of the last time that one was set: every line that is said asks for it. */
const known = new WeakMap<Reader, { through: number; settings: Map<string, string | null> }>()

/** What a setting of a room was set to last; null where it never was, or where that was taken back. */
export const settingOf = async (store: Reader, room: string, setting: RoomSetting): Promise<string | null> => {
  const through = await store.lastOf('room-set')
  const before = known.get(store)
  const { settings } = before?.through === through ? before : { settings: new Map<string, string | null>() }
  known.set(store, { through, settings })
  const name = `${setting} ${room}`
  const kept = settings.get(name)
  if (kept !== undefined) return kept
  const found = await readSetting(store, room, setting)
  // Whoever makes names up must not fill the memory by it.
  if (settings.size >= MOST_KNOWN) settings.clear()
  settings.set(name, found)
  return found
}

const MOST_KNOWN = 10_000

const readSetting = async (store: Reader, room: string, setting: RoomSetting): Promise<string | null> => {
  for await (const { body } of everyEntry(store, { event: 'room-set', subject: `room/${room}`, order: 'newest' })) {
    if (body?.event === 'room-set' && body.setting === setting) return body.to
  }
  return null
}

/**
 * The agent that hears what is addressed to nobody: as the people of the room have set it; else at home as the config
 * says, and on networks nobody, unless the config opens the room there. A thread is a conversation with its agent.
 */
export const listenerOf = async (store: Reader, place: Place, face: Face): Promise<string | null> => {
  const set = await settingOf(store, place.id, 'listener')
  if (set !== null) return set === NOBODY ? null : set
  const gated = NETWORK_FACES.has(face) && place.gated !== false && !place.id.startsWith('t-')
  return gated ? null : place.listener
}

/** How much a room is told; a thread as much as its room, where nothing else was set for it. */
export const showOf = async (store: Reader, room: string): Promise<Show> => {
  const own = await settingOf(store, room, 'show')
  const parent = own === null ? (await threadOf(store, room))?.room : undefined
  const set = own ?? (parent === undefined ? null : await settingOf(store, parent, 'show'))
  return Show.safeParse(set).data ?? 'normal'
}
