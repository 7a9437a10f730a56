import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mind } from '../../src/agents/mind.ts'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'
import { entry, openWorkshop, SESSION, stops, type Workshop } from './workshop.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const CONFIG = join(import.meta.dirname, '../../config/peripherals')
const LINT = ['node', 'lint.js']

const FILES = {
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'sum.test.js':
    "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.js'\n" +
    "test('sums', () => assert.equal(sum(1, 2), 3))\n",
  'lint.js':
    "import { readFileSync } from 'node:fs'\nif (readFileSync('sum.js', 'utf8').includes('\\t')) throw new Error('a tab')\n",
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  '.env': 'TOKEN=very-secret-4711\n',
}

const FIX: ToolCall = { tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }
const BREAK: ToolCall = { tool: 'edit', args: { path: 'sum.js', old: 'a + b', new: 'a * b' } }
const TEST: ToolCall = { tool: 'run', args: { argv: ['npm', 'test'] } }
const hop = (to: string): ToolCall => ({ tool: 'hop', args: { to } })
const git = (...argv: string[]): ToolCall => ({ tool: 'run', args: { argv: ['git', ...argv] } })
const LOOKED: ToolCall = { tool: 'advance', args: { outputs: { summary: 'sum adds' } } }

/** A repository with a remote beside it, and a session of claude's in it. */
const open = async (peripheral: string, checks: Record<string, string[]> = {}, inhabits: string[] | null = null) => {
  const specs = [...loadPeripherals(CONFIG, null, { checks, deploys: {} }).values()]
  const spec = specs.find(({ id }) => id === peripheral) ?? specs[0]
  if (!spec) throw new Error('no specs')
  const it = await openWorkshop(server, { spec, specs, files: FILES, checks, peripheral, inhabits })
  const remote = join(it.folder.path, 'remote.git')
  const run = (...argv: string[]) =>
    execa('git', argv, { cwd: it.root, env: { GIT_CONFIG_GLOBAL: '/dev/null' }, extendEnv: true })
  await execa('git', ['init', '--bare', '-b', 'main', remote])
  await run('init', '-b', 'main')
  await run('config', 'user.name', 'ada')
  await run('config', 'user.email', 'ada@example.org')
  await run('remote', 'add', 'origin', remote)
  await run('add', 'package.json', 'sum.js', 'sum.test.js', 'lint.js')
  await run('commit', '-m', 'first')
  await run('push', '-u', 'origin', 'main')
  it.runSteps()
  return { ...it, git: async (...argv: string[]) => (await run(...argv)).stdout, remote }
}

/** Makes the calls one after the other in one turn, and answers the reports. */
const work = async (it: Workshop, calls: ToolCall[]): Promise<StepReport[]> => {
  const seen: StepReport[] = []
  const mind: Mind = function* () {
    for (const call of calls) seen.push(...(yield [call]))
    return 'done'
  }
  await it.accept('go on')
  await it.turnsOf(mind).drain(SESSION, stops())
  await it.verdicts.settled()
  expect(it.warned).toEqual([])
  return seen
}

const kinds = (reports: StepReport[]) =>
  reports.map((report) => (report.kind === 'refused' ? report.refusal.code : report.kind))

const fruits = async (it: Workshop) =>
  (await it.chain()).flatMap(({ body }) =>
    body.event === 'peripheral-stopped'
      ? [{ from: body.peripheral, to: body.to, when: body.when, fruit: body.fruit }]
      : [],
  )

/** What was found at each stop. */
const verdicts = async (it: Workshop) => {
  const stops = (await it.bodies('peripheral-stopped')).length
  await eventually('the verdicts', async () => (await it.bodies('verified')).length === stops)
  return (await it.chain()).flatMap(({ body }) =>
    body.event === 'verified' ? [{ ok: body.ok, what: body.violations }] : [],
  )
}

