import type { Debrief } from '../shapes/debrief.ts'
import { ok, type Result } from '../shapes/result.ts'
import { createDebrief } from './debrief.ts'
import { BELLHOP, sessionDraft } from './drafts.ts'
import type { SessionRecord, Store } from './store.ts'

const idOf = (session: string): string => `${session}.debriefed`

/** What a session teaches: as it was written down, or as it is so far. */
export const debriefOf = async (store: Pick<Store, 'get' | 'pages'>, session: string): Promise<Debrief> => {
  const known = (await store.get(idOf(session)))?.body
  if (known?.event === 'debriefed') return known.debrief
  const debrief = createDebrief(session)
  for await (const page of store.pages(session)) page.forEach(debrief.take)
  return debrief.made()
}

/**
 * Writes down what a session teaches, once it is closed and all of its turns have ended; answers whether that is done with.
 * Of two that do so at the same time, one has: they read the same.
 */
export const keepDebrief = async (
  store: Store,
  { id: session, room, agent }: SessionRecord,
): Promise<Result<boolean>> => {
  if (await store.get(idOf(session))) return ok(true)
  if (!(await store.get(`${session}.closed`)) || (await store.nextTurn(session))) return ok(false)
  const body = { event: 'debriefed', debrief: await debriefOf(store, session) } as const
  const draft = sessionDraft({
    id: idOf(session),
    session,
    room,
    agent,
    author: BELLHOP,
    body,
    inReplyTo: `${session}.closed`,
  })
  const written = await store.append([draft])
  if (written.ok || written.refusal.code === 'id-conflict') return ok(true)
  return written
}

/** How old a close may be that is looked after, and how many are at a time. */
const SINCE = '1d'
const MOST = 100

/**
 * Looks for sessions that were closed lately and not debriefed: because a process died in between, or because a turn had
 * not ended. What it has looked at and is done with, it does not look at again.
 */
export const createDebriefSweep = (store: Store) => {
  const waiting = new Set<string>()
  let through = 0

  const find = async (): Promise<void> => {
    const from = through === 0 ? { since: SINCE } : { cursor: through }
    const found = await store.query({ event: 'session-closed', order: 'oldest', limit: MOST, ...from })
    if (!found.ok) return
    for (const { session } of found.value.entries) waiting.add(session)
    through = found.value.entries.at(-1)?.position ?? found.value.through
  }

  return async (): Promise<void> => {
    await find()
    for (const session of [...waiting].slice(0, MOST)) {
      const record = await store.session(session)
      const kept = record && !record.open ? await keepDebrief(store, record) : ok(true)
      if (kept.ok && kept.value) waiting.delete(session)
    }
  }
}
