import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { nameInProgram } from '../runners/claude/names.ts'
import type { Asked, Move, Script, StubModel } from './script.ts'

/** What of a request is looked at. Content is a text or blocks of it, and so are the system prompt and what a tool answered. */
const Block = z.looseObject({
  type: z.string().optional(),
  text: z.string().optional(),
  content: z.unknown().optional(),
})
const Content = z.union([z.string(), z.array(Block)])
const Request = z.looseObject({
  model: z.string(),
  system: Content.optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z.array(z.looseObject({ name: z.string().optional(), type: z.string().optional() })).default([]),
})
type Request = z.infer<typeof Request>

type Speech = Extract<Move, { do: 'say' | 'call' | 'raw' }>

/** A model on the loopback that speaks the Messages API of Anthropic, as far as the program `claude` asks for it. */
export const startAnthropic = async (script: Script): Promise<StubModel> => {
  const asked: Asked[] = []
  let playing = script

  const message = async (request: Request, response: ServerResponse): Promise<void> => {
    const seen = askedOf(request, asked.length + 1)
    asked.push(seen)
    await perform(await playing(seen), { response, nth: seen.nth, model: seen.model })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback')
    const body = request.method === 'POST' ? parsed(await textOf(request)) : null
    if (!body) return json(response, 404, complaint('not_found_error', 'there is nothing here'))
    if (pathname === '/v1/messages/count_tokens') return json(response, 200, { input_tokens: USAGE.input })
    if (pathname !== '/v1/messages') return json(response, 404, complaint('not_found_error', 'there is nothing here'))
    await message(body, response)
  }

  const server = createServer((request, response) => {
    // A script that fails, and whoever hangs up in the middle, end what they are in and nothing else.
    answer(request, response).catch((error: Error) => {
      if (!response.headersSent) json(response, 500, complaint('api_error', error.message))
      else response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    play: (next) => {
      playing = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const USAGE = { input: 100, cached: 0, output: 20 }

const parsed = (text: string): Request | null => {
  try {
    return Request.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const askedOf = (request: Request, nth: number): Asked => {
  const { model, system = '', messages, tools } = request
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(last + 1).flatMap(({ content }) => resultsIn(content))
  return {
    nth,
    model,
    tools: tools.map(({ name, type }) => name ?? type ?? ''),
    instructions: textsIn(system).join('\n'),
    texts: messages.filter(({ role }) => role !== 'assistant').flatMap(({ content }) => textsIn(content)),
    result: results.at(-1) ?? null,
    body: request,
  }
}

/** All texts of a content: also of those that stand in what a tool answered. */
const textsIn = (content: unknown): string[] => {
  if (typeof content === 'string') return [content]
  const blocks = z.array(Block).safeParse(content).data ?? []
  return blocks.flatMap(({ text, content: inner }) => (text === undefined ? textsIn(inner) : [text]))
}

const resultsIn = (content: z.infer<typeof Content>): string[] =>
  typeof content === 'string'
    ? []
    : content.filter(({ type }) => type === 'tool_result').map((block) => textsIn(block.content).join('\n'))

type Stage = { response: ServerResponse; nth: number; model: string }

const perform = async (move: Move, stage: Stage): Promise<void> => {
  const { response } = stage
  if (move.do === 'fail') {
    const body = move.body ?? complaint(ERRORS[move.status] ?? 'api_error', `status ${move.status}`)
    return json(response, move.status, body, move.headers)
  }
  if (move.do === 'hang' || move.do === 'cut') {
    if (move.do === 'cut' || move.text !== undefined) begin(stage, USAGE)
    if (move.text !== undefined) await block(response, 0, { type: 'text', text: move.text })
    if (move.do === 'cut') await cut(response)
    return
  }
  const taken = move.usage ?? USAGE
  begin(stage, taken)
  for (const [index, item] of itemsOf(move, stage.nth).entries()) {
    const pace = move.do === 'say' ? { pieces: move.pieces ?? 1, everyMs: move.everyMs ?? 0 } : undefined
    await block(response, index, item, pace)
    send(response, { type: 'content_block_stop', index })
  }
  const delta = { stop_reason: isCall(move) ? 'tool_use' : 'end_turn', stop_sequence: null }
  send(response, { type: 'message_delta', delta, usage: { output_tokens: taken.output } })
  send(response, { type: 'message_stop' })
  response.end()
}

/** Breaks the connection once what was written before is on its way: that is to be heard. */
const cut = async (response: ServerResponse): Promise<void> => {
  await new Promise((resolve) => response.write('\n', resolve))
  await setTimeout(CUT_MS)
  response.destroy()
}

const CUT_MS = 20

const isCall = (move: Speech): boolean => move.do === 'call' || (move.do === 'raw' && move.item['type'] === 'tool_use')

type Item = Record<string, unknown>

const itemsOf = (move: Speech, nth: number): Item[] => {
  if (move.do === 'say') return [{ type: 'text', text: move.text }]
  if (move.do === 'raw') return [{ id: `toolu_${nth}_raw`, ...move.item }]
  const said = move.say === undefined ? [] : [{ type: 'text', text: move.say }]
  const calls = move.calls.map(({ tool, args }, index) => ({
    type: 'tool_use',
    id: `toolu_${nth}_${index}`,
    name: nameInProgram(tool),
    input: args,
  }))
  return [...said, ...calls]
}

const begin = ({ response, nth, model }: Stage, { input, cached }: typeof USAGE): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${nth}` })
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  }
  const message = { id: `msg_${nth}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage }
  send(response, { type: 'message_start', message })
}

/** A block, in pieces: texts come as texts, and arguments as the text of their JSON. */
const block = async (
  response: ServerResponse,
  index: number,
  item: Item,
  { pieces, everyMs } = { pieces: 1, everyMs: 0 },
): Promise<void> => {
  const { text, input, ...rest } = item
  const isText = typeof text === 'string'
  send(response, {
    type: 'content_block_start',
    index,
    content_block: { ...rest, ...(isText ? { text: '' } : { input: {} }) },
  })
  for (const piece of cutUp(isText ? text : JSON.stringify(input ?? {}), pieces)) {
    const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece }
    send(response, { type: 'content_block_delta', index, delta })
    if (everyMs > 0) await setTimeout(everyMs)
    if (response.destroyed) return
  }
}

const cutUp = (text: string, pieces: number): string[] => {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size))
}

const send = (response: ServerResponse, event: { type: string } & Item): void => {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

const ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const complaint = (type: string, message: string) => ({ type: 'error', error: { type, message } })

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
