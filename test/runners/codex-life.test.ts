import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBarrier } from '../../src/rig/loopback.ts'
import { startOpenai } from '../../src/rig/openai.ts'
import { inOrder, type StubModel } from '../../src/rig/script.ts'
import { createCodexRunner } from '../../src/runners/codex/runner.ts'
import type { RunnerOptions } from '../../src/runners/options.ts'
import type { Runner } from '../../src/runners/runner.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { codexOptions, INSTRUCTIONS, listener, opened, quietly } from './codex-setup.ts'
import { holding, type Peripheral, startPeripheral } from './peripheral.ts'

const folder = scratch()
const slow = holding()
let model: StubModel
let ofAda: Peripheral
let ofGrace: Peripheral
let options: RunnerOptions

beforeAll(async () => {
  model = await startOpenai(() => ({ do: 'say', text: 'done' }))
  ofAda = await startPeripheral({ token: 'token-of-ada', tools: { read: () => 'read', slow: slow.work } })
  ofGrace = await startPeripheral({ token: 'token-of-grace', tools: { write: () => 'written' } })
  options = await codexOptions(folder.path, { provider: { url: model.url }, key: 'key-of-ada' })
})

afterAll(async () => {
  await Promise.all([model.close(), ofAda.close(), ofGrace.close()])
  folder[Symbol.dispose]()
})

/** A runner that is closed at the end of the test. */
const running = (runner: Runner): Runner & AsyncDisposable => ({ ...runner, [Symbol.asyncDispose]: runner.close })

const openingOf = ({ url, token }: Peripheral, resume: string | null = null) => ({
  session: 's-1',
  instructions: INSTRUCTIONS,
  hands: { url, token },
  model: 'gpt-5.5',
  resume,
})

describe('many conversations in one process', () => {
  test('have their own tools, and each reaches its own', async () => {
    await using runner = running(createCodexRunner(options))
    const [ada, grace] = await Promise.all([opened(runner, ofAda), opened(runner, ofGrace)])
    expect([await ada.tools(), await grace.tools()]).toEqual([['read', 'slow'], ['write']])
    model.play(inOrder({ do: 'call', calls: [{ tool: 'read', args: {} }] }, { do: 'say', text: 'done' }))
    expect(await ada.speak('read', quietly)).toEqual({ kind: 'answered', text: 'done' })
    model.play(inOrder({ do: 'call', calls: [{ tool: 'read', args: {} }] }, { do: 'say', text: 'done' }))
    expect(await grace.speak('read', quietly)).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.at(-1)?.result).toBe('unsupported call: mcp__bellhopread')
    expect([ofAda.calls.length, ofGrace.calls.length, runner.pids().length]).toEqual([1, 0, 1])
  })

  test('are twenty at once', async () => {
    await using runner = running(createCodexRunner(options))
    model.play(({ texts }) => ({ do: 'say', text: `heard ${texts.at(-1)}` }))
    const numbers = Array.from({ length: 20 }, (_, number) => `${number}`)
    const talks = await Promise.all(numbers.map(() => opened(runner, ofAda)))
    const answers = await Promise.all(talks.map((talk, number) => talk.speak(`${number}`, quietly)))
    expect(answers).toEqual(numbers.map((number) => ({ kind: 'answered', text: `heard ${number}` })))
    expect(new Set(talks.map(({ id }) => id)).size).toBe(20)
    await Promise.all(talks.map((talk) => talk.close()))
    expect(runner.pids()).toHaveLength(1)
  })
})

test('agents that share a home can be started there at the same time, each with models of its own', async () => {
  using place = scratch()
  const shared = await codexOptions(place.path, { provider: { url: model.url } })
  const runnerOf = (agent: string, name: string) =>
    createCodexRunner({ ...shared, agent, models: [name], empty: join(shared.home, 'empty', agent) })
  await using ada = running(runnerOf('codex-1', 'llama'))
  await using grace = running(runnerOf('codex-2', 'mist'))
  model.play((asked) => ({ do: 'say', text: asked.model }))
  const talks = await Promise.all([opened(ada, ofAda, { model: 'llama' }), opened(grace, ofGrace, { model: 'mist' })])
  expect(await Promise.all(talks.map((talk) => talk.speak('who are you?', quietly)))).toEqual([
    { kind: 'answered', text: 'llama' },
    { kind: 'answered', text: 'mist' },
  ])
})

