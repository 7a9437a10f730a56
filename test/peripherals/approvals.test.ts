import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvalName } from '../../src/peripherals/approvals.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'
import { entry, openWorkshop, READ, request, SESSION, type Workshop } from './workshop.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const NEVER = new AbortController().signal
const STEP = 't1.0'
const NAME = approvalName(STEP)

const EDIT: PeripheralSpec = wall({
  id: 'edit',
  tools: ['read', 'write'],
  scope: { ...wall().scope, write: ['**'] },
  sandbox: 'workspace-write',
  approval: { policy: 'on-request', tools: ['write'] },
})
const WRITE: ToolCall = { tool: 'write', args: { path: 'new.txt', text: 'new\n' } }

const open = async () => {
  const it = await openWorkshop(server, { spec: EDIT })
  await it.accept('write')
  await it.enter()
  return it
}

const decide = async (it: Workshop, decision: 'approved' | 'denied', note = '') => {
  const body: Body = { event: 'approval-decided', step: STEP, approval: NAME, decision, role: 'approver', note }
  await it.record(entry(`${STEP}.decision`, ADA, body, `${STEP}.approval`))
  await it.wake(SESSION)
}

const asked = (it: Workshop) => eventually('a person to be asked', () => it.store.get(`${STEP}.approval`))
const events = async (it: Workshop) => (await it.story()).slice(4)

test('a call that needs an approval is not run, and a person is told what, why and until when', async () => {
  await using it = await open()
  it.runSteps()
  const report = it.steps.ask(request(0, WRITE), NEVER)
  expect((await asked(it)).body).toEqual({
    event: 'approval-asked',
    turn: 't1',
    step: STEP,
    approval: NAME,
    call: WRITE,
    why: 'edit asks before each write',
    opens: 'change new.txt with write',
    until: '2026-01-02T03:34:05.000Z',
  })
  expect(it.has('new.txt')).toBe(false)
  await decide(it, 'approved')
  expect(await report).toMatchObject({ kind: 'ok', changed: ['new.txt'] })
  expect(it.has('new.txt')).toBe(true)
  expect(await events(it)).toEqual([
    ['approval-asked', 'claude-1', 't1'],
    ['approval-decided', 'ada', `${STEP}.approval`],
    ['snapshot-taken', 'claude-1', 't1'],
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', `${STEP}.intent`],
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('what stands in line behind a call that waits wakes nobody, and is done with the answer to that', async () => {
  await using it = await open()
  const calls: ToolCall[] = [WRITE, { tool: 'read', args: { path: 'new.txt' } }, READ]
  for (const [n, call] of calls.entries()) await it.mailbox.put(SESSION, JSON.stringify(request(n, call)))
  await it.steps.drain(SESSION, NEVER)
  expect({ left: (await it.mailbox.all(SESSION)).length, wakes: await it.lanes.steps.depth() }).toEqual({
    left: 3,
    wakes: 0,
  })
  it.runSteps()
  await decide(it, 'approved')
  await eventually('the last of them to be done', () => it.store.get('t1.2.outcome'))
  await eventually('nothing to be left', async () => (await it.mailbox.all(SESSION)).length === 0)
  const ended = (await it.chain()).flatMap(({ body }) => (body.event === 'step-ended' ? [body.outcome.kind] : []))
  expect(ended).toEqual(['ok', 'ok', 'ok'])
})

test('a call that was denied is refused with who said no, and why', async () => {
  await using it = await open()
  it.runSteps()
  const report = it.steps.ask(request(0, WRITE), NEVER)
  await asked(it)
  await decide(it, 'denied', 'not on a Friday')
  const why = refusal('approval-denied', 'ada said no: not on a Friday')
  expect(await report).toEqual({ kind: 'refused', refusal: why })
  expect(it.has('new.txt')).toBe(false)
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('the question outlives the worker: another one finds the answer and goes on', async () => {
  await using it = await open()
  const first = it.runSteps()
  const stop = new AbortController()
  const report = it.steps.ask(request(0, WRITE), stop.signal)
  await asked(it)
  stop.abort()
  expect(await report).toBeNull()
  await first.close()
  await it.redis.flushall()
  await decide(it, 'approved')
  it.runSteps()
  expect(await it.steps.ask(request(0, WRITE), NEVER)).toMatchObject({ kind: 'ok' })
  expect((await it.bodies('approval-asked')).length).toBe(1)
})

test('a yes is for the call that was asked about, and opens no other under the same name', async () => {
  await using it = await open()
  const first = it.runSteps()
  const stop = new AbortController()
  const report = it.steps.ask(request(0, WRITE), stop.signal)
  await asked(it)
  stop.abort()
  await report
  await first.close()
  await it.redis.flushall()
  await decide(it, 'approved')
  it.runSteps()
  const other: ToolCall = { tool: 'write', args: { path: 'new.txt', text: 'something else' } }
  expect(await it.steps.ask(request(0, other), NEVER)).toEqual({
    kind: 'refused',
    refusal: refusal('approval-denied', 'a person was asked about another call than this'),
  })
  expect(it.has('new.txt')).toBe(false)
})

test('a question that nobody answers in time is closed, and the call refused', async () => {
  await using it = await open()
  it.runSteps()
  const report = it.steps.ask(request(0, WRITE), NEVER)
  await asked(it)
  it.time.now += 31 * 60_000
  await it.record()
  expect(await report).toEqual({ kind: 'refused', refusal: refusal('approval-lapsed', 'nobody answered in time') })
  expect(await events(it)).toEqual([
    ['approval-asked', 'claude-1', 't1'],
    ['approval-decided', 'bellhop', `${STEP}.approval`],
    ['step-refused', 'claude-1', 't1'],
  ])
})

test('while one call waits for a person, others that touch something else go on', async () => {
  await using it = await open()
  it.runSteps()
  const report = it.steps.ask(request(0, WRITE), NEVER)
  await asked(it)
  expect(await it.steps.ask(request(1, READ), NEVER)).toMatchObject({ kind: 'ok', output: 'one\n' })
  await decide(it, 'approved')
  expect(await report).toMatchObject({ kind: 'ok' })
})

test('a turn that a person stops does not wait for the answer', async () => {
  await using it = await open()
  it.runSteps()
  const report = it.steps.ask(request(0, WRITE), NEVER)
  await asked(it)
  await it.record(entry('t1.stop', ADA, { event: 'stop-asked', turn: 't1', why: '' }, 't1'))
  await it.wake(SESSION)
  expect(await report).toEqual({ kind: 'refused', refusal: refusal('turn-stopped', 'a person has stopped this turn') })
})
