import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOpenai } from '../../src/rig/openai.ts'
import { inOrder, type Move, type StubModel } from '../../src/rig/script.ts'
import { createCodexRunner } from '../../src/runners/codex/runner.ts'
import type { Runner } from '../../src/runners/runner.ts'
import type { Failure } from '../../src/shapes/runner.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { codexOptions, INSTRUCTIONS, listener, opened, quietly } from './codex-setup.ts'
import { holding, type Peripheral, startPeripheral } from './peripheral.ts'

const folder = scratch()
const slow = holding()
let model: StubModel
let peripheral: Peripheral
let runner: Runner

beforeAll(async () => {
  model = await startOpenai(() => ({ do: 'say', text: 'done' }))
  peripheral = await startPeripheral({
    token: 'token-of-ada',
    tools: {
      read: () => 'one line',
      'multi-edit': () => 'edited',
      'docs.search': ({ query }) => `found ${query}`,
      slow: slow.work,
    },
  })
  runner = createCodexRunner(await codexOptions(folder.path, { provider: { url: model.url }, key: 'key-of-ada' }))
})

afterAll(async () => {
  await runner.close()
  await Promise.all([model.close(), peripheral.close()])
  folder[Symbol.dispose]()
})

/** What the model was asked since then. */
const askedSince = (count: number) => model.asked.slice(count)