test('edit, test, deploy, reflect: one session, each hop on what really happened, all of it verified', async () => {
  await using it = await open('edit')
  const calls = [
    { tool: 'read', args: { path: 'sum.js' } },
    FIX,
    hop('test'),
    TEST,
    hop('deploy'),
    git('commit', '-m', 'too early'),
    LOOKED,
    git('add', '-A'),
    git('commit', '-m', 'sum adds'),
    git('push'),
    hop('reflect'),
    { tool: 'reflect', args: { worked: 'the fix', didNot: 'nothing', next: 'rest' } },
  ]
  const before = await it.git('rev-parse', 'HEAD')
  const working = work(it, calls)
  const asked = await eventually('a person to be asked', () => it.store.get('t1.9.approval'))
  expect(asked.body).toMatchObject({ opens: 'run git push, in the sandbox full, with the network' })
  const body = {
    event: 'approval-decided',
    step: 't1.9',
    approval: approvalName('t1.9'),
    decision: 'approved',
  } as const
  await it.record(entry('t1.9.decision', ADA, { ...body, role: 'admin', note: '' }, 't1.9.approval'))
  await it.wake(SESSION)
  const reports = await working

  expect(kinds(reports)).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
    'command-not-allowed',
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
  ])
  const head = await it.git('rev-parse', 'HEAD')
  expect(head).not.toBe(before)
  expect(await it.git('ls-remote', 'origin', 'main')).toBe(`${head}\trefs/heads/main`)
  expect(await it.git('show', '--name-only', '--format=%s', 'HEAD')).toBe('sum adds\n\na.txt\nsum.js')
  expect(await it.git('status', '--short')).toBe('?? .env')

  const [edited, tested, deployed, reflected] = await fruits(it)
  expect(edited).toMatchObject({
    from: 'edit',
    to: 'test',
    when: 'changed',
    fruit: { changed: [{ path: 'sum.js', added: 1, removed: 1 }] },
  })
  expect(tested).toMatchObject({
    from: 'test',
    to: 'deploy',
    when: 'pass',
    fruit: { tests: { result: 'pass', passed: 1, failed: 0 } },
  })
  expect(deployed).toMatchObject({
    from: 'deploy',
    to: 'reflect',
    when: 'always',
    fruit: { deploy: { commits: [head], pushed: ['refs/heads/main'] } },
  })
  expect(reflected).toMatchObject({ from: 'reflect', fruit: { review: 't1.11.review' } })
  expect(await verdicts(it)).toEqual(Array.from({ length: 4 }, () => ({ ok: true, what: [] })))
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('a hop is one stop and one start that answers it, by the same agent, with what was declared and no more', async () => {
  await using it = await open('edit')
  await work(it, [{ tool: 'read', args: { path: 'sum.js' } }, FIX, hop('test')])
  const chain = await it.chain()
  const stop = chain.find(({ id }) => id === 't1.2.stopped')
  const start = chain.find(({ id }) => id === 't1.2.peripheral')
  expect([stop?.author, start?.author, start?.inReplyTo, stop?.inReplyTo]).toEqual([
    chain[2]?.author,
    chain[2]?.author,
    't1.2.stopped',
    't1.2.outcome',
  ])
  expect(start?.body).toMatchObject({
    entry: 'from-edit',
    hop: 't1.2',
    context: { 'changed-files': ['sum.js'] },
  })
})

test('after a hop the tools are those of the other wall, in the same session', async () => {
  await using it = await open('edit')
  const reports = await work(it, [{ tool: 'read', args: { path: 'sum.js' } }, FIX, hop('test'), BREAK, TEST])
  expect(kinds(reports)).toEqual(['ok', 'ok', 'ok', 'tool-not-allowed', 'ok'])
  expect(reports[2]).toMatchObject({
    output:
      'in test with {"changed-files":["sum.js"]}; the tools here are read, list, glob, grep, run, evidence, hop, bell, whistle, park, pattern-search, pattern-read',
  })
})

test('an agent hops into what it can inhabit, and into nothing else', async () => {
  await using it = await open('edit', {}, ['edit', 'explore'])
  const reports = await work(it, [{ tool: 'read', args: { path: 'sum.js' } }, FIX, hop('test'), hop('explore')])
  expect(kinds(reports)).toEqual(['ok', 'ok', 'hop-refused', 'ok'])
  expect(reports[2]).toMatchObject({ refusal: { message: 'claude-1 cannot inhabit test; it can edit, explore' } })
})

