import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { openStore } from '../../src/evidence/store.ts'
import { shownOf } from '../../src/evidence/unfinished.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Queues } from '../../src/shapes/config.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import { eventually } from '../support/poll.ts'
import { ADA, CLAUDE, must, said, testStore } from '../support/store.ts'
import { engines } from './engines.ts'

const CALLS = process.env['BELLHOP_LONG'] === '1' ? 200_000 : 22_000

/** A store in which so many turns may wait. */
const bounded = async (engine: (typeof engines)[number], queues: Queues) => {
  const place = await engine.newUrl()
  const store = await openStore({ url: place.url, clock: systemClock, queues })
  return { store, [Symbol.asyncDispose]: () => store.close().finally(() => place[Symbol.asyncDispose]()) }
}

type Turn = [id: string, room: string, agent: string]

const accepted = ([id, room, agent]: Turn): Draft =>
  sessionDraft({
    id,
    session: `s-${room}-${agent}`,
    room,
    agent,
    author: ADA,
    body: { event: 'accepted', agent, room, peripheral: 'explore', request: 'read' },
  })

describe.each(engines)('turns that wait, in $name', (engine) => {
  test('are counted by session, by room and in all, and a call is taken whole or not at all', async () => {
    await using house = await bounded(engine, { perSession: 3, perRoom: 5, total: 7 })
    const give = async (...turns: Turn[]): Promise<string> => {
      const taken = await house.store.append(turns.map(accepted))
      return taken.ok ? 'taken' : `${taken.refusal.code}: ${taken.refusal.message}`
    }
    const full = (most: number, where: string, key: string): string =>
      `queue-full: ${most} turns may wait ${where} (queues.${key}), and this would be more`
    // Those who share a commit are counted, too.
    const first = await Promise.all(['a0', 'a1', 'a2', 'a3', 'a4'].map((id) => give([id, 'lobby', 'claude-1'])))
    const session = full(3, 'for claude-1 in lobby', 'perSession')
    expect(first).toEqual(['taken', 'taken', 'taken', session, session])
    // Two would fit, and the third would not: so none is taken.
    expect(await give(['b', 'lobby', 'codex-1'], ['c', 'lobby', 'codex-1'], ['d', 'lobby', 'codex-1'])).toBe(
      full(5, 'in lobby', 'perRoom'),
    )
    expect(await give(['b', 'lobby', 'codex-1'], ['c', 'lobby', 'codex-1'])).toBe('taken')
    expect(await give(['e', 'attic', 'claude-1'], ['f', 'attic', 'codex-1'])).toBe('taken')
    expect(await give(['g', 'attic', 'codex-1'])).toBe(full(7, 'here', 'total'))
    // What is there already is the same again, and nothing more; what is begun does not wait any longer.
    expect(await give(['f', 'attic', 'codex-1'])).toBe('taken')
    const begun = { id: 'a0.started', session: 's-lobby-claude-1', room: 'lobby', agent: 'claude-1', author: CLAUDE }
    must(await house.store.append([sessionDraft({ ...begun, body: { event: 'turn-started', turn: 'a0' } })]))
    expect([await give(['h', 'lobby', 'claude-1']), await give(['i', 'attic', 'claude-1'])]).toEqual([
      'taken',
      full(7, 'here', 'total'),
    ])
    const waiting = (await house.store.unfinishedTurns()).filter(({ status }) => status === 'accepted')
    expect(waiting.map(({ id }) => id).sort()).toEqual(['a1', 'a2', 'b', 'c', 'e', 'f', 'h'])
  })

  test('hide nobody who comes after them, however many they are', async () => {
    await using house = await bounded(engine, { perSession: 500, perRoom: 2000, total: 10_000 })
    const { store } = house
    const old = Array.from({ length: 1200 }, (_, i): Turn => [`old-${i}`, `room-${i % 4}`, 'claude-1'])
    must(await store.append(old.map(accepted)))
    must(await store.append([accepted(['begun', 'lobby', 'codex-1']), accepted(['last', 'lobby', 'codex-1'])]))
    const place = { session: 's-lobby-codex-1', room: 'lobby', agent: 'codex-1', author: CLAUDE }
    must(
      await store.append([
        sessionDraft({ ...place, id: 'begun.started', body: { event: 'turn-started', turn: 'begun' } }),
      ]),
    )
    const ids = async (...wanted: Parameters<typeof store.unfinishedTurns>) =>
      (await store.unfinishedTurns(...wanted)).map(({ id }) => id)
    const first = old.map(([id]) => id)
    expect([await ids(), await store.unfinishedCounts()]).toEqual([
      [...first, 'begun', 'last'],
      { accepted: 1201, running: 1 },
    ])
    expect([
      await ids({ status: 'running' }),
      await ids({ room: 'lobby' }),
      await ids({ room: 'lobby', status: 'accepted' }),
      await ids({ session: 's-lobby-codex-1' }),
      await ids({ agent: 'codex-1', limit: 1 }),
      await ids({ agents: ['codex-1', 'somebody'] }),
      await ids({ agents: [] }),
      await ids({ but: ['claude-1'] }),
      await ids({ but: [], room: 'room-1', limit: 2 }),
    ]).toEqual([
      ['begun'],
      ['begun', 'last'],
      ['last'],
      ['begun', 'last'],
      ['begun'],
      ['begun', 'last'],
      [],
      ['begun', 'last'],
      ['old-1', 'old-5'],
    ])
    // Where all are asked for, a thousand that wait are enough; what runs is always among them.
    expect((await shownOf(store)).map(({ id }) => id)).toEqual([...first.slice(0, 1000), 'begun'])
    expect((await shownOf(store, { agent: 'codex-1' })).map(({ id }) => id)).toEqual(['begun', 'last'])
  })

  test('that come to nothing for another reason leave their place to who comes after them', async () => {
    await using house = await bounded(engine, { perSession: 1, perRoom: 1, total: 1 })
    must(await house.store.append([said('taken', 'hello')]))
    const [conflict, next] = await Promise.all([
      house.store.append([accepted(['t1', 'lobby', 'claude-1']), said('taken', 'something else')]),
      house.store.append([accepted(['t2', 'lobby', 'claude-1'])]),
    ])
    expect([conflict.ok ? null : conflict.refusal.code, next.ok]).toEqual(['id-conflict', true])
  })
})

test('a store that cannot keep up refuses what is too much, writes all that it took, and goes on', async () => {
  await using house = await testStore()
  const other = new Sqlite(house.url)
  other.exec('begin immediate')
  const calls = Array.from({ length: CALLS }, (_, i) => house.store.append([said(`m${i}`, 'hello')]))
  const last = await Promise.all(calls.slice(-100))
  expect(new Set(last.map((result) => (result.ok ? 'taken' : result.refusal.code)))).toEqual(new Set(['store-busy']))
  other.exec('commit')
  other.close()
  const results = await Promise.all(calls)
  const taken = results.filter(({ ok }) => ok).length
  const turnedAway = results.filter((result) => !result.ok && result.refusal.code === 'store-busy').length
  expect(taken + turnedAway).toBe(CALLS)
  // All of them were there before the first commit was begun: as many are taken as may wait.
  expect(taken).toBe(20_000)
  await eventually('all to be there', async () => (await house.store.head()) === taken)
  expect((await house.store.append([said('again', 'hello')])).ok).toBe(true)
})
