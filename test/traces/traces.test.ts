import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { Problem } from '../../src/lib/problem.ts'
import { traceIdOf } from '../../src/traces/ids.ts'
import { samplerOf } from '../../src/traces/sampling.ts'
import { openTraces } from '../../src/traces/traces.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const patience = () => AbortSignal.timeout(60_000)

/** The tree of a trace: the name of each span with those within it, in the order of their names. */
type Tree = { [name: string]: Tree }
const treeOf = (spans: readonly CollectedSpan[], parent: string | null = null): Tree =>
  Object.fromEntries(
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .map(({ name, part, spanId }): [string, Tree] => [`${name} (${part})`, treeOf(spans, spanId)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

test('a line of chat is one trace from the gateway to the tool in the worker and back, and holds no word of it', async () => {
  using workspace = testWorkspace()
  await using collector = await startCollector()
  await using instance = await startUp({
    workspace: workspace.path,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=se%20cret',
      OTEL_SERVICE_NAME: 'hotel',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  })
  const { receipt } = must(
    await converse(instance.client, { room: 'lobby', text: '@claude where is boil defined?' }, patience()),
  )
  const traceId = traceIdOf(receipt.message)
  const ours = () => collector.spans.filter((span) => span.traceId === traceId)
  await eventually('the whole trace', () =>
    ['message', 'wait', 'turn'].every((name) => ours().some((span) => span.name === name)),
  )
  const steps = ours().filter(({ name }) => name === 'step')
  const step = { 'step (worker)': { 'gate (worker)': {}, 'tool (worker)': {} } }
  expect(steps.length > 0).toBe(true)
  expect(treeOf(ours())).toEqual({
    'message (gateway)': {
      'authenticate (gateway)': {},
      'dispatch (gateway)': {},
      'mode (gateway)': {},
      'persist (gateway)': {},
      'presence (gateway)': {},
      'read (gateway)': {},
      'turn (worker)': step,
      'wait (worker)': {},
    },
  })
  expect(ours().find(({ name }) => name === 'message')?.attributes).toEqual({
    'bellhop.message': receipt.message,
    'bellhop.outcome': 'work',
  })
  expect(steps[0]?.attributes).toEqual({
    'bellhop.session': receipt.assignments[0]?.session,
    'bellhop.room': 'lobby',
    'bellhop.agent': 'claude-1',
    'bellhop.peripheral': 'explore',
    'bellhop.tool': expect.any(String),
    'bellhop.outcome': 'ok',
  })
  expect(ours().filter(({ failed, ms }) => failed !== null || ms < 0)).toEqual([])
  expect([new Set(ours().map(({ service }) => service)), collector.headers[0]]).toEqual([
    new Set(['hotel']),
    '/v1/traces se cret',
  ])
  expect(collector.said().includes('boil')).toBe(false)
})

test('a line that is refused ends with the stage that refused it, and its code', async () => {
  using workspace = testWorkspace()
  await using collector = await startCollector()
  await using instance = await startUp({
    workspace: workspace.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_BSP_SCHEDULE_DELAY: '100' },
  })
  await instance.client.say({ id: 'refused-1', room: 'nowhere', text: 'hello' })
  const ours = () => collector.spans.filter((span) => span.traceId === traceIdOf('refused-1'))
  await eventually('the trace', () => ours().some(({ name }) => name === 'message'))
  expect(
    ours()
      .map(({ name, failed }) => [name, failed])
      .sort(),
  ).toEqual([
    ['message', 'room-unknown'],
    ['presence', 'room-unknown'],
    ['read', null],
  ])
})

test('a collector that takes the call and never answers holds nobody up, and neither does one that is away', async () => {
  using workspace = testWorkspace()
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((listening) => silent.once('listening', listening))
  const { port } = silent.address() as { port: number }
  for (const endpoint of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
    const instance = await startUp({ workspace: workspace.path, env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } })
    const { replies } = must(await converse(instance.client, { room: 'lobby', text: 'read README.md' }, patience()))
    expect(replies.length).toBe(1)
    expect(await instance.stop()).toBe(0)
  }
  silent.close()
})

describe('the standard variables', () => {
  const on = async (variables: Record<string, string>): Promise<boolean> => {
    const traces = await openTraces({ variables, part: 'worker', version: '1' })
    await traces.close()
    return traces.on
  }

  test('turn it on and off', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1'
    expect([
      await on({}),
      await on({ OTEL_EXPORTER_OTLP_ENDPOINT }),
      await on({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }),
      await on({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }),
      await on({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }),
    ]).toEqual([false, true, true, false, false])
  })

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '/v1' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no address of a collector'],
  ])('that name no address are told at the start: %j', async (variables, message) => {
    const told = await openTraces({ variables, part: 'worker', version: '1' }).catch((error: unknown) => error)
    expect([told instanceof Problem, (told as Problem).message]).toEqual([true, message])
  })

  test('say which traces are kept: the same in every process', () => {
    const ids = Array.from({ length: 2000 }, (_, i) => traceIdOf(`m${i}`))
    const kept = (name?: string, arg?: string) => ids.filter(samplerOf(name, arg)).length
    const quarter = kept('parentbased_traceidratio', '0.25')
    expect([
      kept(),
      kept('always_off'),
      kept('parentbased_always_off'),
      kept('traceidratio', '0'),
      kept('traceidratio', 'x'),
    ]).toEqual([2000, 0, 0, 0, 2000])
    expect([quarter > 400, quarter < 600, kept('traceidratio', '0.25')]).toEqual([true, true, quarter])
  })
})
