import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BELLHOP, sessionDraft } from '../../src/evidence/drafts.ts'
import { pauseDraft } from '../../src/evidence/pauses.ts'
import type { Store } from '../../src/evidence/store.ts'
import { startDraft } from '../../src/evidence/threads.ts'
import type { Presence } from '../../src/shapes/agent.ts'
import type { Author, Body, Draft } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { createTurnViews } from '../../src/status/turn-view.ts'
import { ADA, CLAUDE, must, type TestStore, testStore } from '../support/store.ts'

let place: TestStore
beforeAll(async () => {
  place = await testStore()
})
afterAll(() => place[Symbol.asyncDispose]())

const READY: Presence = { id: 'claude-1', type: 'claude', readiness: 'ready', peripherals: ['explore'], reason: null }
const STALLED_MS = 600_000

let sessions = 0

/** A session of its own, in which a test writes what it wants, one entry after the other. */
const openSession = async (where?: string) => {
  const session = `s-${++sessions}`
  const room = where ?? `room-${sessions}`
  const turn = (n: number) => `${session}-m${n}.claude-1`
  const first = turn(1)
  const draft = (id: string, body: Body, author: Author = CLAUDE): Draft =>
    sessionDraft({ session, room, agent: 'claude-1', id, author, body })
  const write = async (...drafts: Draft[]) => must(await place.store.append(drafts))
  const accepted = (id: string, request = 'look at it') => {
    const body = { event: 'accepted', agent: 'claude-1', room, peripheral: 'explore', request } as const
    return draft(id, body, ADA)
  }
  const intended = (step: string, args: Record<string, unknown>, tool = 'read') => {
    const body = { event: 'step-intended', turn: first, step, call: { tool, args } } as const
    return draft(`${step}.intent`, body)
  }
  const fine: StepOutcome = { kind: 'ok', output: '', paths: [], cut: null }
  const ended = (step: string, failed = false) => {
    const outcome: StepOutcome = failed ? { kind: 'failed', message: 'no' } : fine
    return draft(`${step}.outcome`, { event: 'step-ended', turn: first, step, tool: 'read', outcome })
  }
  const started = (id = first) => draft(`${id}.started`, { event: 'turn-started', turn: id })
  const over = (id: string, how: 'done' | 'failed' | 'cancelled', answer: string) =>
    draft(`${id}.ended`, { event: 'turn-ended', turn: id, outcome: how, answer })
  await write(draft(`${session}.opened`, { event: 'session-opened', agent: 'claude-1', room }, ADA))
  await write(accepted(first))
  return { session, room, turn, first, draft, write, accepted, intended, ended, started, over }
}

type Look = { presence?: Presence | null; approvers?: string[] | ((room: string) => string[] | null); store?: Store }

const viewsWith = ({ presence = READY, approvers, store = place.store }: Look = {}) =>
  createTurnViews({
    store,
    presenceOf: async () => presence,
    clock: () => place.clock.now,
    stalledMs: STALLED_MS,
    ...(approvers ? { approversIn: typeof approvers === 'function' ? approvers : () => approvers } : {}),
  })

const stateOf = async (turn: string, look: Look = {}) => {
  const view = await viewsWith(look).of(turn)
  return view && [view.state, view.detail]
}

const at = () => new Date(place.clock.now).toISOString()
const lapsed = { ...READY, readiness: 'lapsed', reason: 'its lease ran out' } as const

test('there is no view of a turn that is not there', async () => {
  expect(await viewsWith().of('nothing.claude-1')).toBe(null)
})

test('a turn has one view from its beginning to its end', async () => {
  const { session, room, first, write, started, intended, ended, over } = await openSession()
  const accepted = at()
  const whole = {
    turn: first,
    session,
    room,
    agent: 'claude-1',
    peripheral: 'explore',
    by: 'ada',
    request: 'look at it',
    state: 'accepted',
    detail: 'about to be taken up',
    ahead: 0,
    steps: { taken: 0, failed: 0, refused: 0 },
    approval: null,
    accepted,
    started: null,
    ended: null,
  }
  expect(await viewsWith().of(first)).toEqual(whole)
  place.clock.now += 1000
  await write(started())
  const begun = { ...whole, started: at(), state: 'running', detail: 'at work' }
  expect(await viewsWith().of(first)).toEqual(begun)
  await write(intended(`${first}.0`, { path: 'src/main.ts' }))
  const steps = { taken: 1, failed: 0, refused: 0 }
  expect(await viewsWith().of(first)).toEqual({ ...begun, detail: 'read src/main.ts', steps })
  await write(ended(`${first}.0`, true))
  expect(await viewsWith().of(first)).toEqual({ ...begun, steps: { ...steps, failed: 1 } })
  place.clock.now += 1000
  await write(over(first, 'done', '\nIt is fine.\nReally.'))
  const done = { ...begun, state: 'done', detail: 'It is fine.', steps: { ...steps, failed: 1 }, ended: at() }
  expect(await viewsWith({ presence: lapsed }).of(first)).toEqual(done)
})

