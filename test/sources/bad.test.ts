import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { wall } from '../support/explore.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openStay, said } from './stay.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

/** For who never answers: the others are not to be ended for their time, however slow they are to begin with. */
const SHORT = { limits: { ...wall().limits, seconds: 1 } }

const failed = (message: string): StepReport => ({ kind: 'failed', message, output: '', cut: null })

describe('a server that does not answer is ended, and the step has failed:', () => {
  test.each([
    ['dies', 'docs.dies ended by itself with 3; it said last: out of order'],
    ['hangs', 'docs.hangs took longer than 1 s and was ended'],
    ['floods', 'docs.floods said too much'],
    ['pings', 'docs.pings said too much'],
    ['garbage', 'docs.garbage said what is no message: Listening on port 80'],
    ['huge', 'docs.huge said too much'],
  ] as const)('%s', async (tool, message) => {
    await using it = await openStay(redis, {
      tools: [`docs.${tool}`, 'docs.echo'],
      wall: tool === 'hangs' ? SHORT : {},
    })
    expect([await it.call(`docs.${tool}`), it.processes()]).toEqual([failed(message), 0])
    // The next call has a new one.
    expect(await it.call('docs.echo')).toEqual(said('x'))
    expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  })
})

test('a server that cannot be started is named with what it said, and nothing was begun', async () => {
  await using broken = await openStay(redis, { server: { argv: ['--broken'] } })
  expect(await broken.call('docs.echo')).toEqual({
    kind: 'refused',
    refusal: refusal('server-failed', 'the server docs ended by itself with 1; it said last: no config'),
  })
  expect([await broken.bodies('step-intended'), broken.processes()]).toEqual([[], 0])
})

test('a turn that is stopped ends the call, and the server', async () => {
  await using it = await openStay(redis, { tools: ['docs.hangs'] })
  const found = await it.workshop.sources.find('s-1', it.spec, 'docs.hangs')
  const stop = new AbortController()
  const call = found.ok
    ? found.value.call({ text: 'x' }, { sandbox: 'read-only', seconds: 60, signal: stop.signal })
    : null
  stop.abort()
  expect([await call, it.processes()]).toEqual([{ text: '', failed: 'was cancelled' }, 0])
})

test('a server has no network unless its config opens one', async () => {
  const web = createServer((_request, response) => void response.end('here')).listen(0, '127.0.0.1')
  await once(web, 'listening')
  const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`
  await using closed = await openStay(redis, { tools: ['docs.fetches'] })
  await using open = await openStay(redis, { tools: ['docs.fetches'], server: { network: true } })
  const call = { text: address }
  expect(await closed.call('docs.fetches', call)).toMatchObject({ output: expect.stringMatching(/^no answer/) })
  expect(await open.call('docs.fetches', call)).toEqual(said('200'))
  web.close()
})

test('a server sees what a program would: not what is denied, and nothing outside', async () => {
  await using it = await openStay(redis, {
    tools: ['docs.reads', 'docs.writes'],
    files: { '.env': 'KEY=1\n', 'plan.md': 'secret\n' },
    wall: { scope: { ...wall().scope, deny: ['plan.md'] } },
  })
  const outside = join(it.folder.path, 'evidence.db')
  const refused = { kind: 'failed' as const, message: 'docs.reads says that it failed', cut: null }
  expect([
    await it.call('docs.reads', { text: 'a.txt' }),
    await it.call('docs.reads', { text: '.env' }),
    await it.call('docs.reads', { text: 'plan.md' }),
    await it.call('docs.reads', { text: outside }),
  ]).toEqual([
    said('one'),
    { ...refused, output: 'EACCES' },
    { ...refused, output: 'EACCES' },
    { ...refused, output: 'ENOENT' },
  ])
})

describe('a server that', () => {
  const WRITER = { sandbox: 'workspace-write' as const }
  const writes = (sandbox: 'read-only' | 'workspace-write') => ({
    tools: ['docs.writes', 'docs.count'] as const,
    server: WRITER,
    wall: { sandbox, limits: wall().limits },
  })
  const open = (sandbox: 'read-only' | 'workspace-write') => {
    const { tools, ...rest } = writes(sandbox)
    return openStay(redis, { ...rest, tools: [...tools] })
  }

  test('may write is started for each call, and what it wrote is that of the step', async () => {
    await using it = await open('workspace-write')
    expect(await it.call('docs.writes', { text: 'new.txt' })).toMatchObject({
      kind: 'ok',
      output: 'done',
      changed: ['new.txt'],
      files: [{ path: 'new.txt', before: null, added: 1, removed: 0 }],
    })
    expect(it.text('new.txt')).toBe('written\n')
    expect([await it.call('docs.count'), await it.call('docs.count')]).toMatchObject([{ output: '1' }, { output: '1' }])
    expect((await it.story()).map(([event]) => event)).toContain('snapshot-taken')
    expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  })

  test('may write does not behind a wall that is read-only', async () => {
    await using it = await open('read-only')
    const call = { text: 'new.txt' }
    expect([await it.call('docs.writes', call), it.has('new.txt')]).toEqual([
      { kind: 'failed', message: 'docs.writes says that it failed', output: 'EROFS', cut: null },
      false,
    ])
  })

  test('writes outside of the workspace writes nothing; into git or what nobody may touch, it has failed', async () => {
    await using it = await open('workspace-write')
    const outside = join(it.folder.path, 'out.txt')
    // What lies around the workspace is a private folder: it is gone with the server.
    expect(await it.call('docs.writes', { text: outside })).toMatchObject({ kind: 'ok', changed: [] })
    expect(existsSync(outside)).toBe(false)
    expect(await it.call('docs.writes', { text: '/usr/out.txt' })).toMatchObject({ kind: 'failed', output: 'EROFS' })
    expect(await it.call('docs.writes', { text: '.env' })).toMatchObject({
      kind: 'failed',
      message: 'docs.writes did what it may not: there is now .env, which nobody may touch: a person should look at it',
    })
    expect(await it.call('docs.writes', { text: '.git' })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('.git'),
    })
    expect(it.has('.git')).toBe(false)
  })
})
