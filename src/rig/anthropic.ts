import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import { nameInProgram } from '../runners/claude/names.ts'
import { listen } from './loopback.ts'
import { type Asked, inPieces, type Move, type Script, type StubModel } from './script.ts'

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
  stream: z.boolean().default(false),
  max_tokens: z.number().optional(),
})
type Request = z.infer<typeof Request>

/** A model on the loopback that speaks the Messages API of Anthropic, as far as the program `claude` asks for it. */
export const startAnthropic = async (script: Script): Promise<StubModel> => {
  const asked: Asked[] = []
  let playing = script

  const message = async (request: Request, response: ServerResponse): Promise<void> => {
    const { model, stream } = request
    // One token is asked for to see whether there is such a model: that is no turn of anybody's.
    if (request.max_tokens === 1) return json(response, 200, whole({ do: 'say', text: 'H' }, { model, nth: 0 }))
    const seen = askedOf(request, asked.length + 1)
    asked.push(seen)
    await perform(await playing(seen), { response, stream, model, nth: seen.nth })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback')
    const body = request.method === 'POST' ? Request.safeParse(parseJson(await textOf(request))).data : undefined
    if (body && pathname === '/v1/messages') return message(body, response)
    if (body && pathname === '/v1/messages/count_tokens') return json(response, 200, { input_tokens: USAGE.input })
    json(response, 404, complaint('not_found_error', 'there is nothing here'))
  }

  const { url, close } = await listen((request, response) => {
    // A script that fails, and whoever hangs up in the middle, end what they are in and nothing else.
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else json(response, 500, complaint('api_error', error.message))
    })
  })
  return {
    url,
    asked,
    play: (next) => {
      playing = next
    },
    close,
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

/** Who is answered: with a stream, or at once; and as which model. */
type Stage = { response: ServerResponse; stream: boolean; model: string; nth: number }

const perform = async (move: Move, stage: Stage): Promise<void> => {
  const { response, stream } = stage
  if (move.do === 'fail') {
    const body = move.body ?? complaint(ERRORS[move.status] ?? 'api_error', `status ${move.status}`)
    return json(response, move.status, body, move.headers)
  }
  if (move.do === 'hang') return move.text === undefined ? undefined : beginning(move.text, stage)
  if (move.do === 'cut') return cut(move.text, stage)
  return stream ? speak(move, stage) : json(response, 200, whole(move, stage))
}

const cut = async (text: string | undefined, stage: Stage): Promise<void> => {
  if (text !== undefined) await beginning(text, stage)
  else begin(stage, USAGE)
  // What was written before is to be heard.
  await new Promise((resolve) => stage.response.write('\n', resolve))
  await setTimeout(CUT_MS)
  stage.response.destroy()
}

const CUT_MS = 20

const beginning = async (text: string, stage: Stage): Promise<void> => {
  begin(stage, USAGE)
  await block({ type: 'text', text }, 0, stage.response)
}

type Speech = Extract<Move, { do: 'say' | 'call' | 'raw' }>
type Item = Record<string, unknown>
type Pace = { pieces?: number; everyMs?: number }

const speak = async (move: Speech, stage: Stage): Promise<void> => {
  const { response, nth } = stage
  const taken = move.usage ?? USAGE
  const pace: Pace = move.do === 'say' ? move : {}
  begin(stage, taken)
  for (const [index, item] of itemsOf(move, nth).entries()) {
    await block(item, index, response, pace)
    send(response, { type: 'content_block_stop', index })
  }
  const delta = { stop_reason: stopOf(move), stop_sequence: null }
  send(response, { type: 'message_delta', delta, usage: { output_tokens: taken.output } })
  send(response, { type: 'message_stop' })
  response.end()
}

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

const stopOf = (move: Speech): string =>
  move.do === 'call' || (move.do === 'raw' && move.item['type'] === 'tool_use') ? 'tool_use' : 'end_turn'

/** What a request took where a move does not say. */
const USAGE = { input: 100, cached: 0, output: 20 }

const usageOf = ({ input, cached }: typeof USAGE, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
  output_tokens: output,
})

/** A message that is not streamed. */
const whole = (move: Speech, { model, nth }: Pick<Stage, 'model' | 'nth'>) => ({
  ...head(model, nth),
  content: itemsOf(move, nth),
  stop_reason: stopOf(move),
  usage: usageOf(move.usage ?? USAGE, move.usage?.output ?? USAGE.output),
})

const head = (model: string, nth: number) => ({ id: `msg_${nth}`, type: 'message', role: 'assistant', model })

const begin = ({ response, nth, model }: Stage, taken: typeof USAGE): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${nth}` })
  const message = { ...head(model, nth), content: [], stop_reason: null, usage: usageOf(taken, 1) }
  send(response, { type: 'message_start', message })
}

/** A block, in pieces: a text comes as text, and arguments as the text of their JSON. */
const block = async (item: Item, index: number, response: ServerResponse, pace: Pace = {}): Promise<void> => {
  const { text, input, ...rest } = item
  const isText = typeof text === 'string'
  const empty = { ...rest, ...(isText ? { text: '' } : { input: {} }) }
  send(response, { type: 'content_block_start', index, content_block: empty })
  for (const piece of inPieces(isText ? text : JSON.stringify(input ?? {}), pace.pieces ?? 1)) {
    if (response.destroyed) return
    const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece }
    send(response, { type: 'content_block_delta', index, delta })
    if (pace.everyMs) await setTimeout(pace.everyMs)
  }
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
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
