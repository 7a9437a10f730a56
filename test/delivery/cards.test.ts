import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { createWorld, STREAM } from './world.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const EVERY = 2000
const TURN = 'm1.claude-1'
const BEHIND = 'm2.claude-1'

const viewOf = (turn: string, state: TurnView['state'], detail = ''): TurnView => ({
  turn,
  session: 's-1',
  room: 'lobby',
  agent: 'claude-1',
  peripheral: 'explore',
  by: 'ada',
  request: 'look',
  state,
  detail,
  ahead: 0,
  steps: { taken: 0, failed: 0, refused: 0 },
  approval: null,
  accepted: '2026-01-02T03:04:05.000Z',
  started: null,
  ended: null,
})

/** A stream in which a turn was accepted, and its card said. */
const withCard = async (others: string[] = []) => {
  const world = createWorld({ redis: server.redis, prefix: `t-${randomUUID()}`, everyMs: EVERY })
  const { rooms, views, reached } = world
  const run = world.start()
  await reached(0)
  for (const [i, turn] of [TURN, ...others].entries()) {
    views.set(turn, viewOf(turn, i === 0 ? 'accepted' : 'queued', i === 0 ? '' : `${i} before it`))
    rooms.say(`${turn}.accepted`, { kind: 'accepted', turn, session: 's-1', text: `${turn} has it` })
  }
  await reached(1 + others.length)
  const hear = async (kind: 'working' | 'step' | 'answer', turn = TURN) => {
    const { position, id } = rooms.say(randomUUID(), { kind, turn, session: 's-1' })
    await reached(position)
    return id
  }
  const edits = (count: number) => eventually(`${count} changes`, () => world.network.edits.length === count)
  return { ...world, run, hear, edits }
}

test('the card of a turn is said in its place, and changed as often as it may, always to the newest', async () => {
  const { texts, views, hear, edits, network, time, run, ledger, remarks } = await withCard()
  expect(texts()).toEqual([`${TURN} has it`, 'accepted'])
  expect(await ledger.openCards(STREAM)).toEqual([{ turn: TURN, session: 's-1' }])
  for (const detail of ['one', 'two', 'three']) {
    views.set(TURN, viewOf(TURN, 'running', detail))
    await hear('step')
  }
  expect(network.edits).toEqual([])
  await time.pass(EVERY)
  await edits(1)
  views.set(TURN, viewOf(TURN, 'running', 'four'))
  await hear('step')
  views.set(TURN, viewOf(TURN, 'done', 'the answer'))
  const answer = await hear('answer')
  await time.pass(EVERY)
  await edits(2)
  await eventually('it to be forgotten', async () => (await ledger.openCards(STREAM)).length === 0)
  await run.stop()
  expect(network.edits).toEqual([
    { ref: 'r2', text: 'running three' },
    { ref: 'r2', text: 'done the answer' },
  ])
  expect(texts().at(-1)).toBe(answer)
  expect(remarks()).toEqual([])
})

test('what does not change is not said again, and all that is open is looked at now and then', async () => {
  const { views, edits, network, time, run } = await withCard()
  await time.pass(EVERY)
  await time.pass(15_000)
  await time.pass(15_000)
  expect(network.edits).toEqual([])
  views.set(TURN, viewOf(TURN, 'stalled', 'since then'))
  await time.pass(15_000)
  await edits(1)
  await run.stop()
  expect(network.edits).toEqual([{ ref: 'r2', text: 'stalled since then' }])
})

test('those that wait behind a turn move up when it ends', async () => {
  const { views, hear, edits, network, time, run } = await withCard([BEHIND])
  views.set(TURN, viewOf(TURN, 'cancelled'))
  views.set(BEHIND, viewOf(BEHIND, 'accepted'))
  await hear('answer')
  await time.pass(EVERY)
  await edits(2)
  await run.stop()
  expect(network.edits).toEqual([
    { ref: 'r2', text: 'cancelled' },
    { ref: 'r4', text: 'accepted' },
  ])
})

test('a change that fails is made in the next round; no post waits for it', async () => {
  const { views, hear, edits, network, time, run, texts } = await withCard()
  let answered = () => {}
  const stuck = new Promise<void>((resolve) => {
    answered = resolve
  })
  network.editAnswers.push(async () => {
    await stuck
    return { kind: 'later', why: 'slow down', afterMs: 5000 }
  })
  views.set(TURN, viewOf(TURN, 'running', 'one'))
  await hear('working')
  await time.pass(EVERY)
  await eventually('the change to be under way', () => network.editAnswers.length === 0)
  const id = await hear('step')
  expect(texts().at(-1)).toBe(id)
  views.set(TURN, viewOf(TURN, 'running', 'two'))
  network.editAnswers.push('unsure')
  answered()
  await time.pass(5000)
  await eventually('the next to be under way', () => network.editAnswers.length === 0)
  await time.pass(EVERY)
  await edits(1)
  await run.stop()
  expect(network.edits).toEqual([{ ref: 'r2', text: 'running two' }])
})

test('a card that somebody took away is left alone', async () => {
  const { views, hear, network, time, run, ledger, texts } = await withCard()
  network.editAnswers.push('gone')
  views.set(TURN, viewOf(TURN, 'running'))
  time.now += EVERY
  await hear('working')
  await eventually('it to be left', async () => (await ledger.openCards(STREAM)).length === 0)
  views.set(TURN, viewOf(TURN, 'done'))
  await hear('answer')
  await run.stop()
  expect(network.edits).toEqual([])
  expect(texts().length).toBe(4)
})

test('the cards that are open are found again after a restart, and say at once how it stands', async () => {
  const { views, start, network, run, edits, ledger } = await withCard()
  await run.stop()
  views.set(TURN, viewOf(TURN, 'done', 'meanwhile'))
  const next = start()
  await edits(1)
  await eventually('it to be forgotten', async () => (await ledger.openCards(STREAM)).length === 0)
  await next.stop()
  expect(network.edits).toEqual([{ ref: 'r2', text: 'done meanwhile' }])
})

test('a turn that is over before its card is said has one that says so, and is not opened', async () => {
  const { rooms, views, reached, start, texts, ledger, network } = createWorld({
    redis: server.redis,
    prefix: `t-${randomUUID()}`,
    everyMs: EVERY,
  })
  const run = start()
  await reached(0)
  views.set(TURN, viewOf(TURN, 'failed', 'no'))
  rooms.say('p1', { kind: 'accepted', turn: TURN, session: 's-1' })
  rooms.say('p2', { kind: 'answer', turn: TURN, session: 's-1' })
  await reached(2)
  await run.stop()
  expect(texts()).toEqual(['p1', 'failed no', 'p2'])
  expect(await ledger.openCards(STREAM)).toEqual([])
  expect(network.edits).toEqual([])
})

test('a decision about a step changes the card of its turn, though its post only names the step', async () => {
  const { rooms, views, edits, network, time, run, reached } = await withCard()
  views.set(TURN, viewOf(TURN, 'running', 'approved'))
  time.now += EVERY
  const approval = { name: 'k7f2q', state: 'approved', until: null } as const
  rooms.say('p9', { kind: 'approval', step: { id: `${TURN}.3`, state: 'running' }, approval })
  await reached(2)
  await edits(1)
  await run.stop()
  expect(network.edits).toEqual([{ ref: 'r2', text: 'running approved' }])
})
