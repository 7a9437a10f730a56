import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Body } from '../../src/shapes/evidence.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import type { Command } from '../../src/tools/tool.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { EXPLORE, wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { CLAUDE } from '../support/store.ts'
import { entry, GREP, openWorkshop, READ, request, SESSION, type Workshop } from './workshop.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const NEVER = new AbortController().signal
const seen = [{ path: 'a.txt', state: stateOf(Buffer.from('one\n'), false) }]
const ONE: StepReport = { kind: 'ok', output: 'one\n', paths: ['a.txt'], cut: null, seen }
const INTERRUPTED: StepReport = {
  kind: 'interrupted',
  message: 'no outcome was written, as when a worker dies; it was not run again',
}
const WALL = [
  ['session-opened', 'ada', 'm1'],
  ['accepted', 'ada', 'm1'],
  ['turn-started', 'claude-1', 't1'],
  ['peripheral-started', 'claude-1', 't1.started'],
]

/** A workshop with a session, a turn and a wall. */
const open = async (options: Parameters<typeof openWorkshop>[1] = {}): Promise<Workshop> => {
  const it = await openWorkshop(server, options)
  await it.accept('look around')
  await it.enter(options.spec?.id)
  return it
}

const put = (it: Workshop, n: number, call: ToolCall) => it.mailbox.put(SESSION, JSON.stringify(request(n, call)))
const intend = (it: Workshop, n: number, call: ToolCall) =>
  it.append(entry(`t1.${n}.intent`, CLAUDE, { event: 'step-intended', turn: 't1', step: `t1.${n}`, call }, 't1'))

test('a step is an intent before and an outcome after it, by the agent, each answering what it follows from', async () => {
  await using it = await open()
  it.runSteps()
  expect(await it.steps.ask(request(0, READ), NEVER)).toEqual(ONE)
  expect(await it.story()).toEqual([
    ...WALL,
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.0.intent'],
  ])
  const [intent, outcome] = (await it.chain()).slice(-2)
  const tags = ['room/lobby', 'agent/claude-1', 'tool/read', 'peripheral/explore']
  expect([intent?.id, intent?.tags, intent?.body]).toEqual([
    't1.0.intent',
    tags,
    { event: 'step-intended', turn: 't1', step: 't1.0', call: READ, reads: ['a.txt'], writes: [] },
  ])
  expect([outcome?.id, outcome?.tags, outcome?.body]).toEqual([
    't1.0.outcome',
    tags,
    { event: 'step-ended', turn: 't1', step: 't1.0', tool: 'read', outcome: ONE },
  ])
})

test('a step that the gate refuses is evidence without an intent, and the asker learns why', async () => {
  await using it = await open()
  it.runSteps()
  const call = { tool: 'read', args: { path: '../outside.txt' } }
  const why = refusal('out-of-scope', '../outside.txt is outside of what explore may touch: the workspace')
  expect(await it.steps.ask(request(0, call), NEVER)).toEqual({ kind: 'refused', refusal: why })
  expect(await it.story()).toEqual([...WALL, ['step-refused', 'claude-1', 't1']])
  expect((await it.chain()).at(-1)).toMatchObject({
    id: 't1.0.outcome',
    type: 'gate-traversal',
    claim: 'correction',
    body: { event: 'step-refused', turn: 't1', step: 't1.0', call, refusal: why },
  })
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a call to no tool at all is refused, kept as it was made, and tagged with what a tag may hold of it', async () => {
  await using it = await open()
  it.runSteps()
  const calls: [string, string][] = [
    ['rm -rf /', 'tool/rm-rf'],
    ['', 'tool/none'],
    ['ä'.repeat(100), 'tool/none'],
    ['x'.repeat(100), `tool/${'x'.repeat(64)}`],
  ]
  for (const [n, [tool]] of calls.entries()) await it.steps.ask(request(n, { tool, args: {} }), NEVER)
  const refusals = (await it.chain()).filter(({ body }) => body.event === 'step-refused')
  expect(refusals.map(({ body, tags }) => [body.event === 'step-refused' && body.call.tool, tags[2]])).toEqual(calls)
})

test.each([
  ['half a character', { path: 'a\ud800' }],
  ['a zero byte', { path: 'a\0b' }],
  ['a key of every object', JSON.parse('{"__proto__":{"path":"a.txt"},"constructor":1}')],
  ['much inside of much', { path: { path: { path: [[[['a.txt']]]] } } }],
  ['nothing', {}],
  ['a lot', { path: 'x'.repeat(100_000) }],
])('whatever is in the arguments, there is an answer and evidence of it: %s', async (_what, args) => {
  await using it = await open()
  it.runSteps()
  const report = await it.steps.ask(request(0, { tool: 'read', args }), NEVER)
  const last = (await it.chain()).at(-1)
  expect([report?.kind === 'refused' || report?.kind === 'failed', last?.id]).toEqual([true, 't1.0.outcome'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('what the gate looks at is the wall of the session and the mode of its room, at that moment', async () => {
  await using it = await openWorkshop(server)
  it.runSteps()
  await it.accept('look around')
  const ask = (n: number) => it.steps.ask(request(n, READ), NEVER)
  expect(await ask(0)).toMatchObject({ refusal: { code: 'peripheral-inactive' } })
  await it.enter()
  it.room.mode = 'discuss'
  expect(await ask(1)).toMatchObject({ refusal: { code: 'mode-forbids' } })
  it.room.mode = 'diagnose'
  expect(await ask(2)).toEqual(ONE)
  it.specs.delete('explore')
  expect(await ask(3)).toMatchObject({ refusal: { code: 'peripheral-inactive' } })
})

test('a turn has as many steps as its peripheral gives it, and the next one is refused', async () => {
  await using it = await open({ spec: { ...EXPLORE, limits: { ...EXPLORE.limits, stepsPerTurn: 2 } } })
  it.runSteps()
  const reports = []
  for (const n of [0, 1, 2]) reports.push(await it.steps.ask(request(n, READ), NEVER))
  expect(reports).toEqual([
    ONE,
    ONE,
    { kind: 'refused', refusal: refusal('budget-spent', 'this turn has used its 2 steps') },
  ])
})

test('a tool that throws is a step that failed', async () => {
  await using it = await open({ spec: { ...EXPLORE, limits: { ...EXPLORE.limits } } })
  it.runSteps()
  expect(await it.steps.ask(request(0, READ), NEVER)).toEqual(ONE)
  Object.defineProperty(it.specs.get('explore')?.limits, 'outputLines', {
    get: () => {
      throw new Error('the tool broke')
    },
  })
  expect(await it.steps.ask(request(1, READ), NEVER)).toEqual({ kind: 'failed', message: 'the tool broke' })
  expect((await it.story()).slice(-2)).toEqual([
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.1.intent'],
  ])
})

test('steps that wait together are run in the order they were asked for', async () => {
  await using it = await open()
  for (let n = 0; n < 20; n++) await put(it, n, READ)
  await it.steps.drain(SESSION, NEVER)
  const intents = (await it.chain()).flatMap(({ body }) => (body.event === 'step-intended' ? [body.step] : []))
  expect(intents).toEqual(Array.from({ length: 20 }, (_, n) => `t1.${n}`))
  expect(await it.mailbox.all(SESSION)).toEqual([])
})

test('a step that has an outcome is never run again: whoever asks is answered from evidence', async () => {
  await using it = await open()
  it.runSteps()
  const first = await it.steps.ask(request(0, GREP), NEVER)
  it.write('a.txt', 'changed\n')
  expect(await it.steps.ask(request(0, GREP), NEVER)).toEqual(first)
  await put(it, 0, GREP)
  await it.steps.drain(SESSION, NEVER)
  expect(await it.mailbox.all(SESSION)).toEqual([])
  expect([it.ripgrep.runs(), (await it.chain()).length]).toEqual([1, WALL.length + 2])
})

test('a step with an intent and no outcome was interrupted: it is said so, and not run again', async () => {
  await using it = await open()
  await intend(it, 0, GREP)
  it.runSteps()
  expect(await it.steps.ask(request(0, GREP), NEVER)).toEqual(INTERRUPTED)
  expect(await it.story()).toEqual([
    ...WALL,
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.0.intent'],
  ])
  expect(it.ripgrep.runs()).toBe(0)
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a step that was interrupted does not keep the next one from running', async () => {
  await using it = await open()
  await intend(it, 0, GREP)
  await put(it, 0, GREP)
  await put(it, 1, GREP)
  await it.steps.drain(SESSION, NEVER)
  expect((await it.bodies('step-ended')).map((body) => body.event === 'step-ended' && body.outcome.kind)).toEqual([
    'interrupted',
    'ok',
  ])
  expect(it.ripgrep.runs()).toBe(1)
})

test('a drain that was taken over writes nothing more, and what it was doing is interrupted', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  const first = it.steps.drain(SESSION, NEVER)
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  const second = it.steps.drain(SESSION, NEVER)
  await put(it, 1, READ)
  await second
  await it.steps.drain(SESSION, NEVER)
  const after = await it.story()
  it.ripgrep.release()
  await first
  expect(await it.story()).toEqual(after)
  expect((await it.bodies('step-ended')).map((body) => body.event === 'step-ended' && body.outcome)).toEqual([
    INTERRUPTED,
    ONE,
  ])
  expect(it.ripgrep.runs()).toBe(1)
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a drain that was taken over in the middle of a step ends the program it runs', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  const first = it.steps.drain(SESSION, NEVER)
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  await it.steps.drain(SESSION, NEVER)
  const after = await it.story()
  // Nothing but its end lets it go, before its own time is over.
  await first
  expect(await it.story()).toEqual(after)
  expect((await it.bodies('step-ended')).map((body) => body.event === 'step-ended' && body.outcome)).toEqual([
    INTERRUPTED,
  ])
}, 15_000)

test('a drain that was taken over on its way to a tool does not run it', async () => {
  await using it = await open()
  let resolve = () => {}
  const held = new Promise<void>((done) => {
    resolve = done
  })
  let asked = 0
  it.room.asked = () => (++asked === 1 ? held : Promise.resolve())
  await put(it, 0, GREP)
  const late = it.steps.drain(SESSION, NEVER)
  await eventually('the gate to be asked', () => asked === 1)
  await it.steps.drain(SESSION, NEVER)
  const after = await it.story()
  resolve()
  await late
  expect([it.ripgrep.runs(), await it.story()]).toEqual([1, after])
})

test('a terminal that may not be started any more when everything is ready for it is not, and why is said', async () => {
  await using it = await open({ spec: wall({ sandbox: 'workspace-write' }) })
  const around = { spec: wall(), place: await it.workshop.placeOf('claude-1', 't1') }
  const command: Command = {
    argv: ['touch', 'begun'],
    rule: { argv: ['touch'], for: 'work', network: false, approve: false },
    sandbox: 'workspace-write',
    network: false,
  }
  const terminals = it.workshop.sandbox.terminals(SESSION, { ...around, objection: async () => 'it is too late' })
  expect(await terminals.start('late', command)).toEqual({ ok: false, why: 'it is too late' })
  expect({ names: terminals.names(), begun: it.has('begun') }).toEqual({ names: [], begun: false })
})

test('a terminal ends with the stay that it was started in, also where another worker has ended that and entered the same peripheral again', async () => {
  const spec = wall({ sandbox: 'workspace-write' })
  await using it = await open({ spec })
  const around = { spec, place: await it.workshop.placeOf('claude-1', 't1'), objection: async () => null }
  const command: Command = {
    argv: ['sleep', '600'],
    rule: { argv: ['sleep'], for: 'work', network: false, approve: false },
    sandbox: 'workspace-write',
    network: false,
  }
  const terminals = it.workshop.sandbox.terminals(SESSION, around)
  expect([await terminals.start('dev', command), terminals.names()]).toEqual([{ ok: true }, ['dev']])
  const [{ body } = { body: null }] = (await it.chain()).filter(({ id }) => id === 't1.peripheral')
  const left = { event: 'peripheral-stopped', turn: 't1', peripheral: spec.id, reason: 'turn-ended' } as const
  await it.record(
    entry('t1.stopped', CLAUDE, { ...left, fruit: { steps: 0, found: [] } }, 't1.started'),
    entry('t1.again', CLAUDE, body as Body, 't1.started'),
  )
  await eventually('it to end', () => terminals.names().length === 0)
})

test('a drain that is told to stop ends the step it is at, and leaves the rest', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  const stop = new AbortController()
  const drain = it.steps.drain(SESSION, stop.signal)
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  stop.abort()
  await put(it, 1, READ)
  it.ripgrep.release()
  await drain
  expect((await it.bodies('step-ended')).length).toBe(1)
  expect(await it.mailbox.all(SESSION)).toEqual([JSON.stringify(request(1, READ))])
})

test.each([
  ['no JSON', '{'],
  ['no request', '{"session":"s-1"}'],
  ['a request of another version', JSON.stringify({ ...request(0, READ), more: true })],
  ['for a session there is not', JSON.stringify({ ...request(0, READ), session: 's-9' })],
])('an item that cannot be worked on does not stand in the way: %s', async (_what, item) => {
  await using it = await open()
  await it.mailbox.put(SESSION, item)
  await put(it, 1, READ)
  await it.steps.drain(SESSION, NEVER)
  expect(await it.mailbox.all(SESSION)).toEqual([])
  expect(await it.steps.ask(request(1, READ), NEVER)).toEqual(ONE)
})

test('a request that Redis lost is asked for again', async () => {
  await using it = await open()
  const asked = it.steps.ask(request(0, READ), NEVER)
  await eventually('the request', async () => (await it.mailbox.all(SESSION))[0])
  await it.redis.flushall()
  it.runSteps()
  expect(await asked).toEqual(ONE)
})

test('asking ends with null when it is told to, and the step is left to whoever drains', async () => {
  await using it = await open()
  const stop = new AbortController()
  const asked = it.steps.ask(request(0, READ), stop.signal)
  await eventually('the request', async () => (await it.mailbox.all(SESSION))[0])
  stop.abort()
  expect(await asked).toBeNull()
  expect(await it.steps.ask(request(0, READ), stop.signal)).toBeNull()
  await it.steps.drain(SESSION, NEVER)
  expect(await it.steps.ask(request(0, READ), NEVER)).toEqual(ONE)
})

test('a call that is too much to be written down is refused without what was in it, and stands in nobody’s way', async () => {
  await using it = await open()
  it.runSteps()
  const huge: ToolCall = { tool: 'read', args: { path: 'a.txt', more: 'x'.repeat(9_000_000) } }
  expect(await it.steps.ask(request(0, huge), NEVER)).toMatchObject({ refusal: { code: 'arguments-invalid' } })
  expect(await it.steps.ask(request(1, READ), NEVER)).toEqual(ONE)
  expect(await it.bodies('step-refused')).toMatchObject([{ call: { tool: 'read', args: {} } }])
})

test('what was asked for in a turn that is over is not done in the next', async () => {
  await using it = await open()
  await it.record(
    entry(
      't1.stopped',
      CLAUDE,
      {
        event: 'peripheral-stopped',
        turn: 't1',
        peripheral: 'explore',
        reason: 'turn-ended',
        fruit: { steps: 0, found: [] },
      },
      't1.started',
    ),
    entry('t1.ended', CLAUDE, { event: 'turn-ended', turn: 't1', outcome: 'done', answer: '' }, 't1'),
  )
  await put(it, 0, GREP)
  await it.steps.drain(SESSION, NEVER)
  expect([await it.mailbox.all(SESSION), it.ripgrep.runs()]).toEqual([[], 0])
})

test('a wall that the config has another of by now is none any more', async () => {
  await using it = await open()
  it.runSteps()
  it.specs.set('explore', { ...EXPLORE, purpose: 'Something else.' })
  expect(await it.steps.ask(request(0, READ), NEVER)).toMatchObject({ refusal: { code: 'peripheral-inactive' } })
})

test('a drain that is asked again and again gives its place to a session that waits for it', async () => {
  await using it = await open()
  it.runSteps(1)
  let over = false
  const askOnAndOn = async () => {
    for (let n = 0; !over; n++) await it.steps.ask(request(n, READ), NEVER)
  }
  const asking = askOnAndOn()
  await eventually('the first step to end', () => it.store.get('t1.0.outcome'))
  await it.wake('s-2')
  await eventually('the other to have its turn', async () => (await it.lanes.steps.isWaitedFor()) === false)
  over = true
  await asking
})