describe('a process that dies', () => {
  test('ends what is said in it at once, and both conversations are gone on with in another', async () => {
    await using runner = running(createCodexRunner(options))
    const [ada, grace] = await Promise.all([opened(runner, ofAda), opened(runner, ofGrace)])
    model.play(() => ({ do: 'say', text: 'done', usage: { input: 10, cached: 0, output: 1 } }))
    await ada.speak('remember ada', quietly)
    await grace.speak('remember grace', quietly)
    model.play(() => ({ do: 'hang', text: 'Let me' }))
    const { how, has } = listener()
    const finish = ada.speak('go on', how)
    await eventually('a piece', () => has('delta'))
    const [pid = 0] = runner.pids()
    process.kill(pid, 'SIGKILL')
    expect(await finish).toEqual({
      kind: 'failed',
      failure: { kind: 'crashed', message: 'the program has ended: SIGKILL', retryMs: null },
    })
    expect([ada.isOpen(), grace.isOpen(), runner.pids()]).toEqual([false, false, []])
    expect(await grace.speak('hello?', quietly)).toMatchObject({ failure: { kind: 'crashed' } })

    model.play(() => ({ do: 'say', text: 'back', usage: { input: 10, cached: 0, output: 1 } }))
    // With other hands: they are told anew at every opening.
    const again = await opened(runner, ofGrace, { resume: ada.id })
    const other = await opened(runner, ofAda, { resume: grace.id })
    expect([again.id, again.resumed, other.id, other.resumed]).toEqual([ada.id, true, grace.id, true])
    expect(runner.pids()).not.toContain(pid)
    const { how: afterwards, words } = listener()
    expect(await again.speak('and now?', afterwards)).toEqual({ kind: 'answered', text: 'back' })
    expect(model.asked.at(-1)).toMatchObject({
      instructions: INSTRUCTIONS,
      tools: expect.arrayContaining(['mcp__bellhop.write']),
    })
    expect(model.asked.at(-1)?.texts).toEqual(['remember ada', 'go on', 'and now?'])
    // What was used before it died is not counted again.
    expect(words().filter(({ kind }) => kind === 'usage')).toEqual([
      expect.objectContaining({ usage: { input: 10, cached: 0, written: 0, output: 1, reasoning: 0 } }),
    ])
    await other.speak('and you?', quietly)
    expect(model.asked.at(-1)?.texts).toEqual(['remember grace', 'and you?'])
  })

  test('and one that hears nothing is ended when a turn is interrupted', async () => {
    await using runner = running(createCodexRunner(options))
    const [ada, grace] = await Promise.all([opened(runner, ofAda), opened(runner, ofGrace)])
    model.play(() => ({ do: 'hang', text: 'Let me' }))
    const [one, two] = [listener(), listener()]
    const finishes = [ada.speak('write', one.how), grace.speak('write', two.how)]
    await eventually('both', () => one.has('delta') && two.has('delta'))
    const [pid = 0] = runner.pids()
    process.kill(pid, 'SIGSTOP')
    await ada.interrupt()
    expect(await Promise.all(finishes)).toEqual([
      { kind: 'interrupted' },
      { kind: 'failed', failure: { kind: 'crashed', message: expect.stringContaining('has ended'), retryMs: null } },
    ])
    expect([ada.isOpen(), grace.isOpen(), runner.pids()]).toEqual([false, false, []])
  })

  test('a conversation that is open is gone on with under other hands', async () => {
    await using runner = running(createCodexRunner(options))
    model.play(() => ({ do: 'say', text: 'done' }))
    const before = await opened(runner, ofAda)
    await before.speak('hello', quietly)
    const after = await opened(runner, ofGrace, { resume: before.id })
    expect([before.isOpen(), await after.tools()]).toEqual([false, ['write']])
  })

  test.each(['01a1e520-c487-77c3-8e4f-4d4ae9c66210', 'nonsense'])('there is no conversation %s', async (id) => {
    await using runner = running(createCodexRunner(options))
    expect(await runner.open(openingOf(ofAda, id))).toEqual({
      ok: false,
      failure: { kind: 'crashed', message: expect.stringMatching(/^no conversation /), retryMs: null },
    })
  })
})

