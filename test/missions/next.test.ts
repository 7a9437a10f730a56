import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, candidatesOf, rank } from '../../src/missions/next.ts'
import { parseMission } from '../../src/missions/parse.ts'
import { resolve } from '../../src/missions/resolve.ts'
import { MissionStatus } from '../../src/shapes/mission.ts'

const plain = (id: string, parts: Partial<Candidate> = {}): Candidate => ({
  id,
  status: 'ready',
  unlocks: 0,
  boxes: { done: 0, total: 0 },
  turns: 0,
  failures: 0,
  idleDays: null,
  ...parts,
})

const order = (...candidates: Candidate[]) => rank(candidates).map(({ id }) => id)

test('what is blocked, complete, deferred or unknown is never listed', () => {
  const all = MissionStatus.options.map((status) => plain(`M-${status}`, { status, unlocks: 9 }))
  expect(order(...all)).toEqual(['M-in-progress', 'M-ready'])
})

test('of two that are equal otherwise, the one that unlocks more comes first; then the name decides', () => {
  expect(order(plain('M-a'), plain('M-b', { unlocks: 1 }), plain('M-c', { unlocks: 2 }))).toEqual(['M-c', 'M-b', 'M-a'])
  // As many counts by other ways: ten for what it unlocks are ten for boxes.
  expect(order(plain('M-a', { boxes: { done: 4, total: 4 } }), plain('M-b', { unlocks: 1 }))).toEqual(['M-b', 'M-a'])
  expect(order(plain('M-b'), plain('M-a'))).toEqual(['M-a', 'M-b'])
})

test('three failed attempts rank lower than none, whatever they cost', () => {
  expect(order(plain('M-a', { turns: 3, failures: 3 }), plain('M-b'), plain('M-c', { turns: 3 }))).toEqual([
    'M-c',
    'M-b',
    'M-a',
  ])
})

test('each reason says what is true and what it counts, and the score is their sum', () => {
  const all = {
    unlocks: 2,
    status: 'in-progress',
    boxes: { done: 1, total: 3 },
    turns: 20,
    failures: 1,
    idleDays: 3.9,
  } as const
  expect(rank([plain('M-a', all)])).toEqual([
    {
      id: 'M-a',
      status: 'in-progress',
      score: 34,
      reasons: [
        { why: 'unlocks 2 missions', counts: 20 },
        { why: 'is begun', counts: 6 },
        { why: '1 of 3 boxes are done', counts: 3 },
        { why: '20 turns went into it', counts: 8 },
        { why: 'nothing was done for 3 days', counts: 3 },
        { why: 'the last attempt failed', counts: -6 },
      ],
    },
  ])
})

test('what waits for a mission is counted with what waits for that, each once, and not what is over', () => {
  const mission = (id: string, ...lines: string[]) => parseMission(id, `${id}.md`, [`# ${id}: it`, ...lines].join('\n'))
  const { missions } = resolve([
    mission('M-a', 'Status: ready'),
    mission('M-b', 'Status: ready', 'Blocked by: m-a'),
    mission('M-c', 'Status: ready', 'Blocked by: M-b, M-a'),
    mission('M-d', 'Status: complete', 'Blocked by: M-a'),
    mission('M-e', 'Status: ready', 'Blocked by: M-e'),
  ])
  expect(candidatesOf(missions, new Map(), 0).map(({ id, unlocks }) => [id, unlocks])).toEqual([
    ['M-a', 2],
    ['M-b', 1],
    ['M-c', 0],
    ['M-d', 0],
    ['M-e', 0],
  ])
})

const candidate = fc.record({
  status: fc.constantFrom('ready' as const, 'in-progress' as const, 'blocked' as const),
  unlocks: fc.nat(6),
  boxes: fc.record({ done: fc.nat(8), open: fc.nat(8) }).map(({ done, open }) => ({ done, total: done + open })),
  turns: fc.nat(20),
  failures: fc.nat(6),
  idleDays: fc.option(fc.nat(40)),
})

const several = fc
  .array(candidate, { minLength: 2, maxLength: 12 })
  .map((all) => all.map((one, i): Candidate => ({ ...one, id: `M-${i}` })))

/** One factor, a little more of it, and the direction that its reason states. */
const changes: Record<string, { change: (one: Candidate) => Candidate; up: boolean }> = {
  'it unlocks one more': { change: (one) => ({ ...one, unlocks: one.unlocks + 1 }), up: true },
  'it is begun': { change: (one) => ({ ...one, status: 'in-progress' }), up: true },
  'one more box is done': {
    change: (one) => ({ ...one, boxes: { ...one.boxes, done: Math.min(one.boxes.done + 1, one.boxes.total) } }),
    up: true,
  },
  'one more turn went into it': { change: (one) => ({ ...one, turns: one.turns + 1 }), up: true },
  'nothing was done for one more day': { change: (one) => ({ ...one, idleDays: (one.idleDays ?? 0) + 1 }), up: true },
  'one more attempt failed': { change: (one) => ({ ...one, failures: one.failures + 1 }), up: false },
}

test.each(Object.entries(changes))(
  '%s: it moves in the direction its reason states, or stays',
  (_what, { change, up }) => {
    fc.assert(
      fc.property(several, fc.nat(), (all, pick) => {
        const open = all.filter(({ status }) => status !== 'blocked')
        const chosen = open[pick % Math.max(1, open.length)]
        if (!chosen) return
        const before = rank(all)
        const after = rank(all.map((one) => (one === chosen ? change(chosen) : one)))
        const placeIn = (ranked: typeof before) => ranked.findIndex(({ id }) => id === chosen.id)
        const scoreIn = (ranked: typeof before) => ranked[placeIn(ranked)]?.score ?? 0
        const [moved, gained] = [placeIn(before) - placeIn(after), scoreIn(after) - scoreIn(before)]
        expect(up ? moved >= 0 && gained >= 0 : moved <= 0 && gained < 0).toBe(true)
        // The others stay in their order, and none of what is blocked comes in.
        const others = (ranked: typeof before) => ranked.map(({ id }) => id).filter((id) => id !== chosen.id)
        expect(others(after)).toEqual(others(before))
        expect(after.length).toBe(open.length)
      }),
    )
  },
)

test('the order does not depend on the order in which missions are handed in', () => {
  fc.assert(
    fc.property(several, (all) => {
      expect(order(...all.toReversed())).toEqual(order(...all))
    }),
  )
})

test('as many missions as are read, each blocked by all before it, are held against each other and ranked', () => {
  const ids = Array.from({ length: 500 }, (_, i) => `M-${String(i).padStart(3, '0')}`)
  const read = ids.map((id, i) =>
    parseMission(id, `${id}.md`, `# ${id}: it\nStatus: ready\nBlocked by: ${ids.slice(0, i).join(', ')}`),
  )
  const { missions, complaints } = resolve(read)
  expect(complaints).toEqual([])
  expect(candidatesOf(missions, new Map(), 0).map(({ unlocks }) => unlocks)).toEqual(ids.map((_, i) => 499 - i))
})