describe('a turn that has not begun', () => {
  test('is queued behind those of its session, and no others', async () => {
    const { turn, write, accepted, started, over, first } = await openSession()
    await write(started())
    await write(accepted(turn(2)), accepted(turn(3)))
    expect(await stateOf(turn(2))).toEqual(['queued', '1 before it'])
    expect(await stateOf(turn(3))).toEqual(['queued', '2 before it'])
    expect((await viewsWith().of(turn(3)))?.ahead).toBe(2)
    await write(over(first, 'cancelled', 'stopped by ada: enough'))
    expect(await stateOf(first)).toEqual(['cancelled', 'stopped by ada: enough'])
    expect(await stateOf(turn(2))).toEqual(['accepted', 'about to be taken up'])
    expect(await stateOf(turn(3))).toEqual(['queued', '1 before it'])
  })

  test('is parked where its agent is known not to be ready, for the reason that it gives', async () => {
    const { first } = await openSession()
    const away = { ...READY, readiness: 'registered', reason: 'sign-in: not signed in' } as const
    expect(await stateOf(first, { presence: away })).toEqual(['parked', 'sign-in: not signed in'])
    expect(await stateOf(first, { presence: { ...away, reason: null } })).toEqual(['parked', 'claude-1 is registered'])
    expect(await stateOf(first, { presence: null })).toEqual(['accepted', 'about to be taken up'])
    expect(await stateOf(first, { presence: { ...READY, readiness: 'broken' } })).toEqual([
      'accepted',
      'about to be taken up',
    ])
  })

  test('is asked for what it was last amended to, and says when it was taken out of the line', async () => {
    const { turn, write, accepted, draft } = await openSession()
    const id = turn(2)
    await write(accepted(id, 'one'))
    await write(draft(`${id}.amend-0`, { event: 'turn-amended', turn: id, request: 'two' }, ADA))
    await write(draft(`${id}.stop`, { event: 'stop-asked', turn: id, why: '', queued: true }, ADA))
    expect((await viewsWith().of(id))?.request).toBe('two')
    expect(await stateOf(id)).toEqual(['queued', 'taken out of the line: it ends when it is due'])
  })
})

