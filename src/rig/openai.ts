import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { parseJson } from '../lib/parse-json.ts'
import { NAMESPACE, nameInModel } from '../runners/codex/names.ts'
import { listen } from './loopback.ts'
import { readAsked } from './openai-asked.ts'
import { type Asked, inPieces, type Move, type Script, type StubModel } from './script.ts'

/** What a request takes where a move does not say. */
const USAGE = { input: 100, cached: 0, output: 20 }

/** A model on the loopback, behind the API that `codex` speaks: `POST /v1/responses`, answered as a stream of events. */
export const startOpenai = async (script: Script): Promise<StubModel> => {
  const asked: Asked[] = []
  let playing = script
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = parseJson(await textOf(request))
    const isAsked = request.method === 'POST' && request.url === '/v1/responses' && body !== undefined
    if (!isAsked) return fail(response, { status: 404, body: complaint('there is nothing here') })
    const now = readAsked(body, asked.length + 1)
    asked.push(now)
    await make(await playing(now), response, now.nth)
  }

  const { url, close } = await listen((request, response) => {
    // A script that fails, and whoever hangs up in the middle, end what they are in and nothing else.
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else fail(response, { status: 500, body: complaint(error.message) })
    })
  })
  return {
    url: `${url}/v1`,
    asked,
    play: (next) => {
      playing = next
    },
    close,
  }
}

const complaint = (message: string) => ({ error: { message } })

const make = async (move: Move, response: ServerResponse, nth: number): Promise<void> => {
  if (move.do === 'fail') return fail(response, move)
  if (move.do === 'hang' && move.text === undefined) return
  const stream = streamTo(response, nth)
  if (move.do === 'hang' || move.do === 'cut') {
    await stream.begin(move.text ?? '', 1, 0)
    // What was said has gone out before the connection breaks.
    if (move.do === 'cut') response.write('\n', () => response.destroy())
    return
  }
  await speak(move, stream, nth)
  stream.complete(move.usage ?? USAGE)
}

type Spoken = Extract<Move, { do: 'say' | 'call' | 'raw' }>

const speak = async (move: Spoken, stream: ReturnType<typeof streamTo>, nth: number): Promise<void> => {
  if (move.do === 'raw') return stream.done(move.item)
  if (move.do === 'say') return stream.say(move.text, move.pieces ?? 1, move.everyMs ?? 0)
  if (move.say !== undefined) await stream.say(move.say, 1, 0)
  for (const [at, call] of move.calls.entries()) stream.done(callItem(call, `${nth}_${at + 1}`))
}

const fail = (response: ServerResponse, { status, body, headers }: Omit<Extract<Move, { do: 'fail' }>, 'do'>): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? complaint(`status ${status}`)))
}

/** An answer, event by event. */
const streamTo = (response: ServerResponse, nth: number) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (event: { type: string } & Record<string, unknown>): void => {
    if (response.writable) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  send({ type: 'response.created', response: { id: `resp_${nth}` } })
  const id = `msg_${nth}`
  const message = (content: object[]) => ({ type: 'message', role: 'assistant', id, content })
  const done = (item: object): void => send({ type: 'response.output_item.done', item })
  const begin = async (text: string, pieces: number, everyMs: number): Promise<void> => {
    send({ type: 'response.output_item.added', item: message([]) })
    for (const delta of inPieces(text, pieces)) {
      if (everyMs > 0) await setTimeout(everyMs)
      send({ type: 'response.output_text.delta', item_id: id, delta })
    }
  }
  return {
    begin,
    done,
    say: async (text: string, pieces: number, everyMs: number): Promise<void> => {
      await begin(text, pieces, everyMs)
      done(message([{ type: 'output_text', text }]))
    },
    complete: ({ input, cached, output }: typeof USAGE): void => {
      // What was in the cache is a part of the input here.
      const usage = {
        input_tokens: input + cached,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + cached + output,
      }
      send({ type: 'response.completed', response: { id: `resp_${nth}`, usage } })
      response.end()
    },
  }
}

const callItem = ({ tool, args }: { tool: string; args: Record<string, unknown> }, id: string) => ({
  type: 'function_call',
  call_id: `call_${id}`,
  name: nameInModel(tool),
  namespace: NAMESPACE,
  arguments: JSON.stringify(args),
})
