import type { Author, Draft } from '../shapes/evidence.ts'
import { houseDraft } from './drafts.ts'
import type { Store } from './store.ts'

/** Who has an agent begin nothing more, since when, and why. */
export type Pause = { by: string; why: string; at: string }

/** The pause that an agent is in; null where it is in none. */
export const pauseOf = async (store: Pick<Store, 'query'>, agent: string): Promise<Pause | null> => {
  const found = await store.query({ event: 'queue-paused', agent, limit: 1 })
  if (!found.ok) throw new Error(found.refusal.message)
  const [entry] = found.value.entries
  if (entry?.body?.event !== 'queue-paused' || !entry.body.paused) return null
  return { by: entry.author.id, why: entry.body.why, at: entry.at }
}

/** An agent's queue is for all rooms, so it is in the house's chain; the room it was said in reads it. */
export const pauseDraft = (
  { id, agent, paused, why }: { id: string; agent: string; paused: boolean; why: string },
  room: string,
  author: Author,
): Draft => {
  const draft = houseDraft(id, { event: 'queue-paused', agent, paused, why }, [room], author)
  return { ...draft, tags: [...draft.tags, `agent/${agent}`] }
}
