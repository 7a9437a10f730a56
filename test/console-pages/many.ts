import { BELLHOP, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Body, Draft } from '../../src/shapes/evidence.ts'
import { must } from '../support/store.ts'

const SESSION = { session: 's-1', room: 'lobby', agent: 'codex-1', author: BELLHOP }
const BATCH = 200

const draft = (id: string, body: Body): Draft => sessionDraft({ ...SESSION, id, body })

/** A chain to pour into. */
export const begin = async (store: Store): Promise<void> => {
  must(await store.append([draft('s-1.opened', { event: 'session-opened', agent: 'codex-1', room: 'lobby' })]))
}

/** Writes many entries, as fast as they are durable: notes from one number on. */
export const pour = async (store: Store, from: number, count: number): Promise<void> => {
  for (let n = from; n < from + count; n += BATCH) {
    const notes = Array.from({ length: Math.min(BATCH, from + count - n) }, (_, k) =>
      draft(`n-${n + k}`, { event: 'turn-noted', turn: 't', about: 'slow', text: `note ${n + k}` }),
    )
    must(await store.append(notes))
  }
}
