import { join } from 'node:path'
import { BELLHOP, roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Author, Body, Draft, Entry } from '../../src/shapes/evidence.ts'
import type { Result } from '../../src/shapes/result.ts'
import { scratch } from './folder.ts'

export const ADA: Author = { kind: 'person', id: 'ada', face: 'cli', via: null }
export const CLAUDE: Author = { kind: 'agent', id: 'claude-1', face: 'rehearsal', via: null }

export type TestStore = { store: Store; url: string; clock: { now: number } } & AsyncDisposable

/** A store on a clock that a test can move: in a folder of its own, or in the database that is given. */
export const testStore = async (database?: string): Promise<TestStore> => {
  const folder = scratch()
  const clock = { now: Date.parse('2026-01-02T03:04:05.000Z') }
  const url = database ?? join(folder.path, 'evidence.db')
  const store = await openStore({ url, clock: () => clock.now })
  return {
    store,
    url,
    clock,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

/** A second opening of the same store, closed afterwards. */
export const reopened = async (
  url: string,
  committed: (entries: Entry[]) => void = () => {},
): Promise<{ store: Store } & AsyncDisposable> => {
  const store = await openStore({ url, clock: systemClock, committed })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

/** The value, or a failed test that says why not. */
export const must = <T>(result: Result<T>): T => {
  if (result.ok) return result.value
  throw new Error(`refused: ${result.refusal.code}: ${result.refusal.message}`)
}

export const said = (id: string, text: string, inReplyTo?: string): Draft =>
  roomDraft({ id, room: 'lobby', author: ADA, body: { event: 'message', text }, ...(inReplyTo ? { inReplyTo } : {}) })

const SESSION = { session: 's-1', room: 'lobby', agent: 'claude-1' }

/** A whole session of one turn with one step, as the product writes it. */
export const sessionOfOneStep = (): Draft[] => {
  const draft = (id: string, author: Author, body: Body, inReplyTo: string) =>
    sessionDraft({ ...SESSION, id, author, body, inReplyTo })
  const call = { tool: 'read', args: { path: 'README.md' } }
  return [
    said('m1', '@claude read README.md'),
    draft('s-1.opened', ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }, 'm1'),
    draft(
      't1',
      ADA,
      { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request: 'read README.md' },
      'm1',
    ),
    draft('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' }, 't1'),
    draft(
      't1.peripheral',
      CLAUDE,
      { event: 'peripheral-started', turn: 't1', peripheral: 'explore', tools: ['read', 'glob', 'grep'], spec: 'x' },
      't1.started',
    ),
    draft('t1.0.intent', CLAUDE, { event: 'step-intended', turn: 't1', step: 't1.0', call }, 't1'),
    draft(
      't1.0.outcome',
      CLAUDE,
      {
        event: 'step-ended',
        turn: 't1',
        step: 't1.0',
        tool: 'read',
        outcome: { kind: 'ok', output: '# hi\n', paths: ['README.md'], cut: null },
      },
      't1.0.intent',
    ),
    draft(
      't1.stopped',
      CLAUDE,
      {
        event: 'peripheral-stopped',
        turn: 't1',
        peripheral: 'explore',
        reason: 'turn-ended',
        fruit: { steps: 1, found: ['README.md'] },
      },
      't1.started',
    ),
    draft('t1.ended', CLAUDE, { event: 'turn-ended', turn: 't1', outcome: 'done', answer: 'hi' }, 't1'),
    roomDraft({
      id: 'm1.receipt',
      room: 'lobby',
      author: BELLHOP,
      body: {
        event: 'assigned',
        assignments: [{ turn: 't1', session: 's-1', agent: 'claude-1', peripheral: 'explore' }],
      },
      inReplyTo: 'm1',
    }),
  ]
}

export const idsOf = (entries: Entry[]): string[] => entries.map(({ id }) => id)
