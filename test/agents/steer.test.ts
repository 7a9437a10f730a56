import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mind } from '../../src/agents/mind.ts'
import { steerDraft } from '../../src/evidence/steers.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import { GREP, openWorkshop, READ, SESSION, stops, type Workshop } from '../peripherals/workshop.ts'
import { wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA, must } from '../support/store.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Adds a line to the turn, as the operation does. */
const steer = async (it: Workshop, n: number, text: string) => {
  const turn = await it.store.turn('t1')
  if (!turn) throw new Error('there is no turn')
  const { draft, unless } = steerDraft(turn, { n, text, author: ADA })
  return it.store.append([draft], null, unless)
}

const answers = async (it: Workshop) =>
  (await it.bodies('turn-ended')).map((body) => body.event === 'turn-ended' && [body.outcome, body.answer])

const stepsOf = async (it: Workshop) =>
  (await it.chain()).flatMap(({ body }) => (body.event === 'step-intended' ? [[body.step, body.call.tool]] : []))

/** A mind that does for each request what is written for it. */
const minded = (plans: Record<string, ToolCall[]>): Mind =>
  function* (request, { peripheral }) {
    for (const call of plans[request] ?? []) yield [call]
    if (request === 'break') throw new Error('it broke')
    return `${request} in ${peripheral}`
  }

/** Runs the turn, and adds these lines while its first grep is under way. */
const steered = async (it: Workshop, mind: Mind, lines: string[], stop = stops()): Promise<void> => {
  it.ripgrep.hold()
  const draining = it.turnsOf(mind).drain(SESSION, stop)
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  for (const [n, text] of lines.entries()) must(await steer(it, n, text))
  it.ripgrep.release()
  await draining
}

test('what is added to a turn is heard after its request, in order; the steps go on counting and the answers are joined', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  const mind = minded({ look: [GREP], 'and read': [READ], 'and look': [READ, GREP] })
  await steered(it, mind, ['and read', 'and look'])
  expect(await answers(it)).toEqual([['done', 'look in explore\n\nand read in explore\n\nand look in explore']])
  expect(await stepsOf(it)).toEqual([
    ['t1.0', 'grep'],
    ['t1.1', 'read'],
    ['t1.2', 'read'],
    ['t1.3', 'grep'],
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn that is resumed after a crash hears the same lines, and takes the same steps', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  const stop = stops()
  const plans = { look: [GREP], again: [GREP, READ] }
  const dying: Mind = function* (request, place) {
    if (request === 'again') stop.giveUp()
    return yield* minded(plans)(request, place)
  }
  await steered(it, dying, ['again'], stop)
  expect(await answers(it)).toEqual([])

  await it.turnsOf(minded(plans)).drain(SESSION, stops())
  expect(await answers(it)).toEqual([['done', 'look in explore\n\nagain in explore']])
  expect((await stepsOf(it)).map(([step]) => step)).toEqual(['t1.0', 't1.1', 't1.2'])
  expect(it.ripgrep.runs()).toBe(2)
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('what is added is worked on where the session is by then, also when the turn is resumed', async () => {
  const explore = wall({ tools: ['read', 'grep', 'hop'], exit: [{ when: 'always', to: ['den'] }] })
  const den = wall({ id: 'den', tools: ['read', 'grep', 'hop'], entry: ['from-explore'] })
  await using it = await openWorkshop(server, { spec: explore, specs: [explore, den] })
  await it.accept('move')
  it.runSteps()
  const plans = { move: [GREP, { tool: 'hop', args: { to: 'den' } }], 'and then?': [READ], 'and last': [READ] }
  const stop = stops()
  const dying: Mind = function* (request, place) {
    if (request === 'and last') stop.giveUp()
    return yield* minded(plans)(request, place)
  }
  await steered(it, dying, ['and then?', 'and last'], stop)
  await it.turnsOf(minded(plans)).drain(SESSION, stops())
  expect(await answers(it)).toEqual([['done', 'move in explore\n\nand then? in den\n\nand last in den']])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a line that comes when the peripheral was left is refused', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  await it.turnsOf(minded({ look: [READ] })).drain(SESSION, stops())
  const late = await steer(it, 0, 'too late')
  expect([late.ok, await it.store.get('t1.steer-0')]).toEqual([false, null])
})

test('a line that comes while the peripheral is being left is said in the answer to be unheard', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  // The mind is done, and the line comes just before the peripheral is left.
  const { leave } = it.steps
  it.steps.leave = async (asked, signal) => {
    must(await steer(it, 0, 'one more thing'))
    return leave(asked, signal)
  }
  await it.turnsOf(minded({})).drain(SESSION, stops())
  expect(await answers(it)).toEqual([['done', 'look in explore\n\nnot heard any more, say it anew: one more thing']])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a turn that fails at one line does not hear the next, and says so', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  await steered(it, minded({ look: [GREP] }), ['break', 'and mend'])
  expect(await answers(it)).toEqual([
    ['failed', 'look in explore\n\nthe agent failed: it broke\n\nnot heard any more, say it anew: and mend'],
  ])
})

test('a page is a line that asks for nothing: it is not taken for a request, and the answer says nothing of it', async () => {
  await using it = await openWorkshop(server)
  await it.accept('look')
  it.runSteps()
  it.ripgrep.hold()
  const draining = it.turnsOf(minded({ look: [GREP], 'and read': [READ] })).drain(SESSION, stops())
  await eventually('the tool to run', () => it.ripgrep.runs() === 1)
  const turn = await it.store.turn('t1')
  if (!turn) throw new Error('there is no turn')
  const author = { kind: 'house', id: 'tickle-1', face: 'house', via: null } as const
  const paged = steerDraft(turn, { n: 0, text: 'are you there', author, page: 'page-1' })
  must(await it.store.append([paged.draft], null, paged.unless))
  must(await steer(it, 1, 'and read'))
  it.ripgrep.release()
  await draining
  expect(await answers(it)).toEqual([['done', 'look in explore\n\nand read in explore']])
})
