import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOpenai } from '../../src/rig/openai.ts'
import type { Move, StubModel } from '../../src/rig/script.ts'

let model: StubModel

beforeAll(async () => {
  model = await startOpenai(() => ({ do: 'say', text: '' }))
})

afterAll(() => model.close())

const ask = (body: object, path = '/responses') =>
  fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) })

/** The events that a move is answered with. */
const eventsOf = async (move: Move): Promise<Record<string, unknown>[]> => {
  model.play(() => move)
  const text = await (await ask({ model: 'gpt-5.5', input: [] })).text()
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

const usage = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
})

describe('a move', () => {
  test('says something piece by piece; what was cached is a part of the input', async () => {
    const events = await eventsOf({
      do: 'say',
      text: 'grüß Gott',
      pieces: 2,
      usage: { input: 7, cached: 3, output: 2 },
    })
    const { nth } = model.asked.at(-1) ?? expect.fail()
    const message = (content: object[]) => ({ type: 'message', role: 'assistant', id: `msg_${nth}`, content })
    expect(events).toEqual([
      { type: 'response.created', response: { id: `resp_${nth}` } },
      { type: 'response.output_item.added', item: message([]) },
      { type: 'response.output_text.delta', item_id: `msg_${nth}`, delta: 'grüß ' },
      { type: 'response.output_text.delta', item_id: `msg_${nth}`, delta: 'Gott' },
      { type: 'response.output_item.done', item: message([{ type: 'output_text', text: 'grüß Gott' }]) },
      { type: 'response.completed', response: { id: `resp_${nth}`, usage: usage(10, 3, 2) } },
    ])
  })

  test('calls tools of the peripheral by the names that a model sees', async () => {
    const calls = ['docs.search', 'multi-edit'].map((tool) => ({ tool, args: { tool } }))
    const events = await eventsOf({ do: 'call', calls })
    const { nth } = model.asked.at(-1) ?? expect.fail()
    const call = (at: number, name: string, tool: string) => ({
      type: 'response.output_item.done',
      item: {
        type: 'function_call',
        call_id: `call_${nth}_${at}`,
        name,
        namespace: 'mcp__bellhop',
        arguments: JSON.stringify({ tool }),
      },
    })
    expect(events.slice(1)).toEqual([
      call(1, 'docs_search', 'docs.search'),
      call(2, 'multi_edit', 'multi-edit'),
      { type: 'response.completed', response: { id: `resp_${nth}`, usage: usage(100, 0, 20) } },
    ])
  })

  test('sends an item as it is', async () => {
    const item = { type: 'local_shell_call', call_id: 'c', action: { command: ['id'] } }
    expect((await eventsOf({ do: 'raw', item }))[1]).toEqual({ type: 'response.output_item.done', item })
  })

  test('fails with a status, headers and a body', async () => {
    model.play(() => ({ do: 'fail', status: 429, body: { error: { code: 'slow' } }, headers: { 'retry-after': '2' } }))
    const response = await ask({ model: 'gpt-5.5', input: [] })
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      429,
      '2',
      { error: { code: 'slow' } },
    ])
  })

  test('breaks off after it has begun', async () => {
    model.play(() => ({ do: 'cut', text: 'Let me' }))
    const response = await ask({ model: 'gpt-5.5', input: [] })
    await expect(response.text()).rejects.toThrow()
  })

  test('hangs until whoever asked hangs up, after a few words or before them', async () => {
    model.play(() => ({ do: 'hang', text: 'Let me' }))
    const response = await ask({ model: 'gpt-5.5', input: [] })
    const reader = response.body?.getReader() ?? expect.fail()
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('response.created')
    await reader.cancel()
    const before = model.asked.length
    model.play(() => ({ do: 'hang' }))
    const patience = new AbortController()
    const asked = fetch(`${model.url}/responses`, { method: 'POST', body: '{"input":[]}', signal: patience.signal })
    await expect.poll(() => model.asked.length).toBe(before + 1)
    patience.abort()
    await expect(asked).rejects.toThrow()
  })
})

test('a script that fails, and what nobody asks a model for, end nothing', async () => {
  model.play(() => {
    throw new Error('forgot my lines')
  })
  const failed = await ask({ model: 'gpt-5.5', input: [] })
  expect([failed.status, await failed.json()]).toEqual([500, { error: { message: 'forgot my lines' } }])
  expect((await ask({}, '/models')).status).toBe(404)
  expect((await fetch(`${model.url}/responses`)).status).toBe(404)
})

describe('what was asked', () => {
  const tool = (name: string) => ({ type: 'function', name })
  const text = (role: string, said: string) => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text: said }],
  })
  const output = (...texts: string[]) => ({
    type: 'function_call_output',
    call_id: 'c',
    output: texts.map((said) => ({ type: 'input_text', text: said })),
  })

  test('is read from a request with a list of tools', async () => {
    model.play(() => ({ do: 'say', text: 'done' }))
    const body = {
      model: 'gpt-5.5',
      tools: [
        tool('list_mcp_resources'),
        { type: 'namespace', name: 'mcp__bellhop', tools: [tool('read')] },
        { type: 'web_search' },
      ],
      input: [
        text('developer', 'You are codex-1.'),
        text('user', 'ada says: read'),
        { type: 'function_call', call_id: 'c', name: 'read' },
        output('Wall time: 0.0045 seconds\nOutput:', 'one line'),
        text('user', 'ada says: and more'),
      ],
    }
    await (await ask(body)).text()
    expect(model.asked.at(-1)).toEqual({
      nth: model.asked.length,
      model: 'gpt-5.5',
      tools: ['list_mcp_resources', 'mcp__bellhop.read', 'web_search'],
      instructions: 'You are codex-1.',
      texts: ['ada says: read', 'one line', 'ada says: and more'],
      result: 'one line',
      body,
    })
  })

  test('is read from a request that has its tools among what is said', async () => {
    const body = {
      model: 'gpt-6-sol',
      instructions: 'Be brief.',
      input: [
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [
            { type: 'namespace', name: 'functions', tools: [tool('read_mcp_resource')] },
            { type: 'namespace', name: 'mcp__bellhop', tools: [tool('read'), tool('hop')] },
          ],
        },
        text('developer', 'You are codex-1.'),
        text('user', 'hello'),
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
        text('user', 'and now?'),
      ],
    }
    await (await ask(body)).text()
    expect(model.asked.at(-1)).toEqual({
      nth: model.asked.length,
      model: 'gpt-6-sol',
      tools: ['read_mcp_resource', 'mcp__bellhop.read', 'mcp__bellhop.hop'],
      instructions: 'Be brief.\n\nYou are codex-1.',
      texts: ['hello', 'and now?'],
      result: null,
      body,
    })
  })
})
