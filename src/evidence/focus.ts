import type { Author, Draft } from '../shapes/evidence.ts'
import type { MissionId } from '../shapes/mission.ts'
import { roomDraft } from './drafts.ts'
import type { Store } from './store.ts'
import { threadOf } from './threads.ts'

type Reader = Pick<Store, 'get' | 'query'>

/** The mission that a room works on; null where it is focused on none. A thread goes by its room, until it is told otherwise. */
export const focusOf = async (store: Reader, room: string): Promise<MissionId | null> => {
  const own = await lastIn(store, room)
  if (own !== undefined) return own
  const thread = await threadOf(store, room)
  return thread ? ((await lastIn(store, thread.room)) ?? null) : null
}

/** What a room was focused on last, also that it was on nothing; undefined where nobody ever said. */
const lastIn = async (store: Reader, room: string): Promise<MissionId | null | undefined> => {
  const found = await store.query({ event: 'mission-focused', subject: `room/${room}`, limit: 1 })
  if (!found.ok) throw new Error(found.refusal.message)
  const body = found.value.entries[0]?.body
  return body?.event === 'mission-focused' ? body.mission : undefined
}

/** The tag that work for a mission is found by; none where there is none. */
export const missionTags = (mission: MissionId | null): string[] => (mission === null ? [] : [`mission/${mission}`])

type Focusing = { id: string; room: string; author: Author; by: string; mission: MissionId | null; inReplyTo: string }

export const focusDraft = ({ by, mission, ...entry }: Focusing): Draft => {
  const draft = roomDraft({ ...entry, body: { event: 'mission-focused', mission, by } })
  return { ...draft, tags: [...draft.tags, ...missionTags(mission)] }
}