describe('the wall', () => {
  test.each([
    ['a setting', ['-c', 'no_such_setting=true'], /no_such_setting/],
    ['a feature', ['--disable', 'no_such_feature'], /no_such_feature/],
    ['a flag', ['--no-such-flag'], /does not take its wall/],
  ])('is not up where the program does not know %s of it', async (_what, extra, message) => {
    await using runner = running(createCodexRunner(options, extra))
    const failure = { kind: 'wall', message: expect.stringMatching(message), retryMs: null }
    expect(await runner.open(openingOf(ofAda))).toEqual({ ok: false, failure })
    expect(runner.pids()).toEqual([])
  })

  test.each([
    [
      'has no server but ours in it',
      'config.toml',
      '[mcp_servers.other]\nurl = "http://127.0.0.1:9/mcp"\n',
      /server besides ours: other/,
    ],
    ['has no instructions but ours in it', 'AGENTS.md', 'FROM THE HOME', /instructions besides ours: .*AGENTS.md/],
  ])('%s, whoever else puts some there', async (_what, name, text, message) => {
    using place = scratch()
    const wrap = (argv: readonly string[]): readonly string[] => {
      if (argv.includes('app-server')) place.write(`home/${name}`, text)
      return argv
    }
    await using runner = running(
      createCodexRunner(await codexOptions(place.path, { provider: { url: model.url }, wrap })),
    )
    const failure = { kind: 'wall', message: expect.stringMatching(message), retryMs: null }
    expect(await runner.open(openingOf(ofAda))).toEqual({ ok: false, failure })
  })

  test('takes nothing from a config that lies in the home of the program', async () => {
    using place = scratch()
    const canary = place.write('canary', '')
    place.write('home/config.toml', `[mcp_servers.other]\ncommand = "rm"\nargs = ["${canary}"]\n`)
    place.write('home/AGENTS.md', 'FROM THE HOME')
    place.write('empty/AGENTS.md', 'FROM THE FOLDER')
    place.write('empty/.codex/config.toml', `[mcp_servers.more]\ncommand = "rm"\nargs = ["${canary}"]\n`)
    const home = await codexOptions(place.path, { provider: { url: model.url } })
    await using runner = running(createCodexRunner(home))
    const talk = await opened(runner, ofAda)
    model.play(() => ({ do: 'say', text: 'done' }))
    expect(await talk.speak('hello @AGENTS.md /status !id $skill', quietly)).toEqual({ kind: 'answered', text: 'done' })
    const { instructions, texts } = model.asked.at(-1) ?? expect.fail()
    expect({ instructions, texts, canary: readFileSync(canary, 'utf8') }).toEqual({
      instructions: INSTRUCTIONS,
      texts: ['hello @AGENTS.md /status !id $skill'],
      canary: '',
    })
  })

  test('is broken by what a provider does by itself, and the turn ends there', async () => {
    await using runner = running(createCodexRunner(options))
    const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }
    model.play(inOrder({ do: 'raw', item }, { do: 'say', text: 'done' }))
    const talk = await opened(runner, ofAda)
    const message = 'the program reached for webSearch, which is not behind its wall'
    expect(await talk.speak('search', quietly)).toEqual({
      kind: 'failed',
      failure: { kind: 'wall', message, retryMs: null },
    })
  })
})

