import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { entry, SESSION } from '../peripherals/workshop.ts'
import { wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { CLAUDE } from '../support/store.ts'
import { openStay, said } from './stay.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const NEVER = new AbortController().signal

test('a call of a tool of another server passes the gate, is recorded like any other, and verifies', async () => {
  await using it = await openStay(redis, {})
  expect(await it.call('docs.echo', { text: 'again' })).toEqual(said('again'))
  const [intent] = await it.bodies('step-intended')
  const { pin } = intent as { pin: string }
  expect([intent, await it.bodies('step-ended')]).toEqual([
    {
      event: 'step-intended',
      turn: 't1',
      step: 't1.0',
      call: { tool: 'docs.echo', args: { text: 'again' } },
      reads: [],
      writes: [],
      pin: expect.stringMatching(/^tool\.[0-9a-f]{32}\.1\.pinned$/),
    },
    [{ event: 'step-ended', turn: 't1', step: 't1.0', tool: 'docs.echo', outcome: said('again') }],
  ])
  expect((await it.store.get(pin))?.body).toMatchObject({
    event: 'tool-pinned',
    server: 'docs',
    tool: 'echo',
    role: null,
  })
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a tool of the server that the peripheral does not name is refused, and so is one that the server does not have', async () => {
  await using it = await openStay(redis, { tools: ['docs.echo', 'docs.nothing'] })
  expect(await it.call('docs.count')).toEqual({
    kind: 'refused',
    refusal: refusal('tool-not-allowed', 'explore has no tool docs.count; it has read, docs.echo, docs.nothing'),
  })
  // Nobody was asked for what is refused anyway.
  expect(it.processes()).toBe(0)
  expect(await it.call('docs.nothing')).toMatchObject({
    kind: 'refused',
    refusal: {
      code: 'server-failed',
      message: expect.stringMatching(/^the server docs has no tool nothing; it has echo, loose,/),
    },
  })
})

test('arguments that do not fit the schema of the server are refused before anything is called', async () => {
  await using it = await openStay(redis, { tools: ['docs.count'] })
  for (const args of [{}, { text: 3 }, { text: 'x'.repeat(501) }, { text: 'x', more: true }]) {
    expect(await it.call('docs.count', args)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'arguments-invalid', message: expect.stringMatching(/^docs\.count: arguments: #/) },
    })
  }
  expect(await it.call('docs.count')).toEqual(said('1'))
})

test('a server is started once for a stay, and ends with it', async () => {
  await using it = await openStay(redis, { tools: ['docs.count'], server: { env: { TEAPOT: 'blue' } } })
  expect(it.processes()).toBe(0)
  expect([await it.call('docs.count'), await it.call('docs.count')]).toEqual([said('1'), said('2')])
  expect(it.processes()).toBeGreaterThan(0)
  await it.steps.leave({ session: SESSION, turn: 't1', author: CLAUDE }, NEVER)
  expect(it.processes()).toBe(0)
})

test('a server that another worker took the peripheral down of is ended, too', async () => {
  await using it = await openStay(redis, {})
  await it.call('docs.echo')
  const fruit = { steps: 1, found: [] }
  const stop = { event: 'peripheral-stopped', turn: 't1', peripheral: 'explore', reason: 'turn-ended', fruit } as const
  await it.record(entry('t1.stopped', CLAUDE, stop, 't1.started'))
  await eventually('the server to be gone', async () => it.processes() === 0 || null)
})

test('a server finds the variables of its config, and none of ours', async () => {
  await using it = await openStay(redis, { tools: ['docs.env'], server: { env: { TEAPOT: 'blue' } } })
  expect(await it.call('docs.env', { text: 'TEAPOT' })).toEqual(said('blue'))
  expect(await it.call('docs.env', { text: 'VITEST' })).toEqual(said('nothing'))
})

test('an answer that is too long is cut, and the whole of it can be read', async () => {
  await using it = await openStay(redis, {
    tools: ['docs.long', 'docs.image'],
    wall: { limits: { ...wall().limits, outputLines: 10 } },
  })
  const long = await it.call('docs.long', { text: '300' })
  expect(long).toMatchObject({
    kind: 'ok',
    output: expect.stringMatching(/^line 1\n[\s\S]*\nline 300$/),
    spill: expect.any(String),
  })
  const { spill } = long as { spill: string }
  expect(await it.call('read', { path: spill, from: 150, lines: 1 })).toMatchObject({
    kind: 'ok',
    output: expect.stringContaining('line 150'),
  })
  expect(await it.call('docs.image')).toEqual(said('[image image/png, 3 bytes]'))
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('what a server says of its failure is the outcome, and the server goes on', async () => {
  await using it = await openStay(redis, { tools: ['docs.fails', 'docs.errs', 'docs.count'] })
  expect([
    await it.call('docs.count'),
    await it.call('docs.fails'),
    await it.call('docs.errs'),
    await it.call('docs.count'),
  ]).toEqual([
    said('1'),
    { kind: 'failed', message: 'docs.fails says that it failed', output: 'no such page', cut: null },
    { kind: 'failed', message: 'docs.errs answered with an error: a bug', output: '', cut: null },
    said('2'),
  ])
})

test('a person is asked where the peripheral says so', async () => {
  await using it = await openStay(redis, { wall: { approval: { policy: 'on-request', tools: ['docs.echo'] } } })
  await expect(it.call('docs.echo')).rejects.toThrow('no report of t1.0')
  expect((await it.store.get('t1.0.approval'))?.body).toMatchObject({
    why: 'explore asks before each docs.echo',
    opens: 'docs.echo',
  })
})

test('arguments that have names of ours mean nothing to us: neither escalate, nor path, nor terminal', async () => {
  const ceiling = { sandbox: 'full' as const, network: true, write: ['**'], commands: [] }
  await using it = await openStay(redis, {
    tools: ['docs.loose'],
    wall: { ceiling, approval: { policy: 'on-request', tools: [] } },
  })
  const args = { escalate: { why: 'more' }, path: '/etc/passwd', terminal: 'x', url: 'file:///etc', to: 'edit' }
  expect(await it.call('docs.loose', args)).toMatchObject({ kind: 'ok', output: expect.stringContaining('"escalate"') })
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})
