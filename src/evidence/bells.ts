import { bellOf } from '../shapes/bell.ts'
import type { BodyOf, Entry } from '../shapes/evidence.ts'
import { taggedIn } from './drafts.ts'
import type { Store } from './store.ts'

type Reader = Pick<Store, 'get' | 'query'>

/** A bell as it was rung: by whom, where and when. */
export type Bell = Omit<BodyOf<'bell-rung'>, 'event'> & {
  /** Whether an agent rang it. */
  byAgent: boolean
  room: string
  /** The session of the agent that was rung. */
  session: string
  at: string
  position: number
}

/** How a bell was answered. */
export type Answered = Omit<BodyOf<'bell-answered'>, 'event'> & { at: string }

/** As many bells as are looked at: those rung last. */
const LATEST = 200

/** The bell that is named, by its own id or by that of its job; null where there is none. */
export const bellNamed = async (store: Reader, name: string): Promise<Bell | null> =>
  bellIn(await store.get(name)) ?? bellIn(await store.get(bellOf(name)))

export const bellIn = (entry: Entry | null): Bell | null => {
  if (entry?.body?.event !== 'bell-rung') return null
  const { event: _, ...bell } = entry.body
  const { session, at, position, tags, author } = entry
  return { ...bell, byAgent: author.kind === 'agent', room: taggedIn(tags, 'room') ?? '', session, at, position }
}

export const answeredId = (bell: string): string => `${bell}.answered`

/** How a bell was answered; null where it was not yet. */
export const answerTo = async (store: Reader, bell: string): Promise<Answered | null> => {
  const entry = await store.get(answeredId(bell))
  if (entry?.body?.event !== 'bell-answered') return null
  const { event: _, ...answered } = entry.body
  return { ...answered, at: entry.at }
}

/** Bells that were rung last, the newest first; by somebody, and for an agent, where that is asked. */
export const lastBells = async (store: Reader, filters: Record<string, unknown> = {}): Promise<Bell[]> => {
  const found = await store.query({ event: 'bell-rung', limit: LATEST, ...filters })
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value.entries.flatMap((entry) => bellIn(entry) ?? [])
}

/** How many bells there were between two agents lately, whoever of them rang. What answers another is not counted. */
export const bellsBetween = async (store: Reader, one: string, other: string, minutes: number): Promise<number> => {
  const since = `${minutes}m`
  const [there, back] = await Promise.all([
    lastBells(store, { author: one, agent: other, since }),
    lastBells(store, { author: other, agent: one, since }),
  ])
  return [...there, ...back].filter(({ act }) => act !== 'answer').length
}

/** The bell that one agent rang for another last and that has no answer; null where there is none. */
export const openBell = async (store: Reader, from: string, to: string): Promise<Bell | null> => {
  const rung = await lastBells(store, { author: from, agent: to, limit: OPEN })
  for (const bell of rung) {
    if (bell.act !== 'answer' && !(await answerTo(store, bell.bell)) && !(await replyTo(store, bell))) return bell
  }
  return null
}

const OPEN = 20

/** The bell by which whoever was rung has answered in so many words; null where that was not done. */
export const replyTo = async (store: Reader, { bell, from, to, byAgent }: Bell): Promise<Bell | null> => {
  const rung = byAgent ? await lastBells(store, { author: to, agent: from, limit: OPEN }) : []
  return rung.find(({ act, ref }) => act === 'answer' && ref === bell) ?? null
}