describe('a turn', () => {
  test('is told piece by piece, with what it took, and ends with the answer', async () => {
    const usage = { input: 1000, cached: 400, output: 30 }
    model.play(() => ({ do: 'say', text: 'Good morning, ada', pieces: 3, usage }))
    const talk = await opened(runner, peripheral)
    const { how, words } = listener()
    expect(await talk.speak('ada says: good morning', how)).toEqual({ kind: 'answered', text: 'Good morning, ada' })
    expect(words()).toEqual([
      { kind: 'delta', text: 'Good m', of: 'msg_1' },
      { kind: 'delta', text: 'orning', of: 'msg_1' },
      { kind: 'delta', text: ', ada', of: 'msg_1' },
      { kind: 'message', text: 'Good morning, ada' },
      {
        kind: 'usage',
        model: 'gpt-5.5',
        usage: { input: 1000, cached: 400, written: 0, output: 30, reasoning: 0 },
        window: 258_400,
      },
    ])
    const { instructions, texts } = model.asked.at(-1) ?? expect.fail()
    expect({ instructions, texts }).toEqual({ instructions: INSTRUCTIONS, texts: ['ada says: good morning'] })
    await talk.close()
    expect(talk.isOpen()).toBe(false)
  })

  test('calls tools of the peripheral, which have the names of the spec there and see nothing else', async () => {
    const before = model.asked.length
    const calls = [
      { tool: 'docs.search', args: { query: 'walls' } },
      { tool: 'multi-edit', args: {} },
    ]
    model.play(inOrder({ do: 'call', say: 'Let me look.', calls }, { do: 'say', text: 'There it is.' }))
    const talk = await opened(runner, peripheral)
    expect(await talk.tools()).toEqual(['docs.search', 'multi-edit', 'read', 'slow'])
    const { how, words } = listener()
    expect(await talk.speak('look it up', how)).toEqual({ kind: 'answered', text: 'There it is.' })
    expect(words().filter(({ kind }) => kind === 'message' || kind === 'tool')).toEqual([
      { kind: 'message', text: 'Let me look.' },
      ...['begun', 'ended', 'begun', 'ended'].map((state) => ({ kind: 'tool', state })),
      { kind: 'message', text: 'There it is.' },
    ])
    expect(peripheral.calls).toEqual([
      { tool: 'docs.search', args: { query: 'walls' }, state: 'answered' },
      { tool: 'multi-edit', args: {}, state: 'answered' },
    ])
    expect(askedSince(before).map(({ tools, result }) => ({ tools, result }))).toEqual(
      [null, 'edited'].map((result) => ({ tools: VISIBLE, result })),
    )
    await talk.close()
  })

  test.each(['gpt-5.5', 'gpt-6-sol', 'llama-local'])('sees the same tools with the model %s', async (name) => {
    model.play(() => ({ do: 'say', text: 'done' }))
    const talk = await opened(runner, peripheral, { model: name })
    expect(await talk.speak('hello', quietly)).toEqual({ kind: 'answered', text: 'done' })
    const { model: used, tools, instructions } = model.asked.at(-1) ?? expect.fail()
    expect({ used, tools, instructions }).toEqual({ used: name, tools: VISIBLE, instructions: INSTRUCTIONS })
    await talk.close()
  })

  test('can be of another model, for that once; the conversation is the same', async () => {
    const before = model.asked.length
    model.play(() => ({ do: 'say', text: 'done', usage: { input: 300_000, cached: 0, output: 1 } }))
    const talk = await opened(runner, peripheral)
    for (const name of [null, 'llama-local', null, 'gpt-6-sol']) {
      const { how, words } = listener()
      await talk.speak(`with ${name}`, { ...how, model: name })
      expect(words().at(-1)).toMatchObject({ kind: 'usage', model: name ?? 'gpt-5.5' })
    }
    const texts = ['with null', 'with llama-local', 'with null', 'with gpt-6-sol']
    // As long as it is, nothing was made shorter in between: there is one request for each.
    expect(askedSince(before).map((asked) => [asked.model, asked.texts])).toEqual([
      ['gpt-5.5', texts.slice(0, 1)],
      ['llama-local', texts.slice(0, 2)],
      ['gpt-5.5', texts.slice(0, 3)],
      ['gpt-6-sol', texts],
    ])
    expect(await talk.speak('with what?', { ...quietly, model: 'gpt-unheard-of' })).toEqual({
      kind: 'failed',
      failure: { kind: 'wall', message: 'gpt-unheard-of is not among the models', retryMs: null },
    })
    await talk.close()
  })

  test('has other tools after a hop, in the same turn', async () => {
    const before = model.asked.length
    await using place = await startPeripheral({
      token: 'token-of-grace',
      shown: ['read', 'hop'],
      tools: {
        read: () => 'one line',
        // The program lists its tools when it needs them next, and not before it has the answer: so this takes its time,
        // in which it surely hears that they have changed.
        hop: async () => {
          await place.setTools(['write'])
          return 'hopped'
        },
        write: () => 'written',
      },
    })
    const call = (tool: string): Move => ({ do: 'call', calls: [{ tool, args: {} }] })
    model.play(inOrder(call('hop'), call('write'), call('read'), { do: 'say', text: 'done' }))
    const talk = await opened(runner, place, { model: 'gpt-6-sol' })
    expect(await talk.speak('hop and write', quietly)).toEqual({ kind: 'answered', text: 'done' })
    expect(askedSince(before).map(({ tools, result }) => ({ tools, result }))).toEqual([
      { tools: seen('hop', 'read'), result: null },
      { tools: seen('write'), result: 'hopped' },
      { tools: seen('write'), result: 'written' },
      { tools: seen('write'), result: 'unsupported call: mcp__bellhopread' },
    ])
    expect(await talk.tools()).toEqual(['write'])
    // And between two turns.
    void place.setTools(['read'])
    await eventually('the tools of another peripheral', async () => (await talk.tools()).includes('read'))
    expect(await talk.speak('and again', quietly)).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.at(-1)?.tools).toEqual(seen('read'))
    await talk.close()
  })
})

/** The tools of a peripheral as a model sees them, and those that cannot be taken from it. */
const seen = (...tools: string[]) => [...RESOURCES, ...tools.map((tool) => `mcp__bellhop.${tool}`)]
const RESOURCES = ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource']
const VISIBLE = seen('docs_search', 'multi_edit', 'read', 'slow')

