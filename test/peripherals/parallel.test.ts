import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { GREP, openWorkshop, READ, request, SESSION, type Workshop } from './workshop.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const NEVER = new AbortController().signal
const EDIT: PeripheralSpec = wall({
  id: 'edit',
  tools: ['read', 'grep', 'write', 'edit'],
  scope: { ...wall().scope, write: ['**'] },
})

const open = async (spec = EDIT) => {
  const it = await openWorkshop(server, { spec, files: { 'b.txt': 'two\n' } })
  await it.accept('work')
  await it.enter()
  return it
}

const put = (it: Workshop, n: number, call: ToolCall) => it.mailbox.put(SESSION, JSON.stringify(request(n, call)))
const steps = async (it: Workshop) =>
  (await it.chain()).flatMap(({ body }) =>
    body.event === 'step-intended' ? [`${body.step}?`] : body.event === 'step-ended' ? [`${body.step}.`] : [],
  )

test('steps that only read run side by side: the second ends while the first still runs', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  await put(it, 1, READ)
  const drain = it.steps.drain(SESSION, NEVER)
  await eventually('the second step to end', () => it.store.get('t1.1.outcome'))
  expect(await steps(it)).toEqual(['t1.0?', 't1.1?', 't1.1.'])
  it.ripgrep.release()
  await drain
  expect(await steps(it)).toEqual(['t1.0?', 't1.1?', 't1.1.', 't1.0.'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a store that is away for a moment ends no step that runs, whoever stands in line behind it', async () => {
  await using it = await open()
  const { lengthOf } = it.store
  it.ripgrep.hold()
  await put(it, 0, GREP)
  const ending = it.steps.drain(SESSION, NEVER).then(
    () => 'as it should',
    async ({ message }: Error) => [message, (await it.store.get('t1.0.outcome'))?.body],
  )
  await eventually('the first step to begin', () => it.ripgrep.runs() === 1)
  let asked = 0
  it.store.lengthOf = () => {
    asked += 1
    return Promise.reject(new Error('the store is away'))
  }
  await put(it, 1, { tool: 'write', args: { path: 'a.txt', text: 'three\n' } })
  await eventually('the store to be asked', () => asked > 0)
  it.store.lengthOf = lengthOf
  it.ripgrep.release()
  expect(await ending).toEqual([
    'the store is away',
    expect.objectContaining({ outcome: expect.objectContaining({ kind: 'ok' }) }),
  ])
  await it.steps.drain(SESSION, NEVER)
  expect(await steps(it)).toEqual(['t1.0?', 't1.0.', 't1.1?', 't1.1.'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a step that comes while another runs is taken up without waiting for it', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  const drain = it.steps.drain(SESSION, NEVER)
  await eventually('the first step to begin', () => it.ripgrep.runs() === 1)
  await put(it, 1, READ)
  await eventually('the second step to end', () => it.store.get('t1.1.outcome'))
  it.ripgrep.release()
  await drain
  expect(await it.mailbox.all(SESSION)).toEqual([])
})

test('two steps that touch the same file run one after the other, in the order they were asked for', async () => {
  await using it = await open()
  const calls: ToolCall[] = [
    { tool: 'edit', args: { path: 'a.txt', old: 'one', new: 'two' } },
    { tool: 'edit', args: { path: './a.txt', old: 'two', new: 'three' } },
    { tool: 'read', args: { path: 'a.txt' } },
    { tool: 'edit', args: { path: 'a.txt', old: 'three', new: 'four' } },
  ]
  for (const [n, call] of calls.entries()) await put(it, n, call)
  await it.steps.drain(SESSION, NEVER)
  expect(await steps(it)).toEqual(['t1.0?', 't1.0.', 't1.1?', 't1.1.', 't1.2?', 't1.2.', 't1.3?', 't1.3.'])
  expect(it.text('a.txt')).toBe('four\n')
})

test('a search waits for a change below it, and a change for a search above it', async () => {
  await using it = await open()
  it.ripgrep.hold()
  await put(it, 0, GREP)
  await put(it, 1, { tool: 'edit', args: { path: 'b.txt', old: 'two', new: 'three' } })
  const drain = it.steps.drain(SESSION, NEVER)
  await eventually('the search to begin', () => it.ripgrep.runs() === 1)
  it.ripgrep.release()
  await drain
  expect(await steps(it)).toEqual(['t1.0?', 't1.0.', 't1.1?', 't1.1.'])
})
