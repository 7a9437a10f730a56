import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { openApprovals } from '../../src/evidence/approvals.ts'
import { createDebriefSweep } from '../../src/evidence/debriefs.ts'
import { BELLHOP, sessionDraft } from '../../src/evidence/drafts.ts'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { createRoll } from '../../src/evidence/tokens.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/id.ts'
import type { Author, Draft } from '../../src/shapes/evidence.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { ADA, must, said } from '../support/store.ts'
import { measure } from './report.ts'

export type HistorySeen = { sessions: number; costs: Record<string, number> }

/** What each costs, in milliseconds (p50), with so many closed sessions of history. */
export const historyBench = async (sessions: number): Promise<HistorySeen> => {
  const store = await openStore({ url: await filled(sessions), clock: systemClock })
  const costs: Record<string, number> = {}
  const sweep = createDebriefSweep(store)
  for (const [name, ask] of Object.entries(asks(store, sweep))) {
    await measure(name, WARM, 1, ask)
    costs[name] = (await measure(name, TIMES, 1, ask)).p50
  }
  await store.close()
  return { sessions, costs }
}

const WARM = 20
const TIMES = 60

const newId = createIds(systemClock)

const asks = (store: Store, sweep: () => Promise<void>): Record<string, () => Promise<unknown>> => ({
  'accept a message': async () => must(await store.append([said(newId(), 'hello')])),
  'begin and end a session': async () => must(await store.append(sessionOf(newId(), 'agent-1', 'room-1'))),
  'a step: intent and outcome': async () => {
    const [id, at] = [newId(), place('s-0', 'agent-0', 'room-0')]
    const step = { turn: 't', step: id }
    const call = { tool: 'read', args: { path: 'a.txt' } }
    must(
      await store.append([
        sessionDraft({ ...at, id: `${id}.intent`, body: { event: 'step-intended', ...step, call } }),
      ]),
    )
    const outcome: StepOutcome = { kind: 'ok', output: 'one', paths: ['a.txt'], cut: null }
    const body = { event: 'step-ended', ...step, tool: 'read', outcome } as const
    must(await store.append([sessionDraft({ ...at, id: `${id}.outcome`, body, inReplyTo: `${id}.intent` })]))
  },
  'find the next turn of a session': () => store.nextTurn('s-0'),
  'sweep: sessions with work left': () => store.unfinished(),
  'sweep: sessions to debrief': sweep,
  'status: turns that have not ended': () => store.unfinishedTurns(),
  'status: approvals that wait': () => openApprovals(store, Date.now()),
  'who has a token': createRoll(store),
  'sessions: the last 50': () => store.listSessions({ limit: 50 }),
  'sessions: the last 50 of an agent': () => store.listSessions({ limit: 50, agent: 'agent-7' }),
  'sessions: the last 50 of a room': () => store.listSessions({ limit: 50, room: 'room-7' }),
  'sessions: those that are open': () => store.listSessions({ limit: 50, open: true }),
  'evidence of a room, the last 50': async () => must(await store.query({ room: 'room-7', limit: 50 })),
})

/** A store with so many closed sessions, made once and kept in the user's cache: to make a million takes long. */
const filled = async (sessions: number): Promise<string> => {
  const folder = join(process.env['BELLHOP_CACHE'] ?? join(homedir(), '.cache'), 'bellhop')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `bench-history-${sqliteSchema.length}-${sessions}.db`)
  if (existsSync(path)) return path
  console.log(`making a store of ${sessions} closed sessions (once)`)
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}.part${end}`, { force: true })
  // Of a month ago: what is new is still looked after.
  const store = await openStore({ url: `${path}.part`, clock: () => systemClock() - MONTH_MS })
  must(await store.append([said('m', 'to work')]))
  for (let done = 0; done < sessions; done += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, sessions - done) }, (_, i) => done + i)
    must(await store.append(some.flatMap((n) => sessionOf(`s-${n}`, `agent-${n % 300}`, `room-${n % 500}`))))
    if (done % 50_000 === 0 && done > 0) console.log(`  ${done} sessions`)
  }
  await store.close()
  renameSync(`${path}.part`, path)
  return path
}

const BATCH = 200
const MONTH_MS = 30 * 86_400_000

const author: Author = { kind: 'agent', id: 'agent', face: 'rehearsal', via: null }
const place = (session: string, agent: string, room: string) => ({ session, agent, room, author })

/** A session from its beginning to its end, with one turn. */
const sessionOf = (session: string, agent: string, room: string): Draft[] => {
  const [at, turn] = [place(session, agent, room), `${session}.t`]
  const work = { agent, room, peripheral: 'explore', request: 'read it', role: 'operator' } as const
  return [
    sessionDraft({ ...at, author: ADA, id: `${session}.opened`, body: { event: 'session-opened', agent, room } }),
    sessionDraft({ ...at, author: ADA, id: turn, body: { event: 'accepted', ...work } }),
    sessionDraft({ ...at, id: `${turn}.started`, body: { event: 'turn-started', turn }, inReplyTo: turn }),
    sessionDraft({
      ...at,
      id: `${turn}.ended`,
      body: { event: 'turn-ended', turn, outcome: 'done', answer: 'it says one' },
      inReplyTo: turn,
    }),
    sessionDraft({
      ...at,
      author: BELLHOP,
      id: `${session}.closed`,
      body: { event: 'session-closed', reason: 'over' },
    }),
  ]
}