describe('a turn that runs', () => {
  const inTool = inOrder({ do: 'call', calls: [{ tool: 'slow', args: {} }] }, { do: 'say', text: 'done' })

  test('hears a line after the tool that runs', async () => {
    model.play(inTool)
    const talk = await opened(runner, peripheral)
    const { how, has } = listener()
    const finish = talk.speak('be slow', how)
    await eventually('the tool', () => has('tool'))
    expect(await talk.steer('ada says: also this')).toBe('after-step')
    slow.letGo('at last')
    expect(await finish).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.at(-1)?.texts).toEqual(['be slow', 'at last', 'ada says: also this'])
    expect(await talk.steer('too late')).toBe(null)
    await talk.close()
  })

  test('hears a line at once while it writes, and what one request took is told once', async () => {
    model.play(inOrder({ do: 'say', text: 'first' }, { do: 'hang', text: 'Let me' }, { do: 'say', text: 'done' }))
    const talk = await opened(runner, peripheral)
    await talk.speak('hello', quietly)
    const { how, has, said } = listener()
    const finish = talk.speak('write', how)
    await eventually('a piece', () => has('delta'))
    expect(await talk.steer('ada says: no, this')).toBe('now')
    expect(await finish).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.at(-1)?.texts).toEqual(['hello', 'write', 'ada says: no, this'])
    expect(said.filter(({ kind }) => kind === 'usage')).toHaveLength(1)
    await talk.close()
  })

  test('is interrupted in a tool, which learns of it', async () => {
    model.play(inOrder({ do: 'call', calls: [{ tool: 'slow', args: {} }] }, { do: 'say', text: 'done' }))
    const talk = await opened(runner, peripheral)
    const { how, has } = listener()
    const finish = talk.speak('be slow', how)
    await eventually('the tool', () => has('tool'))
    await talk.interrupt()
    expect(await finish).toEqual({ kind: 'interrupted' })
    await eventually('the end of the call', () => peripheral.calls.at(-1)?.state === 'cancelled')
    model.play(() => ({ do: 'say', text: 'still here' }))
    expect(await talk.speak('and now?', quietly)).toEqual({ kind: 'answered', text: 'still here' })
    await talk.close()
  })

  test.each([
    ['while it writes', { do: 'hang', text: 'Let me' }],
    ['while nothing comes', { do: 'hang' }],
  ] satisfies [string, Move][])('is interrupted %s', async (_when, move) => {
    model.play(() => move)
    const before = model.asked.length
    const talk = await opened(runner, peripheral)
    const pids = runner.pids()
    const { how, has } = listener()
    const finish = talk.speak('write', how)
    await eventually('a request', () => model.asked.length > before && ('text' in move ? has('delta') : true))
    await talk.interrupt()
    expect(await finish).toEqual({ kind: 'interrupted' })
    expect({ open: talk.isOpen(), pids: runner.pids() }).toEqual({ open: true, pids })
    await talk.close()
  })

  test('is interrupted and steered from the moment that it was begun', async () => {
    model.play(() => ({ do: 'hang', text: 'Let me' }))
    const talk = await opened(runner, peripheral)
    const pids = runner.pids()
    for (const _time of [1, 2, 3]) {
      const finish = talk.speak('write', quietly)
      expect(await talk.steer('ada says: also this')).toBe('now')
      await talk.interrupt()
      expect([await finish, runner.pids()]).toEqual([{ kind: 'interrupted' }, pids])
    }
    await talk.interrupt()
    await talk.close()
  })

  test('is one at a time; and one that is let go is interrupted', async () => {
    model.play(() => ({ do: 'hang', text: 'Let me' }))
    const talk = await opened(runner, peripheral)
    const { how, has } = listener()
    const finish = talk.speak('write', how)
    await eventually('a piece', () => has('delta'))
    expect(await talk.speak('another', quietly)).toMatchObject({ failure: { kind: 'bad-request' } })
    await talk.close()
    expect(await finish).toEqual({ kind: 'interrupted' })
    expect(await talk.speak('hello?', quietly)).toMatchObject({ failure: { kind: 'crashed' } })
  })
})

