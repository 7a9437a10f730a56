import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import { Id } from '../shapes/message.ts'
import { ACTION_LENGTH, WorldKind, WorldPlayer, WorldSeed } from '../shapes/world.ts'
import { begin, type Game, openingOf, play, stateOf } from './game.ts'

const Reset = z.strictObject({
  game: Id,
  kind: WorldKind.default('pick-and-place'),
  seed: WorldSeed.default(0),
})
const Step = z.strictObject({
  game: Id,
  player: WorldPlayer,
  action: z.string().max(ACTION_LENGTH),
  /** Which move of the game it is, from 1 on: one that was played before is answered as it was, and not played again. */
  n: z.int().positive().optional(),
})

/** How many games are kept, how many moves one may have, and how long a request may be. */
const GAMES = 200
export const MOVES = 1000
const BODY_BYTES = 8192

type Answer = { status: number; body: Record<string, unknown> }

/**
 * A text world over HTTP, on this machine alone: `/reset`, `/step` and `/state`. Nothing in it lasts: whoever plays keeps
 * the moves, and tells them again to a server that does not know them.
 */
export const startWorldServer = async ({ port = 0 } = {}): Promise<{ url: string; close: () => Promise<void> }> => {
  const games = createGames()
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) => {
    void answerTo(request, games)
      .catch((error: Error) => wrong(400, error.message))
      .then((answer) => send(response, answer))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const send = (response: ServerResponse, { status, body }: Answer): void => {
  // Whoever is turned away may still be sending: nothing more of it is read.
  response.shouldKeepAlive = status < 400
  response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
  response.end(JSON.stringify(body))
}

const wrong = (status: number, error: string, more: Record<string, unknown> = {}): Answer => ({
  status,
  body: { error, ...more },
})

/** The games, the one that was used last at the end; of too many, the first is forgotten. */
const createGames = () => {
  const games = new Map<string, Game>()
  return {
    get: (name: string): Game | undefined => games.get(name),
    set: (name: string, game: Game): Game => {
      games.delete(name)
      games.set(name, game)
      const [oldest] = games.keys()
      if (games.size > GAMES && oldest !== undefined) games.delete(oldest)
      return game
    },
  }
}
type Games = ReturnType<typeof createGames>

const answerTo = async (request: IncomingMessage, games: Games): Promise<Answer> => {
  const objection = objectionTo(request)
  if (objection !== null) return objection
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world')
  const asked = `${request.method} ${pathname}`
  if (asked === 'GET /state') return state(searchParams.get('game') ?? '', games)
  const posted = POSTS[asked]
  if (!posted) return wrong(404, 'there is POST /reset, POST /step and GET /state?game=')
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return wrong(415, 'send application/json')
  const text = await bodyOf(request)
  return text === null ? wrong(413, `send at most ${BODY_BYTES} bytes`) : posted(parseJson(text), games)
}

/** Only this machine's own programs are answered: no page of a browser, and no name that was bound to this address. */
const objectionTo = ({ headers }: IncomingMessage): Answer | null => {
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  if (!LOCAL.has(name)) return wrong(403, 'this server answers to 127.0.0.1 and localhost alone')
  return headers.origin === undefined ? null : wrong(403, 'pages of a browser are not answered')
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

const bodyOf = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const state = (name: string, games: Games): Answer => {
  const game = games.get(name)
  return game ? { status: 200, body: { game: name, ...stateOf(game) } } : unknown(name)
}

const unknown = (name: string): Answer => wrong(404, `there is no game ${name.slice(0, 100)}: POST /reset begins one`)

const reset = (sent: unknown, games: Games): Answer => {
  const asked = Reset.safeParse(sent)
  if (!asked.success) return wrong(400, z.prettifyError(asked.error))
  const { game: name, kind, seed } = asked.data
  const game = games.set(name, begin(kind, seed))
  const { task, moves, score, done } = stateOf(game)
  return { status: 200, body: { game: name, kind, seed, task, moves, score, done, observation: openingOf(game) } }
}

const step = (sent: unknown, games: Games): Answer => {
  const asked = Step.safeParse(sent)
  if (!asked.success) return wrong(400, z.prettifyError(asked.error))
  const { game: name, player, action } = asked.data
  const game = games.get(name)
  if (!game) return unknown(name)
  const { length } = game.moves
  const n = asked.data.n ?? length + 1
  const before = game.moves[n - 1]
  if (before) {
    const same = before.player === player && before.action === action
    return same ? stepped(name, n, before.saw) : wrong(409, `move ${n} was another one`, { moves: null })
  }
  if (n > length + 1) return wrong(409, `move ${length + 1} comes first`, { moves: length })
  if (length >= MOVES) return wrong(400, `a game has at most ${MOVES} moves`)
  const after = games.set(name, play(game, { player, action }))
  const saw = after.moves.at(-1)?.saw
  return saw ? stepped(name, n, saw) : wrong(500, 'nothing came of it')
}

const stepped = (game: string, n: number, saw: Record<string, unknown>): Answer => ({
  status: 200,
  body: { game, n, ...saw },
})

const POSTS: Record<string, (sent: unknown, games: Games) => Answer> = { 'POST /reset': reset, 'POST /step': step }