test('failing tests, missing tests and tests of something else do not lead to deploy', async () => {
  await using failing = await open('edit')
  const touch: ToolCall = { tool: 'write', args: { path: 'notes.txt', text: 'x' } }
  expect(kinds(await work(failing, [touch, hop('test'), hop('deploy'), TEST, hop('deploy')]))).toEqual([
    'ok',
    'ok',
    'hop-refused',
    'failed',
    'hop-refused',
  ])

  await using stale = await open('test')
  await stale.git('config', 'user.name', 'ada')
  stale.write('sum.js', 'export const sum = (a, b) => a + b\n')
  const seen: StepReport[] = []
  const mind: Mind = function* () {
    seen.push(...(yield [TEST]))
    stale.write('sum.js', 'export const sum = () => 3\n')
    seen.push(...(yield [hop('deploy')]))
    seen.push(...(yield [TEST]))
    seen.push(...(yield [hop('deploy')]))
    return 'done'
  }
  await stale.accept('go on')
  await stale.turnsOf(mind).drain(SESSION, stops())
  expect(kinds(seen)).toEqual(['ok', 'hop-refused', 'ok', 'ok'])
})

test('deploy cannot be entered from nowhere; once tests have passed on what is there, it can', async () => {
  await using it = await open('deploy')
  await work(it, [LOOKED])
  expect(await it.bodies('turn-ended')).toEqual([
    {
      event: 'turn-ended',
      turn: 't1',
      outcome: 'failed',
      answer:
        'deploy is entered from test, or once tests have passed: none were run since the last change [entry-refused]',
    },
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('checks run when edit is left; their results are in the fruit, and a failed one keeps the hop from happening', async () => {
  await using it = await open('edit', { lint: LINT })
  const tab: ToolCall = { tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a +\tb' } }
  const untab: ToolCall = { tool: 'edit', args: { path: 'sum.js', old: '\t', new: ' ' } }
  const reports = await work(it, [
    { tool: 'read', args: { path: 'sum.js' } },
    tab,
    hop('test'),
    untab,
    hop('test'),
    TEST,
  ])
  expect(kinds(reports)).toEqual(['ok', 'ok', 'hop-refused', 'ok', 'ok', 'ok'])
  expect(reports[2]).toMatchObject({
    refusal: {
      message: 'edit leads to test only when something was changed, and the checks pass; but lint node lint.js: exit 1',
    },
  })
  expect((await fruits(it))[0]).toMatchObject({ fruit: { checks: [{ name: 'lint', ok: true, said: 'passed' }] } })
  const steps = (await it.chain()).flatMap(({ body }) => (body.event === 'step-intended' ? [body.step] : []))
  expect(steps).toEqual(['t1.0', 't1.1', 't1.2.check-lint', 't1.3', 't1.4.check-lint', 't1.4', 't1.5'])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('checks run at the end of a turn, too', async () => {
  await using it = await open('edit', { lint: LINT })
  await work(it, [{ tool: 'read', args: { path: 'sum.js' } }, FIX])
  expect(await fruits(it)).toMatchObject([{ from: 'edit', fruit: { checks: [{ name: 'lint', ok: true }] } }])
  expect(await verdicts(it)).toEqual([{ ok: true, what: [] }])
})

test('what is on the disk is held against what the steps say, at every stop', async () => {
  await using it = await open('edit')
  const mind: Mind = function* () {
    yield [{ tool: 'read', args: { path: 'sum.js' } }]
    yield [FIX]
    it.write('sum.js', 'somebody else\n')
    return 'done'
  }
  await it.accept('go on')
  await it.turnsOf(mind).drain(SESSION, stops())
  await it.verdicts.settled()
  expect(await verdicts(it)).toEqual([
    {
      ok: false,
      what: [{ entry: 't1.stopped', rule: 'files', what: 'sum.js is not what the steps made of it' }],
    },
  ])
})

test('a call that fails the same way again and again gets a hint, then a refusal, and a person is asked', async () => {
  await using it = await open('edit')
  const lost: ToolCall = { tool: 'read', args: { path: 'nowhere.txt' } }
  const reports = await work(it, [lost, lost, lost, lost, lost])
  expect(kinds(reports)).toEqual(['failed', 'failed', 'failed', 'looping', 'looping'])
  expect(reports.map((report) => report.kind === 'failed' && report.hint)).toEqual([
    undefined,
    undefined,
    'this very call has now failed 3 times: it will not be let through again',
    false,
    false,
  ])
  const questions = (await it.chain()).flatMap(({ body, author }) =>
    body.event === 'asked' ? [[author.id, body.text]] : [],
  )
  expect(questions).toEqual([
    ['bellhop', 'claude-1 tried read 3 times in the same way, and it failed each time. What should it do instead?'],
  ])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('the same call may fail again once something was changed: that is how bugs are fixed', async () => {
  await using it = await open('edit')
  const look: ToolCall = { tool: 'run', args: { argv: ['node', 'lint.js'] } }
  const tab = (old: string, by: string): ToolCall => ({ tool: 'edit', args: { path: 'sum.js', old, new: by } })
  const reports = await work(it, [
    { tool: 'read', args: { path: 'sum.js' } },
    tab('a - b', 'a\t- b'),
    look,
    look,
    look,
    tab('\t-', '\t+'),
    look,
    tab('\t+', '+'),
    look,
  ])
  expect(kinds(reports)).toEqual(['ok', 'ok', 'failed', 'failed', 'failed', 'ok', 'failed', 'ok', 'ok'])
})

test('two agents cannot change one path at once: the second is told who has it and until when', async () => {
  await using it = await open('edit')
  await it.holds.take('s-other', 'codex-1', ['sum.js'])
  const [{ until } = { until: '' }] = await it.holds.all()
  const [, refused, free] = await work(it, [
    { tool: 'read', args: { path: 'sum.js' } },
    FIX,
    { tool: 'write', args: { path: 'other.txt', text: '' } },
  ])
  expect(refused).toMatchObject({
    refusal: { code: 'path-held', message: `sum.js is held by codex-1 until ${until}` },
  })
  expect(free).toMatchObject({ kind: 'ok' })
  expect(await it.holds.all()).toMatchObject([
    { path: 'other.txt', agent: 'claude-1' },
    { path: 'sum.js', agent: 'codex-1', until },
  ])
})

test('a hold ends with its session', async () => {
  await using it = await open('edit')
  await it.holds.take('s-other', 'codex-1', ['sum.js', 'b.js'])
  expect(await it.holds.take(SESSION, 'claude-1', ['c.js', 'b.js'])).toMatch(/^b\.js is held by codex-1 until/)
  expect((await it.holds.all()).map(({ path }) => path)).toEqual(['b.js', 'sum.js'])
  await it.holds.release('s-other', 'b.js')
  expect(await it.holds.take(SESSION, 'claude-1', ['b.js'])).toBeNull()
  await it.holds.release('s-other')
  expect(await it.holds.take(SESSION, 'claude-1', ['sum.js'])).toBeNull()
  await it.holds.release(SESSION)
  expect(await it.holds.all()).toEqual([])
})

test('a turn that is stopped ends its program with all its children, and says who stopped it', async () => {
  await using it = await open('edit')
  it.write(
    'wait.js',
    "import { writeFileSync } from 'node:fs'\nwriteFileSync('begun', '')\nsetInterval(() => {}, 1000)\n",
  )
  const working = work(it, [{ tool: 'run', args: { argv: ['node', 'wait.js'] } }])
  await eventually('the program to run', () => existsSync(join(it.root, 'begun')))
  await it.record(entry('t1.stop', ADA, { event: 'stop-asked', turn: 't1', why: 'enough' }, 't1'))
  await working
  expect(await it.bodies('turn-ended')).toEqual([
    { event: 'turn-ended', turn: 't1', outcome: 'cancelled', answer: 'stopped by ada: enough' },
  ])
  expect(await it.bodies('step-ended')).toMatchObject([{ outcome: { kind: 'failed', run: { ended: 'cancelled' } } }])
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})

test('what nobody may read does not show, whichever way it is asked for', async () => {
  await using it = await open('explore')
  await it.git('add', '-f', '.env')
  const calls: ToolCall[] = [
    { tool: 'read', args: { path: '.env' } },
    { tool: 'grep', args: { pattern: 'very-secret' } },
    git('diff', '--cached'),
    git('status', '--short'),
    { tool: 'run', args: { argv: ['ls', '-la'] } },
    { tool: 'run', args: { argv: ['head', '-n', '3', '.env'] } },
  ]
  const reports = await work(it, calls)
  expect(JSON.stringify(reports)).not.toContain('very-secret')
  expect(kinds(reports)).toEqual(['out-of-scope', 'ok', 'ok', 'ok', 'ok', 'out-of-scope'])
})
