import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mind } from '../../src/agents/mind.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { entry, openWorkshop, SESSION, stops } from '../peripherals/workshop.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'
import { call } from './attempt.ts'
import { wallsUnderSiege } from './walls.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const write = (path: string): ToolCall => call('write', { path, text: 'x' })

/** A turn that asks a person for one thing, is given up before there is an answer, and goes on with something else. */
const resumedWith = async (first: ToolCall, then: ToolCall) => {
  const specs = wallsUnderSiege()
  await using it = await openWorkshop(server, { specs, peripheral: 'asking' })
  it.runSteps()
  await it.accept('go on')
  const seen: StepReport[] = []
  const mindOf = (one: ToolCall): Mind =>
    function* () {
      seen.push(...(yield [one]))
      return 'done'
    }
  const goingDown = stops()
  const before = it.turnsOf(mindOf(first)).drain(SESSION, goingDown)
  await eventually('a person to be asked', () => it.store.get('t1.0.approval'))
  goingDown.giveUp()
  await before
  for (const item of await it.mailbox.all(SESSION)) await it.mailbox.remove(SESSION, item)
  const body = {
    event: 'approval-decided',
    step: 't1.0',
    approval: approvalName('t1.0'),
    decision: 'approved',
  } as const
  const { append } = it
  await append(entry('t1.0.decision', ADA, { ...body, role: 'approver', note: '' }, 't1.0.approval'))
  await it.turnsOf(mindOf(then)).drain(SESSION, stops())
  return {
    reports: seen.map((report) => (report.kind === 'refused' ? report.refusal.code : report.kind)),
    made: ['src/asked.js', 'src/other.js'].filter(it.has),
    verdict: await it.verdict(),
  }
}

const VERIFIED = { ok: true, violations: [] }

test('a yes is for the call that was asked for, also after a restart', async () => {
  expect(await resumedWith(write('src/asked.js'), write('src/asked.js'))).toEqual({
    reports: ['ok'],
    made: ['src/asked.js'],
    verdict: VERIFIED,
  })
})

test('a yes is for no other call, also where that has the number of the one that was asked for', async () => {
  expect(await resumedWith(write('src/asked.js'), write('src/other.js'))).toEqual({
    reports: ['approval-denied'],
    made: [],
    verdict: VERIFIED,
  })
})
