import { everyEntry } from '../evidence/every.ts'
import type { Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { type BulletinSettings, hasSchedule, settingsWith } from '../shapes/bulletin.ts'
import type { Config } from '../shapes/config.ts'

type Reader = Pick<Store, 'get' | 'query'>
type Told = { room: string; settings: BulletinSettings }
type Settings = Pick<Config, 'rooms' | 'bulletins'>

/** Every room that is told how things stand: as its people have set it, or as the config says. Threads only where they have. */
export const roomsTold = async (store: Reader, config: Settings): Promise<Told[]> => {
  const set = await settings(store)
  const rooms = config.rooms.map(({ id }) => ({ room: id, settings: settingsOf(id, config) }))
  const told = rooms.filter(({ room, settings }) => (set.get(room) ?? (hasSchedule(settings) ? 'on' : 'off')) === 'on')
  return [...told, ...(await threadsTold(store, config, set))]
}

const settingsOf = (room: string, { rooms, bulletins }: Settings): BulletinSettings =>
  settingsWith(bulletins, rooms.find(({ id }) => id === room)?.bulletins)

/** What was set last in each room. */
const settings = async (store: Reader): Promise<Map<string, string | null>> => {
  const set = new Map<string, string | null>()
  for await (const { body, subject } of everyEntry(store, { event: 'room-set', order: 'newest' })) {
    if (body?.event === 'room-set' && body.setting === 'bulletins' && !set.has(subject.id)) set.set(subject.id, body.to)
  }
  return set
}

const threadsTold = async (store: Reader, config: Settings, set: Map<string, string | null>): Promise<Told[]> => {
  const told: Told[] = []
  for (const [room, to] of set) {
    const thread = to === 'on' ? await threadOf(store, room) : null
    if (thread && !thread.archived) told.push({ room, settings: settingsOf(thread.room, config) })
  }
  return told
}
