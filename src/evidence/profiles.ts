import type { Config } from '../shapes/config.ts'
import type { Budget } from '../shapes/usage.ts'
import type { Store } from './store.ts'
import { threadOf } from './threads.ts'

type Reader = Pick<Store, 'get' | 'query'>

/** The profile that was set last in a room itself; null where none was, or where that was taken back. */
export const ownProfile = async (store: Reader, room: string): Promise<string | null> => {
  const found = await store.query({ event: 'profile-set', subject: `room/${room}`, limit: 1 })
  if (!found.ok) throw new Error(found.refusal.message)
  const body = found.value.entries[0]?.body
  return body?.event === 'profile-set' ? body.to : null
}

/** The profile that holds in a room: its own; for a thread without one, that of its room; else what the config says. */
export const profileOf = async (
  store: Reader,
  room: string,
  { profile }: Pick<Config, 'profile'>,
): Promise<string | null> => (await ownProfile(store, room)) ?? (await ofItsRoom(store, room)) ?? profile

const ofItsRoom = async (store: Reader, id: string): Promise<string | null> => {
  const thread = await threadOf(store, id)
  return thread && ownProfile(store, thread.room)
}

/** What an agent may use in a room: by its own budget, and by that of the profile that holds there. */
export const budgetsOf = async (
  store: Reader,
  { agent, room }: { agent: string; room: string },
  config: Pick<Config, 'agents' | 'profile' | 'profiles'>,
): Promise<Budget[]> => {
  const profile = await profileOf(store, room, config)
  const named = profile === null ? undefined : config.profiles[profile]
  return [config.agents.find(({ id }) => id === agent)?.budget ?? {}, named?.budget ?? {}]
}