describe('a turn that is under way', () => {
  test('waits for a person from the question to the answer, or until the time is up', async () => {
    const { first, write, started, draft } = await openSession()
    await write(started())
    const ask = (n: number) => {
      const until = new Date(place.clock.now + 60_000).toISOString()
      const call = { tool: 'run', args: { argv: ['npm', 'test'] } }
      const about = { turn: first, step: `${first}.${n}`, approval: `k7f2${n}`, call, why: 'it writes', until }
      return draft(`${first}.${n}.approval`, { event: 'approval-asked', ...about, opens: 'run npm test' })
    }
    await write(ask(1), ask(2))
    const view = await viewsWith({ presence: lapsed }).of(first)
    expect([view?.state, view?.detail, view?.approval]).toEqual([
      'waiting',
      'for an approval: k7f21 (opens run npm test)',
      'k7f21',
    ])
    expect(await stateOf(first, { approvers: ['ada', 'grace'] })).toEqual([
      'waiting',
      'for an approval: k7f21 (opens run npm test), by ada or grace',
    ])
    const decided = { event: 'approval-decided', decision: 'approved', role: 'approver', note: '' } as const
    await write(draft(`${first}.1.decision`, { ...decided, step: `${first}.1`, approval: 'k7f21' }, ADA))
    expect((await viewsWith().of(first))?.approval).toBe('k7f22')
    place.clock.now += 60_000
    expect(await stateOf(first)).toEqual(['running', 'at work'])
  })

  test('is interrupted where its worker is gone, and says so where its agent only stepped back', async () => {
    const { first, write, started } = await openSession()
    await write(started())
    const gone = 'its worker is gone: it goes on when it is back'
    expect(await stateOf(first, { presence: lapsed })).toEqual(['interrupted', gone])
    const back = { ...READY, readiness: 'registered', reason: 'not signed in' } as const
    expect(await stateOf(first, { presence: back })).toEqual([
      'interrupted',
      'not signed in: it goes on when it is ready again',
    ])
    expect(await stateOf(first, { presence: null })).toEqual(['running', 'at work'])
  })

  test('is stalled when nothing was heard of it for long, whatever others do in its session', async () => {
    const { first, turn, write, started, intended, accepted } = await openSession()
    await write(started(), intended(`${first}.0`, { argv: ['npm', 'test', '--\u001b[31m all'] }, 'run'))
    const heard = at()
    place.clock.now += STALLED_MS
    await write(...Array.from({ length: 120 }, (_, n) => accepted(turn(n + 2))))
    expect(await stateOf(first)).toEqual(['stalled', `nothing was heard since ${heard}: run npm test --[31m all`])
  })

  test('does what it said last where no step goes on; of several that go on, the newest', async () => {
    const { first, write, started, intended, ended, draft } = await openSession()
    await write(started(), intended(`${first}.0`, { pattern: 'x'.repeat(200) }, 'grep'))
    const [, detail] = (await stateOf(first)) ?? []
    expect(detail).toBe(`grep ${'x'.repeat(114)}…`)
    await write(intended(`${first}.1`, { path: 'b.ts' }))
    expect(await stateOf(first)).toEqual(['running', 'read b.ts'])
    await write(ended(`${first}.0`), ended(`${first}.1`))
    await write(draft(`${first}.said-1`, { event: 'agent-said', turn: first, text: 'I see.\nNow the tests.' }))
    expect(await stateOf(first)).toEqual(['running', 'I see.'])
  })

  test('waits in a thread for those whom the room names that it was begun in', async () => {
    const thread = { thread: 't-1', agent: 'claude-1', name: '', room: 'ops', mode: 'execute', from: null } as const
    must(await place.store.append([startDraft(thread, ADA)]))
    const { first, write, started, draft } = await openSession('t-1')
    const until = new Date(place.clock.now + 60_000).toISOString()
    const call = { tool: 'run', args: { argv: ['npm', 'test'] } }
    const about = { turn: first, step: `${first}.1`, approval: 'kqzfm', call, why: 'it writes', until }
    const asked = { event: 'approval-asked', ...about, opens: 'run npm test' } as const
    await write(started(), draft(`${first}.1.approval`, asked))
    expect(await stateOf(first, { approvers: (room) => (room === 'ops' ? ['grace'] : null) })).toEqual([
      'waiting',
      'for an approval: kqzfm (opens run npm test), by grace',
    ])
  })

  test('is where its last hop led it', async () => {
    const { first, write, started, draft } = await openSession()
    const wall = { turn: first, peripheral: 'edit', tools: ['read'], spec: 'x' }
    await write(started(), draft(`${first}.peripheral`, { event: 'peripheral-started', ...wall }))
    expect((await viewsWith().of(first))?.peripheral).toBe('edit')
  })
})

test('steps are those of the turn alone, though its neighbours began and ended in the same moment', async () => {
  const { first, turn, write, accepted, started, intended, ended, draft, over } = await openSession()
  const second = turn(2)
  const call = { tool: 'read', args: { path: 'b' } }
  const no = refusal('out-of-scope', 'no')
  const denied = { event: 'step-refused', turn: first, step: `${first}.1`, call, refusal: no } as const
  await write(accepted(second), started())
  await write(intended(`${first}.0`, { path: 'a' }), ended(`${first}.0`, true))
  await write(draft(`${first}.1.outcome`, denied), over(first, 'failed', 'no'))
  await write(started(second))
  await write(draft(`${second}.0.intent`, { event: 'step-intended', turn: second, step: `${second}.0`, call }))
  place.clock.now += 5
  await write(draft(`${second}.1.intent`, { event: 'step-intended', turn: second, step: `${second}.1`, call }))
  expect((await viewsWith().of(first))?.steps).toEqual({ taken: 1, failed: 1, refused: 1 })
  expect((await viewsWith().of(second))?.steps).toEqual({ taken: 2, failed: 0, refused: 0 })
})

test('a turn that waits for others is parked, however long that takes, until they have ended or the time is up', async () => {
  const { first, draft, write, started, intended } = await openSession()
  const other = await openSession()
  await write(started())
  const until = new Date(place.clock.now + 2 * STALLED_MS).toISOString()
  const step = `${first}.0`
  await write(draft(`${step}.parked`, { event: 'parked', turn: first, step, jobs: [other.first], bell: null, until }))
  expect(await stateOf(first)).toEqual(['parked', `waits until ${until} for claude-1 (${other.first})`])
  place.clock.now += STALLED_MS
  expect(await stateOf(first)).toEqual(['parked', `waits until ${until} for claude-1 (${other.first})`])
  await other.write(other.over(other.first, 'done', 'yes'))
  expect(await stateOf(first)).toEqual(['parked', `waits until ${until} for nobody any more`])
  await write(intended(step, { to: 'claude-1' }, 'whistle'))
  expect(await stateOf(first)).toEqual(['running', 'whistle claude-1'])
})

