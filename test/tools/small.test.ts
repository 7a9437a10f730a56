import { expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { advance } from '../../src/tools/advance.ts'
import { evidence } from '../../src/tools/evidence.ts'
import { hop } from '../../src/tools/hop.ts'
import { reflect } from '../../src/tools/reflect.ts'
import type { Bench, Tool } from '../../src/tools/tool.ts'
import { benchOf, call, reachOf, wall } from './run-bench.ts'

const fine = (output: string): StepOutcome => ({ kind: 'ok', output, paths: [], cut: null })

const accepted = (tool: Tool, tries: unknown[]) => tries.filter((args) => tool.args.safeParse(args).success)

test('evidence is asked with the filters as they were given', async () => {
  const asked: unknown[] = []
  const answers = [
    ok({ text: '1 a\n2 b', count: 2 }),
    ok({ text: '', count: 0 }),
    refused(refusal('query-invalid', 'no')),
  ]
  const ask: Bench['ask'] = async (filters) => {
    asked.push(filters)
    return answers.shift() ?? refused(refusal('query-invalid', 'no more'))
  }
  const { bench } = benchOf(wall({ scope: { evidence: 'room' } }), { ask })
  const filters = {
    text: 'retr*',
    event: 'step-ended',
    tool: 'run',
    outcome: 'failed',
    path: 'src',
    since: '2h',
    limit: 5,
  }
  expect([
    await call(evidence, filters, bench),
    await call(evidence, {}, bench),
    await call(evidence, { order: 'oldest' }, bench),
  ]).toEqual([fine('1 a\n2 b'), fine('[there is none]'), { kind: 'failed', message: 'no' }])
  expect(asked).toEqual([filters, {}, { order: 'oldest' }])
})

test('evidence that is long is cut from the end, and kept as a whole', async () => {
  const ask: Bench['ask'] = async () => ok({ text: 'a\n'.repeat(20), count: 20 })
  const { bench } = benchOf(wall({ limits: { outputLines: 4 }, scope: { evidence: 'all' } }), { ask })
  expect(await call(evidence, {}, bench)).toEqual({
    kind: 'ok',
    output: 'a\na\na\n[17 of 20 lines left out]',
    paths: [],
    cut: '17 of 20 lines left out; the whole: read spill:1',
    spill: 'spill:1',
  })
})

test('evidence is refused where the scope has none', () => {
  expect([
    reachOf(evidence, {}, wall({ scope: { evidence: 'none' } })),
    reachOf(evidence, {}, wall({ scope: { evidence: 'session' } })),
  ]).toEqual([{ code: 'out-of-scope', message: 'test may ask for no evidence' }, {}])
})

test('evidence takes no filter that would say whose it is, and no page without end', () => {
  const tries = [
    { session: 'another' },
    { room: 'lobby' },
    { subject: 'room/lobby' },
    { limit: 51 },
    { limit: 0 },
    { event: 'nothing' },
    { since: 'yesterday' },
    { outcome: 'perhaps' },
    { where: '1=1' },
  ]
  expect(accepted(evidence, tries)).toEqual([])
})

test('reflect, advance and hop hand on what they were given, and run alone', async () => {
  const given: unknown[] = []
  const take = (answer: string) => async (what: unknown) => {
    given.push(what)
    return fine(answer)
  }
  const { bench } = benchOf(wall(), { reflect: take('reviewed'), advance: take('on'), hop: take('there') })
  const words = { worked: 'this', didNot: 'that', next: 'more' }
  expect([
    await call(reflect, words, bench),
    await call(advance, { outputs: { plan: 'as said' } }, bench),
    await call(hop, { to: 'test' }, bench),
  ]).toEqual([fine('reviewed'), fine('on'), fine('there')])
  expect(given).toEqual([words, { plan: 'as said' }, { to: 'test' }])
  expect([
    reachOf(reflect, words, wall()),
    reachOf(advance, { outputs: {} }, wall()),
    reachOf(hop, { to: 'test' }, wall()),
  ]).toEqual([{ alone: true }, { alone: true }, { alone: true }])
})

test('empty words are no words', () => {
  const long = 'x'.repeat(4001)
  expect([
    ...accepted(reflect, [
      {},
      { worked: 'a', didNot: 'b' },
      { worked: ' ', didNot: 'b', next: 'c' },
      { worked: long, didNot: 'b', next: 'c' },
      { worked: 'a', didNot: 'b', next: 'c', facts: {} },
    ]),
    ...accepted(advance, [
      {},
      { outputs: { plan: null } },
      { outputs: { plan: '\n' } },
      { outputs: { plan: long } },
      { outputs: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`o${n}`, 'a'])) },
      { outputs: {}, phase: 'last' },
    ]),
    ...accepted(hop, [{}, { to: 'Test' }, { to: '../edit' }, { to: 'edit', context: {} }]),
  ]).toEqual([])
})
