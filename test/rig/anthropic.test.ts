import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { inOrder, type Move, type StubModel } from '../../src/rig/script.ts'

let model: StubModel

beforeAll(async () => {
  model = await startAnthropic(() => ({ do: 'say', text: 'done' }))
})

afterAll(() => model.close())

const REQUEST = {
  model: 'claude-sonnet-4-6',
  stream: true,
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'hello' }],
}

const ask = (more: object = {}, path = '/v1/messages?beta=true'): Promise<Response> =>
  fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify({ ...REQUEST, ...more }) })

type Event = { type: string; [key: string]: unknown }

/** The events of a stream, as far as it goes. */
const eventsOf = (text: string): Event[] =>
  text
    .split('\n\n')
    .flatMap((part) => part.split('\ndata: ').slice(1))
    .map((data) => JSON.parse(data) as Event)

const askFor = async (move: Move): Promise<Event[]> => {
  model.play(() => move)
  return eventsOf(await (await ask()).text())
}

test('it says something piece by piece, and what that took', async () => {
  const usage = { input: 1000, cached: 400, output: 30 }
  const [start, ...events] = await askFor({ do: 'say', text: 'hello', pieces: 2, everyMs: 1, usage })
  expect(start?.['message']).toMatchObject({
    model: 'claude-sonnet-4-6',
    usage: { input_tokens: 1000, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 1 },
  })
  expect(events).toEqual([
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 30 },
    },
    { type: 'message_stop' },
  ])
})

test('it calls tools together, by the names that the program has for them', async () => {
  const calls = [
    { tool: 'docs.search', args: { query: 'walls' } },
    { tool: 'read', args: {} },
  ]
  const events = await askFor({ do: 'call', say: 'Let me look.', calls })
  const { nth } = model.asked.at(-1) ?? expect.fail()
  const blocks = events.filter(({ type }) => type === 'content_block_start').map((event) => event['content_block'])
  expect(blocks).toEqual([
    { type: 'text', text: '' },
    { type: 'tool_use', id: `toolu_${nth}_0`, name: 'mcp__bellhop__docs_search', input: {} },
    { type: 'tool_use', id: `toolu_${nth}_1`, name: 'mcp__bellhop__read', input: {} },
  ])
  const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta)
  expect(deltas.slice(1)).toEqual([
    { type: 'input_json_delta', partial_json: '{"query":"walls"}' },
    { type: 'input_json_delta', partial_json: '{}' },
  ])
  expect(events.at(-2)?.['delta']).toMatchObject({ stop_reason: 'tool_use' })
})

test('it calls what it is told by a name that is sent as it is', async () => {
  const events = await askFor({
    do: 'raw',
    item: { type: 'tool_use', id: 'x', name: 'Bash', input: { command: 'ls' } },
  })
  expect(events[1]?.['content_block']).toEqual({ type: 'tool_use', id: 'x', name: 'Bash', input: {} })
  expect(events[2]?.['delta']).toEqual({ type: 'input_json_delta', partial_json: '{"command":"ls"}' })
})

test('it answers with a status, a body and headers', async () => {
  model.play(
    inOrder(
      { do: 'fail', status: 429, headers: { 'retry-after': '7' } },
      { do: 'fail', status: 503, body: 'upstream' },
    ),
  )
  const [first, second] = [await ask(), await ask()]
  expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([
    429,
    '7',
    { type: 'error', error: { type: 'rate_limit_error', message: 'status 429' } },
  ])
  expect([second.status, await second.text()]).toEqual([503, 'upstream'])
})

test('it begins to answer and hangs, or says not even that; and breaks off', async () => {
  const until = async (move: Move): Promise<string> => {
    model.play(() => move)
    const response = await fetch(`${model.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(REQUEST),
      signal: AbortSignal.timeout(200),
    }).catch((error: Error) => error.name)
    if (typeof response === 'string') return response
    let heard = ''
    try {
      for await (const chunk of response.body ?? []) heard += Buffer.from(chunk)
    } catch (error) {
      return `${eventsOf(heard).length} events, then ${(error as Error).name}`
    }
    return `${eventsOf(heard).length} events`
  }
  expect([
    await until({ do: 'hang' }),
    await until({ do: 'hang', text: 'I think' }),
    await until({ do: 'cut', text: 'I think' }),
    await until({ do: 'cut' }),
  ]).toEqual(['TimeoutError', '3 events, then TimeoutError', '3 events, then TypeError', '1 events, then TypeError'])
})

test('it remembers what it was asked: tools, instructions, what was said, and what the call before it answered', async () => {
  model.play(() => ({ do: 'say', text: 'done' }))
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'mcp__bellhop__read', input: {} }] }
  const result = { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'one line' }] }
  await (
    await ask({
      system: [
        { type: 'text', text: 'You are claude-1.' },
        { type: 'text', text: 'Be kind.' },
      ],
      tools: [{ name: 'mcp__bellhop__read' }, { type: 'web_search_20250305', name: 'web_search' }],
      messages: [
        { role: 'user', content: 'hello' },
        call,
        { role: 'user', content: [result, { type: 'text', text: 'and this' }] },
        { role: 'system', content: [{ type: 'text', text: 'by the way' }] },
      ],
    })
  ).text()
  const { body: _body, nth, ...asked } = model.asked.at(-1) ?? expect.fail()
  expect(nth).toBe(model.asked.length)
  expect(asked).toEqual({
    model: 'claude-sonnet-4-6',
    tools: ['mcp__bellhop__read', 'web_search'],
    instructions: 'You are claude-1.\nBe kind.',
    texts: ['hello', 'one line', 'and this', 'by the way'],
    result: 'one line',
  })
  await (await ask({ messages: [...REQUEST.messages, call, { role: 'user', content: 'stop' }] })).text()
  expect(model.asked.at(-1)?.result).toBeNull()
})

test('it answers at once where no stream is asked for, and whoever only looks whether it is there asks nothing', async () => {
  model.play(() => ({ do: 'say', text: 'done', usage: { input: 10, cached: 5, output: 2 } }))
  const before = model.asked.length
  expect(await (await ask({ stream: false })).json()).toMatchObject({
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 2 },
  })
  expect((await ask({ stream: false, max_tokens: 1 })).status).toBe(200)
  expect(await (await ask({}, '/v1/messages/count_tokens')).json()).toEqual({ input_tokens: 100 })
  expect(model.asked.length - before).toBe(1)
})

test('it knows nothing else, and a script that fails is an error of the model', async () => {
  model.play(() => {
    throw new Error('a bug in the script')
  })
  const failed = await ask()
  const error = { type: 'error', error: { type: 'api_error', message: 'a bug in the script' } }
  expect([failed.status, await failed.json()]).toEqual([500, error])
  const others = [await ask({}, '/v1/complete'), await ask({ messages: 1 }), await fetch(model.url)]
  expect(others.map(({ status }) => status)).toEqual([404, 404, 404])
})
