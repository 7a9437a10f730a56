import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { WebSocket } from 'ws'
import { Problem } from '../lib/problem.ts'
import { RPC_BYTES } from '../shapes/rpc.ts'
import { addressOf, noInstance, type Shell } from './shell.ts'

type Flags = { url?: string; token?: string }
type Address = { url: string; token: string }

/** `bellhop app-server`: a running instance on standard input and output, a message a line, for editors to start. */
export const appServerCommand = (
  command: Command,
  { withFlags, settingsFrom }: Shell,
  own: () => string | null,
): void => {
  withFlags(command)
    .description('speak JSON-RPC on standard input and output, for editors: docs/app-server.md')
    .option('--url <url>', 'the address of the instance, where it is not the one of this data folder')
    .option('--token <token>', 'whose token to come with (BELLHOP_TOKEN; without one you are yourself, an admin)')
    .action(async (flags: Flags) => {
      const settings = settingsFrom(flags)
      const given = flags.token ?? own() ?? undefined
      const found = flags.url && given ? null : await addressOf(settings)
      const [url, token] = [flags.url ?? found?.url, given ?? found?.token]
      if (url === undefined || token === undefined) throw await noInstance(settings)
      await relay({ url, token }, process.stdin, process.stdout)
      // Standard input may stay open: nothing is read from it any more.
      process.exit()
    })
}

/** As much as may be under way to either side before the other is not read from. */
const UNREAD_BYTES = 1024 * 1024

/** Passes messages on, both ways, until the client has nothing more to say or the instance is gone. */
export const relay = async (address: Address, input: Readable, output: Writable): Promise<void> => {
  const socket = await connect(address)
  const tell = (line: string): void => {
    if (output.write(`${line}\n`) || socket.isPaused) return
    // Who does not read is not sent more: the instance cuts off whoever keeps that up.
    socket.pause()
    output.once('drain', () => socket.resume())
  }
  const last = lastOf(socket)
  socket.on('message', (data) => {
    const text = data.toString()
    if (!last.is(text)) tell(text)
  })
  const gone = new Promise<Problem>((resolve) => {
    socket.on('close', (code, reason) => resolve(wentAway(code, reason.toString())))
    socket.on('error', () => {})
  })
  const ended = forward(input, socket, tell).then(last.answered)
  const problem = await Promise.race([gone, ended])
  socket.terminate()
  if (problem) throw problem
}

/** Sends every line, one after the other; resolves when there are no more. */
const forward = async (input: Readable, socket: WebSocket, tell: (line: string) => void): Promise<void> => {
  for await (const line of linesOf(input)) {
    if (line === null) tell(TOO_LONG)
    else if (line.trim() !== '') await sent(socket, line)
  }
}

/** A last question of our own: messages are dealt with in their order, so once it is answered, all are. */
const lastOf = (socket: WebSocket) => {
  const id = `last-${randomUUID()}`
  let answered = (): void => {}
  return {
    is: (text: string): boolean => {
      const isIt = text.includes(id)
      if (isIt) answered()
      return isIt
    },
    answered: (): Promise<null> =>
      new Promise((resolve) => {
        answered = () => resolve(null)
        socket.send(JSON.stringify({ id, method: 'last' }))
      }),
  }
}

const sent = (socket: WebSocket, line: string): Promise<void> =>
  new Promise((resolve) => {
    socket.send(line, () => resolve())
    if (socket.bufferedAmount < UNREAD_BYTES) resolve()
  })

const TOO_LONG = JSON.stringify({
  id: null,
  error: { code: -32_600, message: `a message may have ${RPC_BYTES} bytes` },
})

/** Lines as they come; null for one that is too long to be a message, of which nothing is kept. */
async function* linesOf(input: Readable): AsyncGenerator<string | null> {
  const splitter = createSplitter()
  for await (const chunk of input) yield* splitter.take(chunk as Buffer)
  yield* splitter.rest()
}

const createSplitter = () => {
  let rest = Buffer.alloc(0)
  /** Whether the line that is being read was found to be too long already. */
  let skipping = false
  const ended = (line: Buffer): (string | null)[] => {
    const told = skipping
    skipping = false
    return told ? [] : [line.length > RPC_BYTES ? null : line.toString()]
  }
  return {
    take: (chunk: Buffer): (string | null)[] => {
      const lines: (string | null)[] = []
      rest = Buffer.concat([rest, chunk])
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        lines.push(...ended(rest.subarray(0, end)))
        rest = rest.subarray(end + 1)
      }
      if (rest.length <= RPC_BYTES) return lines
      if (!skipping) lines.push(null)
      skipping = true
      rest = Buffer.alloc(0)
      return lines
    },
    rest: (): (string | null)[] => (rest.length === 0 ? [] : ended(rest)),
  }
}

const NEWLINE = 10

const connect = ({ url, token }: Address): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const at = new URL('/rpc', url)
    at.protocol = at.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(at, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false })
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, { statusCode }) => reject(turnedAway(url, statusCode ?? 0)))
    socket.once('error', (error) => reject(unreachable(url, error.message)))
  })

const turnedAway = (url: string, status: number): Problem =>
  new Problem(
    `${url} did not let us in (${status})`,
    status === 401 ? 'give a token that holds with --token: `bellhop token mint` makes one' : 'look at its log',
  )

const unreachable = (url: string, why: string): Problem =>
  new Problem(`${url} cannot be reached: ${why}`, 'start it with `bellhop up`, or give another --url')

const wentAway = (code: number, reason: string): Problem =>
  new Problem(
    `the instance has ended the connection (${code}${reason && `, ${reason}`})`,
    'start it, and connect again',
  )
