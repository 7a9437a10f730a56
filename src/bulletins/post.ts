import { BELLHOP, roomDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { BulletinSettings } from '../shapes/bulletin.ts'
import type { Draft, Entry } from '../shapes/evidence.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Situation } from '../shapes/situation.ts'
import { type Due, dueIn, type Last } from './due.ts'
import { bulletinText } from './text.ts'

type Options = {
  store: Pick<Store, 'query' | 'append'>
  /** How things stand in a room; turns that ended are counted from a time on. */
  situationOf: (room: string, since: string | null) => Promise<Situation>
  now: () => number
}

type Numbered = Last & { number: number }

/**
 * Posts what is due in a room, and answers it; null where nothing is. Each bulletin goes on from the one before it and has
 * the next number in its id: of any number of processes that saw the same last one, one says the next.
 */
export const postDue = async (
  { store, situationOf, now }: Options,
  room: string,
  settings: BulletinSettings,
): Promise<Result<Entry | null>> => {
  const last = await lastIn(store, room)
  if (!last.ok) return last
  const situation = await situationOf(room, last.value?.at ?? null)
  const due = dueIn({ settings, last: last.value, situation, now: now() })
  if (!due) return ok(null)
  const draft = draftOf(room, (last.value?.number ?? 0) + 1, due, situation)
  const written = await store.append([draft])
  if (written.ok) return ok(written.value[0] ?? null)
  // Somebody else was faster: what is left to say is looked at again, from there on.
  return written.refusal.code === 'id-conflict' ? ok(null) : written
}

const draftOf = (room: string, number: number, due: Due, situation: Situation): Draft => {
  const text = bulletinText({ ...due, situation })
  const body = { event: 'bulletin', ...due, text, situation } as const
  return roomDraft({ id: `${room}.bulletin-${number}`, room, author: BELLHOP, body })
}

const lastIn = async (store: Pick<Store, 'query'>, room: string): Promise<Result<Numbered | null>> => {
  const found = await store.query({ event: 'bulletin', subject: `room/${room}`, limit: 1 })
  if (!found.ok) return found
  const [entry] = found.value.entries
  if (entry?.body?.event !== 'bulletin') return ok(null)
  const { slot, held, situation } = entry.body
  return ok({ at: entry.at, slot, held, situation, number: Number(entry.id.slice(`${room}.bulletin-`.length)) })
}
