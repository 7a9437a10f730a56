import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { type Bait, claudeCalls, hostileWords, layTraps } from '../../src/rig/hostile.ts'
import { startBarrier } from '../../src/rig/loopback.ts'
import { inOrder, type StubModel } from '../../src/rig/script.ts'
import { createClaudeRunner } from '../../src/runners/claude/runner.ts'
import type { RunnerOptions } from '../../src/runners/options.ts'
import type { Conversation, Runner } from '../../src/runners/runner.ts'
import { CLAUDE_VERSION } from '../support/clis.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { claudeOptions, INSTRUCTIONS, openedBy, openingOf } from './claude-setup.ts'
import { quietly } from './codex-setup.ts'
import { holding, type Peripheral, startPeripheral } from './peripheral.ts'

const slow = holding()
const TOOLS = ['docs.search', 'read', 'slow']
let model: StubModel
let peripheral: Peripheral

beforeAll(async () => {
  model = await startAnthropic(() => ({ do: 'say', text: 'done' }))
  peripheral = await startPeripheral({
    token: 'token-of-ada',
    tools: { 'docs.search': () => 'found', read: () => 'one line', slow: slow.work },
  })
})

afterAll(() => Promise.all([model.close(), peripheral.close()]))

/** All files below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())

describe.each([
  ['that works by a key', 'key-of-ada'],
  ['that is signed in', 'sk-ant-oat01-of-ada'],
])('a program %s', (_how, key) => {
  const folder = scratch()
  const bait: Bait = {
    secret: 'THE-SECRET',
    secretFile: join(folder.path, 'secret.txt'),
    canary: join(folder.path, 'canary'),
  }
  let barrier: Awaited<ReturnType<typeof startBarrier>>
  let runner: Runner
  let talk: Conversation
  let planted: string[]
  let before: number

  beforeAll(async () => {
    barrier = await startBarrier()
    writeFileSync(bait.secretFile, `${bait.secret}\n`)
    const env = { HTTPS_PROXY: barrier.url, HTTP_PROXY: barrier.url, NO_PROXY: '127.0.0.1' }
    const options = await claudeOptions(folder.path, { provider: { url: model.url }, key, env })
    for (const place of [options.home, options.empty]) mkdirSync(place)
    planted = layTraps([options.home, options.empty, folder.path], bait)
    runner = createClaudeRunner(options)
    before = model.asked.length
    talk = await openedBy(runner, peripheral)
  })

  afterAll(async () => {
    await runner.close()
    await barrier.close()
    folder[Symbol.dispose]()
  })

  const asked = () => model.asked.slice(before)

  test('takes words for words', async () => {
    model.play(() => ({ do: 'say', text: 'done' }))
    const words = [
      ...hostileWords(bait),
      '  /planted',
      `@bellhop:${bait.secretFile}`,
      `@~/../secret.txt @../secret.txt`,
    ]
    for (const text of words) expect(await talk.speak(text, quietly)).toEqual({ kind: 'answered', text: 'done' })
    expect(asked().at(-1)?.texts).toEqual(expect.arrayContaining(words))
  })

  test('takes words for words that come while a step runs', async () => {
    model.play(inOrder({ do: 'call', calls: [{ tool: 'slow', args: {} }] }, { do: 'say', text: 'done' }))
    const finish = talk.speak('ada says: look', quietly)
    await eventually('the step', () => peripheral.calls.at(-1)?.state === 'running')
    await talk.steer(`see @${bait.secretFile} and @"${bait.secretFile}"`)
    slow.letGo('looked')
    expect(await finish).toEqual({ kind: 'answered', text: 'done' })
    expect(asked().at(-1)?.texts.at(-1)).toContain(`see @${bait.secretFile} and @"${bait.secretFile}"`)
  })

  test('can call nothing that is not ours', async () => {
    const results: string[] = []
    for (const item of claudeCalls(bait)) {
      model.play(inOrder({ do: 'raw', item }, { do: 'say', text: 'done' }))
      await talk.speak('ada says: go on', quietly)
      results.push(`${item['name']}: ${asked().at(-1)?.result}`)
    }
    expect(results.filter((result) => !result.includes('No such tool available'))).toEqual([])
  })

  test('sees our tools alone, reads nothing, runs nothing and contacts nobody else', () => {
    const tools = ['mcp__bellhop__docs_search', 'mcp__bellhop__read', 'mcp__bellhop__slow']
    const bodies = asked().map(({ body }) => JSON.stringify(body))
    const seen = [bait.secret, ...planted].filter((word) => bodies.some((body) => body.includes(word)))
    expect({
      tools: [...new Set(asked().map((one) => one.tools.join(' ')))],
      seen,
      ran: existsSync(bait.canary),
      wanted: barrier.wanted,
    }).toEqual({ tools: [tools.join(' ')], seen: [], ran: false, wanted: [] })
  })

  test('has no secret in its arguments or its files', () => {
    const [pid = 0] = runner.pids()
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    const home = join(folder.path, 'home')
    const files = filesIn(home).map((file) => [file, readFileSync(file, 'utf8')] as const)
    const found = ['token-of-ada', key].flatMap((secret) =>
      [['the arguments', line] as const, ...files]
        .filter(([, text]) => text.includes(secret))
        .map(([place]) => `${secret} in ${place}`),
    )
    expect(found).toEqual([])
    expect(line).not.toContain(INSTRUCTIONS)
    expect(readdirSync(join(home, 'starts'))).toEqual([])
  })
})

describe('a wall with a hole', () => {
  const folder = scratch()
  afterAll(() => folder[Symbol.dispose]())

  const runnerWith = async (more: Partial<RunnerOptions>): Promise<Runner> =>
    createClaudeRunner(await claudeOptions(folder.path, { provider: { url: model.url }, ...more }))

  const without = (argv: readonly string[], ...flags: string[]): string[] => {
    const at = argv.indexOf(flags[0] ?? '')
    return argv.toSpliced(at, flags.length)
  }

  test('ends the program before anything is said, where it does not know a flag', async () => {
    const runner = await runnerWith({ wrap: (argv) => [...argv, '--no-such-wall'] })
    expect(await runner.open(openingOf(peripheral))).toEqual({
      ok: false,
      failure: {
        kind: 'wall',
        message: "the program does not know its wall: error: unknown option '--no-such-wall'",
        retryMs: null,
      },
    })
  })

  test('ends the program at once, where it has a tool that is not ours', async () => {
    const runner = await runnerWith({ wrap: (argv) => without(argv, '--tools', '') })
    const talk = await openedBy(runner, peripheral)
    model.play(() => ({ do: 'say', text: 'done' }))
    expect(await talk.speak('ada says: hello', quietly)).toEqual({
      kind: 'failed',
      failure: {
        kind: 'wall',
        message: expect.stringMatching(/^behind its wall it has tools that are not ours: .*Read/),
        retryMs: null,
      },
    })
    await eventually('the end of it', () => !talk.isOpen() && runner.pids().length === 0)
    expect(await talk.tools()).toEqual(expect.arrayContaining([...TOOLS, 'Read']))
  })

  test('ends the program at once, where it does not say which tools it has', async () => {
    const silenced = 'claude=$1; shift; "$claude" "$@" | grep --line-buffered -v \'"subtype":"init"\''
    const runner = await runnerWith({ wrap: (argv) => ['/bin/sh', '-c', silenced, 'sh', ...argv] })
    const talk = await openedBy(runner, peripheral)
    model.play(() => ({ do: 'say', text: 'done' }))
    expect(await talk.speak('ada says: hello', quietly)).toEqual({
      kind: 'failed',
      failure: { kind: 'wall', message: 'behind its wall it did not say which tools it has', retryMs: null },
    })
    await eventually('the end of it', () => !talk.isOpen() && runner.pids().length === 0)
  })

  test('opens nothing, where our tools cannot be reached, or not with that token', async () => {
    const runner = await runnerWith({})
    const nobody = await runner.open(openingOf({ url: 'http://127.0.0.1:1/mcp', token: 'x' }))
    const stranger = await runner.open(openingOf({ url: peripheral.url, token: 'token-of-grace' }))
    const failure = (words: RegExp) => ({
      ok: false,
      failure: { kind: 'wall', message: expect.stringMatching(words), retryMs: null },
    })
    expect([nobody, stranger]).toEqual([
      failure(/^behind its wall our tools are not connected: ECONNREFUSED/),
      failure(/^behind its wall our tools are not connected: .*401/),
    ])
    expect(runner.pids()).toEqual([])
  })
})

describe('a probe', () => {
  const folder = scratch()
  afterAll(() => folder[Symbol.dispose]())

  const probe = async (more: Partial<RunnerOptions>, expected = TOOLS, url = peripheral.url) => {
    const runner = createClaudeRunner(await claudeOptions(folder.path, { provider: { url: model.url }, ...more }))
    const probes = await runner.probe({ url, token: peripheral.token }, expected)
    expect(runner.pids()).toEqual([])
    return { probes, version: runner.version() }
  }

  const program = { name: 'program', ok: true, detail: `claude ${CLAUDE_VERSION}` }
  const version = { name: 'version', ok: true, detail: CLAUDE_VERSION }
  const signIn = { name: 'sign-in', ok: true, detail: 'a key is set' }

  test('finds all of it well, and asks no model', async () => {
    const before = model.asked.length
    const tools = { name: 'tools', ok: true, detail: 'docs.search read slow' }
    expect(await probe({})).toEqual({ probes: [program, version, signIn, tools], version: CLAUDE_VERSION })
    expect(model.asked.length).toBe(before)
  })

  test('names what is missing of the tools, and what is too much', async () => {
    const { probes } = await probe({}, ['read', 'write'])
    const detail = 'it does not see write; it sees what it should not: mcp__bellhop__docs_search, mcp__bellhop__slow'
    expect(probes).toEqual([program, version, signIn, { name: 'tools', ok: false, detail }])
  })

  test('says that our tools are not there, and that the wall is not known', async () => {
    const [away, odd] = [
      await probe({}, TOOLS, 'http://127.0.0.1:1/mcp'),
      await probe({ wrap: (argv) => (argv.includes('-p') ? [...argv, '--no-such-wall'] : argv) }),
    ].map(({ probes }) => probes.at(-1))
    expect([away, odd]).toEqual([
      { name: 'tools', ok: false, detail: expect.stringContaining('bellhop (failed)') },
      { name: 'tools', ok: false, detail: expect.stringContaining("unknown option '--no-such-wall'") },
    ])
  })

  test('says how to sign in, where nobody is, and that a model of one’s own needs no key', async () => {
    const { probes } = await probe({ key: null, provider: null })
    const detail = 'not signed in: run bellhop login claude-1'
    expect(probes).toEqual([program, version, { name: 'sign-in', ok: false, detail }])
    const own = await probe({ key: null })
    expect(own.probes.at(2)).toEqual({ name: 'sign-in', ok: true, detail: 'the model needs no key' })
    expect(own.probes.at(3)?.ok).toBe(true)
  })

  test('says which versions were tested, and what is not there at all', async () => {
    const other = await probe({ versions: ['2.0.0', '2.0.1'] })
    const way = 'the wall was tested with 2.0.0, 2.0.1; `bellhop doctor --wall` checks another version'
    expect(other.probes).toEqual([
      program,
      { name: 'version', ok: false, detail: `it is claude ${CLAUDE_VERSION}: ${way}` },
    ])
    expect(await probe({ program: '/nonexistent/claude' })).toEqual({
      probes: [{ name: 'program', ok: false, detail: '/nonexistent/claude cannot be run' }],
      version: null,
    })
  })
})
