import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mind } from '../../src/agents/mind.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { drainLane } from '../../src/queue/lane.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { GREP, openWorkshop, READ, SESSION, stops, type Workshop } from '../peripherals/workshop.ts'
import { EXPLORE } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const STATE = stateOf(Buffer.from('one\n'), false)
const ONE: StepReport = {
  kind: 'ok',
  output: 'one\n',
  paths: ['a.txt'],
  cut: null,
  seen: [{ path: 'a.txt', state: STATE }],
}
const OUTSIDE: ToolCall = { tool: 'read', args: { path: '../outside.txt' } }

/** A mind that makes these calls one after the other, keeps what it learns, and answers with its request. */
const scripted = (calls: ToolCall[], seen: StepReport[] = []): Mind =>
  function* (request) {
    for (const call of calls) seen.push(...(yield [call]))
    return `done: ${request}`
  }

const endings = async (it: Workshop) =>
  (await it.bodies('turn-ended')).map((body) => body.event === 'turn-ended' && [body.turn, body.outcome, body.answer])

test('a turn is a start, its steps and a stop: whole evidence, by the agent, each answering what it follows from', async () => {
  await using it = await openWorkshop(server, { files: { 'src/b.txt': 'two\n' } })
  await it.accept('look around')
  it.runSteps()
  const seen: StepReport[] = []
  const calls = [READ, OUTSIDE, GREP, { tool: 'read', args: { path: 'not-there' } }]
  await it.turnsOf(scripted(calls, seen)).drain(SESSION, stops())

  expect(await it.story()).toEqual([
    ['session-opened', 'ada', 'm1'],
    ['accepted', 'ada', 'm1'],
    ['turn-started', 'claude-1', 't1'],
    ['peripheral-started', 'claude-1', 't1.started'],
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.0.intent'],
    ['step-refused', 'claude-1', 't1'],
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.2.intent'],
    ['step-intended', 'claude-1', 't1'],
    ['step-ended', 'claude-1', 't1.3.intent'],
    ['peripheral-stopped', 'claude-1', 't1.started'],
    ['turn-ended', 'claude-1', 't1'],
  ])
  expect(seen).toEqual([
    ONE,
    {
      kind: 'refused',
      refusal: refusal('out-of-scope', '../outside.txt is outside of what explore may touch: the workspace'),
    },
    { kind: 'ok', output: 'a.txt:1:one\nsrc/b.txt:1:two', paths: ['a.txt', 'src/b.txt'], cut: null },
    { kind: 'failed', message: 'there is no file not-there' },
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  expect([
    ...(await it.bodies('peripheral-started')),
    ...(await it.bodies('peripheral-stopped')),
    ...(await it.bodies('turn-ended')),
  ]).toEqual([
    {
      event: 'peripheral-started',
      turn: 't1',
      peripheral: 'explore',
      tools: ['read', 'glob', 'grep'],
      spec: hashOf(EXPLORE),
      context: {},
      entry: 'user-request',
    },
    {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'explore',
      reason: 'turn-ended',
      fruit: { steps: 4, found: ['a.txt', 'src/b.txt'], blocked: true },
    },
    { event: 'turn-ended', turn: 't1', outcome: 'done', answer: 'done: look around' },
  ])
  expect((await it.store.session(SESSION))?.peripheral).toBeNull()
})

test('a turn without a step is a start and a stop', async () => {
  await using it = await openWorkshop(server)
  await it.accept('say hello')
  await it.turnsOf(scripted([])).drain(SESSION, stops())
  expect((await it.story()).map(([event]) => event)).toEqual([
    'session-opened',
    'accepted',
    'turn-started',
    'peripheral-started',
    'peripheral-stopped',
    'turn-ended',
  ])
  expect((await it.store.turn('t1'))?.status).toBe('done')
})

test('the turns of a session are taken one after the other, in the order they were accepted', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second', 'third')
  it.runSteps()
  await it.turnsOf(scripted([READ])).drain(SESSION, stops())
  expect(await endings(it)).toEqual([
    ['t1', 'done', 'done: first'],
    ['t2', 'done', 'done: second'],
    ['t3', 'done', 'done: third'],
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test.each([
  ['at once', 0, 'the mind broke'],
  ['after a step', 1, 'the mind broke'],
])(
  'a mind that throws %s ends its turn as failed, takes the wall down, and the next turn is taken',
  async (_when, after, why) => {
    await using it = await openWorkshop(server)
    await it.accept('break', 'go on')
    it.runSteps()
    const mind: Mind = function* (request) {
      for (let n = 0; n < after; n++) yield [READ]
      if (request === 'break') throw new Error(why)
      return 'fine'
    }
    await it.turnsOf(mind).drain(SESSION, stops())
    expect(await endings(it)).toEqual([
      ['t1', 'failed', `the agent failed: ${why}`],
      ['t2', 'done', 'fine'],
    ])
    const [stopped] = await it.bodies('peripheral-stopped')
    expect(stopped?.event === 'peripheral-stopped' && stopped.fruit.steps).toBe(after)
    expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  },
)

test('a mind that cannot even begin ends its turn as failed', async () => {
  await using it = await openWorkshop(server)
  await it.accept('break')
  const mind = (() => {
    throw new Error('no mind today')
  }) as unknown as Mind
  await it.turnsOf(mind).drain(SESSION, stops())
  expect(await endings(it)).toEqual([['t1', 'failed', 'the agent failed: no mind today']])
})

test('a turn that cannot be gone on with is left to the sweep, and holds nobody up until somebody stops it', async () => {
  await using it = await openWorkshop(server)
  await it.accept('nobody can write this down')
  const turns = it.turnsOf(scripted([]), { think: async () => null })
  await turns.drain(SESSION, stops())
  expect([(await it.store.turn('t1'))?.status, await endings(it)]).toEqual(['running', []])
})

test('a turn has the steps its peripheral gives it: the mind is told, and may still answer', async () => {
  await using it = await openWorkshop(server, { spec: { ...EXPLORE, limits: { ...EXPLORE.limits, stepsPerTurn: 2 } } })
  await it.accept('look', 'look again')
  it.runSteps()
  const seen: StepReport[] = []
  await it.turnsOf(scripted([READ, READ, READ, GREP], seen)).drain(SESSION, stops())
  const spent: StepReport = { kind: 'refused', refusal: refusal('budget-spent', 'this turn has used its 2 steps') }
  expect(seen).toEqual([ONE, ONE, spent, spent, ONE, ONE, spent, spent])
  expect(it.ripgrep.runs()).toBe(0)
  expect((await endings(it)).length).toBe(2)
})

test('a mind that goes on after its steps are spent is ended', async () => {
  await using it = await openWorkshop(server, { spec: { ...EXPLORE, limits: { ...EXPLORE.limits, stepsPerTurn: 1 } } })
  await it.accept('look')
  it.runSteps()
  const runaway: Mind = function* () {
    for (;;) yield [READ]
  }
  await it.turnsOf(runaway).drain(SESSION, stops())
  expect(await endings(it)).toEqual([['t1', 'failed', 'the agent went on after its steps were spent']])
})

test('a turn that was given up is resumed: recorded steps are answered from evidence, and not run again', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look three times')
  it.runSteps()
  const stop = stops()
  const before: StepReport[] = []
  const interrupted: Mind = function* () {
    before.push(...(yield [GREP]))
    it.write('a.txt', 'two\n')
    before.push(...(yield [GREP]))
    stop.giveUp()
    yield [GREP]
    return 'never said'
  }
  await it.turnsOf(interrupted).drain(SESSION, stop)
  const grepped = (text: string): StepReport => ({ kind: 'ok', output: `a.txt:1:${text}`, paths: ['a.txt'], cut: null })
  expect(before).toEqual([grepped('one'), grepped('two')])
  expect([(await it.store.turn('t1'))?.status, await endings(it)]).toEqual(['running', []])

  it.write('a.txt', 'three\n')
  const after: StepReport[] = []
  await it.turnsOf(scripted([GREP, GREP, GREP], after)).drain(SESSION, stops())
  expect(after).toEqual([grepped('one'), grepped('two'), grepped('three')])
  expect(it.ripgrep.runs()).toBe(3)
  expect((await it.story()).map(([event]) => event)).toEqual([
    'session-opened',
    'accepted',
    'turn-started',
    'peripheral-started',
    ...['step-intended', 'step-ended', 'step-intended', 'step-ended', 'step-intended', 'step-ended'],
    'peripheral-stopped',
    'turn-ended',
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn whose worker died in the middle of a step goes on, and its mind learns that the step was interrupted', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  const first = stops()
  it.ripgrep.hold()
  const dying = it.turnsOf(scripted([GREP])).drain(SESSION, first)
  await eventually('the request', async () => (await it.mailbox.all(SESSION))[0])
  const stuck = it.steps.drain(SESSION, new AbortController().signal)
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  first.giveUp()
  await dying

  it.runSteps()
  const seen: StepReport[] = []
  await it.turnsOf(scripted([GREP, READ], seen)).drain(SESSION, stops())
  it.ripgrep.release()
  await stuck
  expect(seen).toEqual([
    { kind: 'interrupted', message: 'no outcome was written, as when a worker dies; it was not run again' },
    ONE,
  ])
  expect([it.ripgrep.runs(), await endings(it)]).toEqual([1, [['t1', 'done', 'done: look']]])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a drain that was taken over writes nothing more, and takes no further turn', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second')
  const asked: string[] = []
  const mindCalled = (name: string): Mind =>
    function* (request) {
      asked.push(`${name}: ${request}`)
      yield [READ]
      return name
    }
  const old = it.turnsOf(mindCalled('old')).drain(SESSION, stops())
  await eventually('the request', async () => (await it.mailbox.all(SESSION))[0])
  const young = it.turnsOf(mindCalled('young')).drain(SESSION, stops())
  await eventually('the younger one to be at it', () => asked.includes('young: first'))
  it.runSteps()
  await Promise.all([old, young])
  expect(await endings(it)).toEqual([
    ['t1', 'done', 'young'],
    ['t2', 'done', 'young'],
  ])
  expect(asked).toEqual(['old: first', 'young: first', 'young: second'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn for an agent that is not ready is left alone, and taken once it is', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  const ready = new Set<string>()
  const asked: string[] = []
  const isReady = async (agent: string) => {
    asked.push(agent)
    return ready.has(agent)
  }
  const turns = it.turnsOf(scripted([READ]), { isReady })
  const before = await it.store.head()
  await turns.drain(SESSION, stops())
  expect([await it.store.head(), asked]).toEqual([before, ['claude-1']])
  ready.add('claude-1')
  await turns.drain(SESSION, stops())
  expect(await endings(it)).toEqual([['t1', 'done', 'done: look']])
})

test('an agent that is lost between two turns leaves the second one waiting', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second')
  let ready = true
  const mind: Mind = function* () {
    yield* []
    ready = false
    return 'last words'
  }
  await it.turnsOf(mind, { isReady: async () => ready }).drain(SESSION, stops())
  expect([await endings(it), (await it.store.turn('t2'))?.status]).toEqual([[['t1', 'done', 'last words']], 'accepted'])
})

test('a drain that is closing ends the turn it is at, and takes no other', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second')
  it.runSteps()
  const stop = stops()
  const mind: Mind = function* (request) {
    stop.close()
    yield [READ]
    return request
  }
  await it.turnsOf(mind).drain(SESSION, stop)
  expect([await endings(it), (await it.store.turn('t2'))?.status]).toEqual([[['t1', 'done', 'first']], 'accepted'])
})

test('what goes wrong around the mind is not its failure: the turn stays, and is resumed', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  const turns = it.turnsOf(scripted([READ]))
  const mailbox = `${it.prefix}:{${SESSION}}:steps`
  await it.redis.set(mailbox, 'not a list')
  await expect(turns.drain(SESSION, stops())).rejects.toThrow('WRONGTYPE')
  expect([await endings(it), (await it.store.turn('t1'))?.status]).toEqual([[], 'running'])
  await it.redis.del(mailbox)
  it.runSteps()
  await turns.drain(SESSION, stops())
  expect(await endings(it)).toEqual([['t1', 'done', 'done: look']])
})

test('a turn of an agent that is no longer configured fails, and leaves no wall standing', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second')
  const stop = stops()
  const leaving: Mind = function* () {
    stop.giveUp()
    yield [READ]
    return 'never said'
  }
  await it.turnsOf(leaving).drain(SESSION, stop)
  expect((await it.store.session(SESSION))?.peripheral).toBe('explore')

  await it.turnsOf(leaving, { mindless: true }).drain(SESSION, stops())
  const gone = 'claude-1 is no longer configured here'
  expect(await endings(it)).toEqual([
    ['t1', 'failed', gone],
    ['t2', 'failed', gone],
  ])
  expect((await it.store.session(SESSION))?.peripheral).toBeNull()
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn in a peripheral that is no longer configured fails, and the next one stands behind its own wall', async () => {
  await using it = await openWorkshop(server)
  await it.accept('first', 'second')
  const stop = stops()
  const leaving: Mind = function* () {
    stop.giveUp()
    yield [READ]
    return 'never said'
  }
  await it.turnsOf(leaving).drain(SESSION, stop)
  it.specs.delete('explore')
  const once = stops()
  let asked = 0
  const isReady = async () => asked++ === 0
  await it.turnsOf(leaving, { isReady }).drain(SESSION, once)
  expect(await endings(it)).toEqual([['t1', 'failed', 'explore is no longer configured here']])
  it.specs.set('explore', EXPLORE)
  it.runSteps()
  await it.turnsOf(scripted([READ])).drain(SESSION, stops())
  expect((await endings(it))[1]).toEqual(['t2', 'done', 'done: second'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a fruit lists what was found once, sorted, and at most 200 of it', async () => {
  const names = Array.from({ length: 250 }, (_, i) => `f${i + 100}.txt`)
  await using it = await openWorkshop(server, { files: Object.fromEntries(names.map((name) => [name, 'x\n'])) })
  await it.accept('look')
  it.runSteps()
  const all: ToolCall = { tool: 'glob', args: { pattern: '**' } }
  await it.turnsOf(scripted([{ tool: 'read', args: { path: 'f101.txt' } }, all, all])).drain(SESSION, stops())
  const [stopped] = await it.bodies('peripheral-stopped')
  expect(stopped?.event === 'peripheral-stopped' && stopped.fruit).toEqual({
    steps: 3,
    found: ['a.txt', ...names].slice(0, 200),
  })
})

test('30 turns of a session keep their order while two workers race for it, and no step is run twice', async () => {
  await using it = await openWorkshop(server)
  const requests = Array.from({ length: 30 }, (_, i) => `request ${i + 1}`)
  await it.accept(...requests)
  const turns = it.turnsOf(scripted([READ, GREP]))
  for (const _worker of [1, 2]) {
    it.runSteps(8)
    const lane = drainLane(
      { redis: it.redis, prefix: it.prefix, name: 'turns' },
      8,
      (s) => turns.drain(s, stops()),
      () => {},
    )
    it.closing.push(lane.close)
  }
  // Jobs are woken as often as a busy room would, and one drain jumps the queue altogether now and then.
  const jumping = (async () => {
    for (let i = 0; i < 8; i++) {
      await turns.drain(SESSION, stops())
      await setImmediate()
    }
  })()
  await Promise.all(Array.from({ length: 60 }, () => it.lanes.turns.wake(SESSION)))
  await jumping
  await it.lanes.turns.wake(SESSION)
  await it.ended('t30')

  const chain = await it.chain()
  const turnOf = chain.flatMap(({ id, body }) => ('turn' in body && id !== body.turn ? [[body.turn, body.event]] : []))
  const whole = [
    'turn-started',
    'peripheral-started',
    'step-intended',
    'step-ended',
    'step-intended',
    'step-ended',
    'peripheral-stopped',
    'turn-ended',
  ]
  expect(turnOf).toEqual(requests.flatMap((_request, i) => whole.map((event) => [`t${i + 1}`, event])))
  expect(await endings(it)).toEqual(requests.map((request, i) => [`t${i + 1}`, 'done', `done: ${request}`]))
  expect(it.ripgrep.runs()).toBe(30)
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn whose agent is still being looked at when everything goes down is left as it is, and keeps nobody waiting', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look around')
  const ends = stops()
  let isLooking = false
  const looked = (): Promise<void> => {
    isLooking = true
    return new Promise(() => {})
  }
  const drained = it.turnsOf(scripted([READ]), { looked }).drain(SESSION, ends)
  await eventually('the look to begin', () => isLooking)
  ends.close()
  ends.giveUp()
  await drained
  expect(await it.store.nextTurn(SESSION)).toMatchObject({ id: 't1', status: 'accepted' })
})