test('a wait whose time is up is none any more', async () => {
  const { first, draft, write, started } = await openSession()
  const other = await openSession()
  await write(started())
  const until = new Date(place.clock.now + 1000).toISOString()
  const step = `${first}.0`
  await write(draft(`${step}.parked`, { event: 'parked', turn: first, step, jobs: [other.first], bell: null, until }))
  place.clock.now += 1000
  expect(await stateOf(first)).toEqual(['running', 'at work'])
})

test('what waits for an agent that a person has paused is parked, by whom and why; what it is at goes on', async () => {
  await using kept = await testStore()
  const draft = (id: string, body: Body, author: Author = CLAUDE): Draft =>
    sessionDraft({ session: 's-1', room: 'lobby', agent: 'claude-1', id, author, body })
  const accepted = (id: string) =>
    draft(id, { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request: id }, ADA)
  const pause = (id: string, paused: boolean) =>
    pauseDraft({ id, agent: 'claude-1', paused, why: paused ? 'the branch is frozen' : '' }, 'lobby', ADA)
  must(
    await kept.store.append([
      draft('s-1.opened', { event: 'session-opened', agent: 'claude-1', room: 'lobby' }, ADA),
      ...['a.claude-1', 'b.claude-1'].map(accepted),
      draft('a.claude-1.started', { event: 'turn-started', turn: 'a.claude-1' }),
      pause('p1', true),
    ]),
  )
  const clock = () => kept.clock.now
  const views = createTurnViews({ store: kept.store, presenceOf: async () => READY, clock, stalledMs: STALLED_MS })
  const states = async () => (await views.open()).map(({ turn, state, detail }) => [turn, state, detail])
  expect(await states()).toEqual([
    ['a.claude-1', 'running', 'at work'],
    ['b.claude-1', 'parked', 'paused by ada: the branch is frozen'],
  ])
  must(await kept.store.append([pause('p2', false)]))
  expect((await states())[1]).toEqual(['b.claude-1', 'queued', '1 before it'])
})

test('a long session is not read to look at its last turn', async () => {
  const { first, write, started, intended, ended } = await openSession()
  await write(started())
  for (let n = 0; n < 5; n++) {
    const steps = Array.from({ length: 100 }, (_, i) => `${first}.${n * 100 + i}`)
    place.clock.now += 10
    await write(...steps.flatMap((step) => [intended(step, { path: 'a' }), ended(step)]))
  }
  const asked: unknown[] = []
  const read: number[] = []
  const store: Store = {
    ...place.store,
    query: async (filters) => {
      const found = await place.store.query(filters)
      asked.push(filters)
      if (found.ok) read.push(found.value.entries.length)
      return found
    },
  }
  const view = await viewsWith({ store }).of(first)
  expect(view?.steps).toEqual({ taken: 500, failed: 0, refused: 0 })
  expect(asked.length).toBe(4)
  expect(Math.max(...read)).toBeLessThanOrEqual(50)
})

test('all that is open is seen in the order it was accepted, and nothing that has ended', async () => {
  await using other = await testStore()
  const draft = (id: string, body: Body, author: Author = CLAUDE): Draft =>
    sessionDraft({ session: 's-1', room: 'lobby', agent: 'claude-1', id, author, body })
  const accepted = (id: string) =>
    draft(id, { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request: id }, ADA)
  must(
    await other.store.append([
      draft('s-1.opened', { event: 'session-opened', agent: 'claude-1', room: 'lobby' }, BELLHOP),
      ...['a.claude-1', 'b.claude-1', 'c.claude-1'].map(accepted),
      draft('a.claude-1.started', { event: 'turn-started', turn: 'a.claude-1' }),
      draft('a.claude-1.ended', { event: 'turn-ended', turn: 'a.claude-1', outcome: 'done', answer: '' }),
      draft('b.claude-1.started', { event: 'turn-started', turn: 'b.claude-1' }),
    ]),
  )
  const views = await createTurnViews({
    store: other.store,
    presenceOf: async () => READY,
    clock: () => other.clock.now,
    stalledMs: STALLED_MS,
  }).open()
  expect(views.map(({ turn, state, ahead }) => [turn, state, ahead])).toEqual([
    ['b.claude-1', 'running', 0],
    ['c.claude-1', 'queued', 1],
  ])
})