describe('what goes out, and what stays', () => {
  const all = (path: string): string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))

  const proxies = ({ url }: { url: string }) => ({ HTTPS_PROXY: url, HTTP_PROXY: url, ALL_PROXY: url })

  test('with a provider nobody else is asked, and no secret is among the arguments or on the disk', async () => {
    using place = scratch()
    const barrier = await startBarrier()
    const more = { provider: { url: model.url }, key: 'sk-of-ada', env: proxies(barrier) }
    await using runner = running(createCodexRunner(await codexOptions(place.path, more)))
    model.play(inOrder({ do: 'call', calls: [{ tool: 'read', args: {} }] }, { do: 'say', text: 'done' }))
    const talk = await opened(runner, ofAda)
    expect(await talk.speak('hello', quietly)).toEqual({ kind: 'answered', text: 'done' })
    const line = readFileSync(`/proc/${runner.pids()[0]}/cmdline`, 'utf8')
    await runner.close()
    const written = [line, ...all(place.path)].filter((text) => /sk-of-ada|token-of-ada/.test(text))
    expect({ wanted: barrier.wanted, written }).toEqual({ wanted: [], written: [] })
    await barrier.close()
  })

  test('with a key alone the program asks its own provider, and the key is nowhere but in its memory', async () => {
    using place = scratch()
    const barrier = await startBarrier()
    const more = { provider: null, key: 'sk-of-ada', env: proxies(barrier) }
    await using runner = running(createCodexRunner(await codexOptions(place.path, more)))
    const talk = await opened(runner, ofAda)
    const failure = { kind: 'network', message: expect.any(String), retryMs: null }
    expect(await talk.speak('hello', quietly)).toEqual({ kind: 'failed', failure })
    const [pid] = runner.pids()
    const process = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
    await runner.close()
    const written = [...process, ...all(place.path)].filter((text) => /sk-of-ada|token-of-ada/.test(text))
    expect({ wanted: barrier.wanted, written }).toEqual({ wanted: ['api.openai.com:443'], written: [] })
    await barrier.close()
  })

  test('a provider that is not there is a network that is not there', async () => {
    using place = scratch()
    const gone = await startOpenai(() => ({ do: 'hang' }))
    await gone.close()
    await using runner = running(createCodexRunner(await codexOptions(place.path, { provider: { url: gone.url } })))
    const talk = await opened(runner, ofAda)
    const failure = { kind: 'network', message: 'Connection failed: error sending request', retryMs: null }
    expect(await talk.speak('hello', quietly)).toEqual({ kind: 'failed', failure })
  })
})

describe('a probe', () => {
  const { token } = { token: 'token-of-ada' }

  test('is well where all is as it should be', async () => {
    await using runner = running(createCodexRunner(options))
    expect(runner.version()).toBe(null)
    expect(await runner.probe({ url: ofAda.url, token }, ['slow', 'read'])).toEqual([
      { name: 'program', ok: true, detail: 'codex 0.166.0' },
      { name: 'version', ok: true, detail: '0.166.0' },
      { name: 'sign-in', ok: true, detail: 'a key is set' },
      { name: 'tools', ok: true, detail: 'read slow' },
    ])
    expect(runner.version()).toBe('0.166.0')
  })

  test.each([
    [
      'the program is not there',
      { program: '/no/such/codex' },
      ['read'],
      [{ name: 'program', ok: false, detail: '/no/such/codex cannot be run' }],
    ],
    [
      'its version is another',
      { versions: ['0.1.0', '0.2.0'] },
      ['read'],
      [
        expect.objectContaining({ name: 'program', ok: true }),
        {
          name: 'version',
          ok: false,
          detail:
            'it is codex 0.166.0: the wall was tested with 0.1.0, 0.2.0; `bellhop doctor --wall` checks another version',
        },
      ],
    ],
    [
      'nobody is signed in',
      { key: null, provider: null },
      ['read'],
      [
        expect.objectContaining({ name: 'program', ok: true }),
        expect.objectContaining({ name: 'version', ok: true }),
        { name: 'sign-in', ok: false, detail: 'not signed in: run bellhop login codex-1' },
      ],
    ],
    [
      'its tools are others',
      { key: null, versions: ['any'] },
      ['read', 'hop'],
      [
        expect.objectContaining({ name: 'program', ok: true }),
        { name: 'version', ok: true, detail: '0.166.0' },
        { name: 'sign-in', ok: true, detail: 'the model needs no key' },
        { name: 'tools', ok: false, detail: 'it does not see hop; it sees what it should not: slow' },
      ],
    ],
  ])('is ill where %s, and stops there', async (_what, more, expected, probes) => {
    using place = scratch()
    await using runner = running(
      createCodexRunner({ ...(await codexOptions(place.path, { provider: { url: model.url } })), ...more }),
    )
    expect(await runner.probe({ url: ofAda.url, token }, expected)).toEqual(probes)
  })

  test('is ill where our tools cannot be reached', async () => {
    await using runner = running(createCodexRunner(options))
    const probes = await runner.probe({ url: ofAda.url, token: 'token-of-nobody' }, ['read'])
    expect(probes.at(-1)).toEqual({ name: 'tools', ok: false, detail: expect.stringContaining('401') })
  })
})

test('a runner that is closed opens nothing more', async () => {
  const runner = createCodexRunner(options)
  const talk = await opened(runner, ofAda)
  await runner.close()
  expect([talk.isOpen(), runner.pids()]).toEqual([false, []])
  expect(await runner.open(openingOf(ofAda))).toMatchObject({ ok: false, failure: { kind: 'crashed' } })
})
