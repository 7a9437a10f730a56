import { expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { coverageOf, NO_WORK } from '../../src/missions/coverage.ts'
import { parseMission } from '../../src/missions/parse.ts'
import { resolve } from '../../src/missions/resolve.ts'
import { reviewOf } from '../../src/missions/review.ts'
import type { Fruit } from '../../src/shapes/fruit.ts'
import type { TurnOutcome } from '../../src/shapes/turn.ts'
import { ADA, CLAUDE, must, type TestStore, testStore } from '../support/store.ts'

const DAY = 86_400_000

type Turn = {
  mission: string | null
  outcome?: TurnOutcome
  peripheral?: string
  fruits?: Partial<Fruit>[]
  session?: string
}

let n = 0

/** A turn as the product writes it: accepted with its tag, its stays, its end. */
const turn = async (
  { store }: TestStore,
  { mission, outcome, peripheral = 'edit', fruits = [{}], session = 's-1' }: Turn,
) => {
  const id = `t${++n}`
  const base = { session, room: 'lobby', agent: 'claude-1' }
  const tags = [`peripheral/${peripheral}`, ...(mission === null ? [] : [`mission/${mission}`])]
  const asked = { agent: 'claude-1', room: 'lobby', peripheral, request: 'work' }
  must(await store.append([sessionDraft({ ...base, id, author: ADA, body: { event: 'accepted', ...asked }, tags })]))
  const stops = fruits.map((fruit, i) =>
    sessionDraft({
      ...base,
      id: `${id}.${i}.stopped`,
      author: CLAUDE,
      inReplyTo: id,
      body: {
        event: 'peripheral-stopped',
        turn: id,
        peripheral,
        reason: 'hop',
        fruit: { steps: 2, found: [], ...fruit },
      },
    }),
  )
  must(await store.append(stops))
  if (outcome === undefined) return
  const body = { event: 'turn-ended', turn: id, outcome, answer: '' } as const
  must(await store.append([sessionDraft({ ...base, id: `${id}.ended`, author: CLAUDE, inReplyTo: id, body })]))
}

const tests = (result: 'pass' | 'fail'): Pick<Fruit, 'tests'> => ({
  tests: { result, runs: 1, passed: 1, failed: 0, skipped: 0, failures: [], tree: null },
})
const changed = (...paths: string[]): Pick<Fruit, 'changed'> => ({
  changed: paths.map((path) => ({ path, before: null, after: null, added: 1, removed: 0 })),
})

test('coverage is what the turns came to that were asked for under a mission', async () => {
  await using it = await testStore()
  await turn(it, { mission: 'M-a', outcome: 'done', fruits: [changed('a.ts', 'b.ts'), tests('pass')] })
  await turn(it, { mission: 'M-a', outcome: 'done', peripheral: 'mission-control' })
  await turn(it, { mission: null, outcome: 'failed' })
  await turn(it, { mission: 'M-b', outcome: 'failed', session: 's-2' })
  it.clock.now += DAY
  await turn(it, { mission: 'M-a', outcome: 'failed', fruits: [changed('b.ts'), tests('fail')], session: 's-2' })
  await turn(it, { mission: 'M-a', outcome: 'cancelled' })
  await turn(it, { mission: 'M-a', fruits: [] })
  expect(await coverageOf(it.store, ['M-a', 'M-b', 'M-c'])).toEqual(
    new Map([
      [
        'M-a',
        {
          turns: 4,
          done: 1,
          failed: 1,
          steps: 10,
          files: 2,
          tests: 'fail',
          failures: 1,
          last: '2026-01-03T03:04:05.000Z',
        },
      ],
      ['M-b', { ...NO_WORK, turns: 1, failed: 1, steps: 2, failures: 1, last: '2026-01-02T03:04:05.000Z' }],
      ['M-c', NO_WORK],
    ]),
  )
})

test.each<[string, Turn[], number]>([
  ['none', [], 0],
  ['one that went well after two that did not', [fail(), fail(), done()], 0],
  ['three at the end', [done(), fail(), fail(), fail()], 3],
  ['a turn that was done and left tests failing', [done(), { ...done(), fruits: [tests('fail')] }], 1],
  [
    'what was cancelled, or goes on, is none',
    [fail(), { mission: 'M-a', outcome: 'cancelled' }, { mission: 'M-a' }],
    1,
  ],
])('failed attempts are those in a row up to the last: %s', async (_what, turns, failures) => {
  await using it = await testStore()
  for (const one of turns) await turn(it, one)
  expect((await coverageOf(it.store, ['M-a'])).get('M-a')?.failures).toBe(failures)
})

function fail(): Turn {
  return { mission: 'M-a', outcome: 'failed' }
}

function done(): Turn {
  return { mission: 'M-a', outcome: 'done' }
}

test('a review says where missions and evidence drift apart, and what it found for the next one', async () => {
  await using it = await testStore()
  const says: Record<string, string> = {
    'M-begun': 'in-progress',
    'M-done': 'complete',
    'M-green': 'complete',
    'M-idle': 'in-progress',
    'M-later': 'deferred',
    'M-red': 'complete',
    'M-ready': 'ready',
    'M-right': 'in-progress',
    'M-tried': 'complete',
    'M-wait': 'blocked',
  }
  for (const mission of ['M-idle', 'M-old']) await turn(it, { mission, outcome: 'done' })
  it.clock.now += 20 * DAY
  for (const mission of ['M-later', 'M-ready', 'M-right', 'M-wait']) await turn(it, { mission, outcome: 'done' })
  await turn(it, { mission: 'M-green', outcome: 'done', fruits: [tests('pass')] })
  await turn(it, { mission: 'M-red', outcome: 'done', fruits: [tests('fail')] })
  await turn(it, { mission: 'M-tried', outcome: 'failed' })
  const portfolio = resolve(
    Object.entries(says).map(([id, status]) =>
      parseMission(
        id,
        `${id}.md`,
        `# ${id}: it\nStatus: ${status}\nBlocked by: ${id === 'M-wait' ? 'rain' : 'none'}\n`,
      ),
    ),
  )
  const coverage = await coverageOf(it.store, Object.keys(says))
  const { missions, counts, covered, drift, actionable, snapshot } = reviewOf(portfolio, coverage, it.clock.now)
  expect({ missions, counts, covered, drift, actionable: actionable.map(({ id }) => id) }).toEqual({
    missions: 10,
    counts: [
      ['complete', 4],
      ['in-progress', 3],
      ['ready', 1],
      ['blocked', 1],
      ['deferred', 1],
    ],
    covered: 8,
    drift: [
      { id: 'M-begun', what: 'says in-progress, and the evidence has no work on it' },
      { id: 'M-done', what: 'says complete, and the evidence has no work on it' },
      { id: 'M-idle', what: 'says in-progress, and nothing was done for 20 days' },
      { id: 'M-later', what: 'says deferred, and was worked on 0 days ago' },
      { id: 'M-ready', what: 'says ready, and 1 turn went into it' },
      { id: 'M-red', what: 'says complete, and its last tests came to fail' },
      { id: 'M-tried', what: 'says complete, and the last attempt failed' },
    ],
    actionable: ['M-idle', 'M-right', 'M-begun', 'M-ready'],
  })
  expect(snapshot.missions[0]).toEqual({
    id: 'M-begun',
    status: 'in-progress',
    boxes: { done: 0, total: 0 },
    turns: 0,
    drift: ['says in-progress, and the evidence has no work on it'],
  })
})