describe('a turn that fails says why', () => {
  const fail = (status: number, error: Record<string, unknown>): Move => ({ do: 'fail', status, body: { error } })

  test.each([
    [fail(401, { message: 'Incorrect API key' }), 'auth', 'unexpected status 401 Unauthorized: Incorrect API key'],
    [fail(403, { message: 'Not here' }), 'auth', 'unexpected status 403 Forbidden: Not here'],
    [
      fail(429, { message: 'Rate limit reached, try again in 1.5s', code: 'rate_limit_exceeded' }),
      'rate-limit',
      'exceeded retry limit, last status: 429 Too Many Requests',
    ],
    [
      fail(429, { message: 'You exceeded your current quota', code: 'insufficient_quota', type: 'insufficient_quota' }),
      'quota',
      'Quota exceeded. Check your plan and billing details.',
    ],
    [
      fail(429, { message: 'The usage limit has been reached', type: 'usage_limit_reached' }),
      'quota',
      expect.stringContaining('hit your usage limit'),
    ],
    [fail(500, { message: 'Oh no' }), 'overload', expect.stringContaining('high demand')],
    [fail(503, { message: 'Busy', code: 'server_is_overloaded' }), 'overload', expect.stringContaining('at capacity')],
    [fail(529, { message: 'Busy' }), 'overload', 'unexpected status 529 <unknown status code>: Busy'],
    [fail(400, { message: 'Invalid value' }), 'bad-request', 'Invalid value'],
    [fail(404, { message: 'No such model', code: 'model_not_found' }), 'bad-request', 'No such model'],
    [fail(400, { message: 'That is too long', code: 'context_length_exceeded' }), 'context', 'That is too long'],
    [{ do: 'cut', text: 'Let me' }, 'network', expect.stringContaining('stream disconnected')],
  ] satisfies [Move, Failure['kind'], unknown][])('%j', async (move, kind, message) => {
    const before = model.asked.length
    model.play(() => move)
    const talk = await opened(runner, peripheral)
    const failure = { kind, message, retryMs: null }
    expect(await talk.speak('hello', quietly)).toEqual({ kind: 'failed', failure })
    // Whether it is tried again is for us to say.
    expect(model.asked.length - before).toBe(1)
    model.play(() => ({ do: 'say', text: 'better' }))
    expect(await talk.speak('and now?', quietly)).toEqual({ kind: 'answered', text: 'better' })
    await talk.close()
  })
})

describe('behind the wall', () => {
  test.each(['exec_command', 'apply_patch', 'update_plan', 'view_image'])('there is no %s', async (name) => {
    const item = { type: 'function_call', call_id: `call_${name}`, name, arguments: '{"cmd":"id"}' }
    model.play(inOrder({ do: 'raw', item }, { do: 'say', text: 'done' }))
    const talk = await opened(runner, peripheral)
    expect(await talk.speak('try it', quietly)).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.at(-1)?.result).toBe(`unsupported call: ${name}`)
    await talk.close()
  })

  test('the tools for resources reach our server, which has none', async () => {
    const before = peripheral.calls.length
    const read = { server: 'bellhop', uri: 'file:///etc/passwd' }
    const items = [
      { type: 'function_call', call_id: 'call_r1', name: 'list_mcp_resources', arguments: '{}' },
      { type: 'function_call', call_id: 'call_r2', name: 'read_mcp_resource', arguments: JSON.stringify(read) },
    ]
    const moves = items.map((item): Move => ({ do: 'raw', item }))
    model.play(inOrder({ do: 'say', text: '' }, ...moves, { do: 'say', text: 'done' }))
    const talk = await opened(runner, peripheral)
    await talk.speak('hello', quietly)
    const { how, has } = listener()
    expect(await talk.speak('try it', how)).toEqual({ kind: 'answered', text: 'done' })
    expect(model.asked.slice(-2).map(({ result }) => result)).toEqual([
      '{"resources":[]}',
      expect.stringContaining('Method not found'),
    ])
    expect({ called: peripheral.calls.length - before, toldAsOurs: has('tool') }).toEqual({
      called: 0,
      toldAsOurs: false,
    })
    await talk.close()
  })

  test('a conversation whose tools cannot be reached is not open', async () => {
    const hands = { url: peripheral.url, token: 'token-of-nobody' }
    const opening = { session: 's-2', instructions: INSTRUCTIONS, hands, model: null, resume: null }
    expect(await runner.open(opening)).toEqual({
      ok: false,
      failure: { kind: 'wall', message: expect.stringMatching(/^our tools are not connected: .*401/), retryMs: null },
    })
  })
})
