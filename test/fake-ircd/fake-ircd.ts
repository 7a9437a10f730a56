import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Client, prefixOf, send } from './client.ts'
import { type Ircd, obey, witnesses } from './commands.ts'
import { createLines, type ParsedLine, parseLine } from './line.ts'
import type { Limits } from './multiline.ts'

type Options = {
  /** What it offers: all that it knows, if not said. */
  caps?: string[]
  /** How many bytes a line may have, its end included. Where it is said, the server says so, too (LINELEN). */
  lineLength?: number
  nickLength?: number
  /** Of one message in several lines. */
  multiline?: Limits
  /** How many lines may come at once, and how many more every second. Who says more is thrown out. */
  flood?: { lines: number; perSecond: number }
  /** The passwords of accounts, for SASL PLAIN. */
  accounts?: Record<string, string>
  /** Says what it offers in two lines, as servers do that offer much. */
  splitCaps?: boolean
  /** What others see of where a client is: part of the prefix of everything that it says. */
  userHost?: string
}

export type FakeIrcd = {
  host: string
  port: number
  /** Everything that clients have sent, in order; the nick is the sender's. */
  received: ParsedLine[]
  /** Sends to one, or to all, whatever it is: a text is a line, and bytes are just these. */
  send: (line: string | Buffer, nick?: string) => void
  /** From now on does not take what this is in, and says so in two lines; null for nothing. */
  refuse: (text: RegExp | null) => void
  /** There is no such channel any more, and nobody is told. */
  forget: (channel: string) => void
  /** Ends the connection of one, or of all, without a word. */
  drop: (nick?: string) => void
  close: () => Promise<void>
} & AsyncDisposable

const CAPS =
  'account-tag batch cap-notify draft/multiline echo-message labeled-response message-tags sasl server-time standard-replies'

/** A server for what no real one at hand has: `await using ircd = await startFakeIrcd()`. */
export const startFakeIrcd = async (options: Options = {}): Promise<FakeIrcd> => {
  const { lineLength = 512, nickLength = 30, userHost = 'users.fake' } = options
  const ircd = createIrcd(options, nickLength)
  const received: ParsedLine[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    const client = createClient(socket, { lineLength, host: userHost })
    const isFlood = createBucket(options.flood)
    ircd.clients.add(client)
    sockets.add(socket)
    const feed = createLines((bytes) => {
      if (client.socket.writableEnded) return
      if (isTooLong(bytes, lineLength)) return ircd.bye(client, 'Request too long')
      const line = { ...parseLine(bytes.toString('utf8')), nick: client.nick }
      received.push(line)
      // A message of several lines is one, however many lines it has.
      const isPart = client.batches.has(line.tags['batch'] ?? '')
      if (client.isRegistered && !isPart && isFlood()) return ircd.bye(client, 'Excess Flood')
      obey(ircd, client, line)
    })
    socket.on('data', (bytes) => {
      if (feed(bytes) > MOST_TAGS + lineLength) ircd.bye(client, 'Request too long')
    })
    socket.on('error', () => {}) // a reset is an end like any other
    socket.on('close', () => {
      sockets.delete(socket)
      leave(ircd, client, 'Connection closed')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const meant = (nick?: string) => [...ircd.clients].filter((client) => nick === undefined || client.nick === nick)
  const drop = (nick?: string) => {
    for (const { socket } of meant(nick)) socket.destroy()
  }
  const close = async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    received,
    send: (line, nick) => {
      for (const { socket } of meant(nick)) socket.write(typeof line === 'string' ? `${line}\r\n` : line)
    },
    refuse: (text) => {
      ircd.refused = text
    },
    forget: (channel) => void ircd.channels.delete(channel),
    drop,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What the tags of a line may have, which do not count as part of it. */
const MOST_TAGS = 4096

const isTooLong = (bytes: Buffer, lineLength: number): boolean => {
  const tags = bytes[0] === 64 ? bytes.indexOf(' ') + 1 : 0
  return tags > MOST_TAGS || bytes.length - tags + 2 > lineLength
}

const createIrcd = (options: Options, nickLength: number): Ircd => {
  const { caps = CAPS.split(' '), lineLength, accounts = {}, splitCaps = false } = options
  const { multiline = { maxBytes: 4096, maxLines: 24 } } = options
  const values: Record<string, string> = {
    sasl: 'PLAIN',
    'draft/multiline': `max-bytes=${multiline.maxBytes},max-lines=${multiline.maxLines}`,
  }
  let given = 0
  const ircd: Ircd = {
    clients: new Set(),
    channels: new Map(),
    caps: Object.fromEntries(caps.map((name) => [name, values[name] ?? ''])),
    supports: [
      ...'BOT=B CASEMAPPING=ascii CHANTYPES=# MAXTARGETS=1 NETWORK=fake PREFIX=(ov)@+ WHOX'.split(' '),
      `NICKLEN=${nickLength}`,
      ...(lineLength === undefined ? [] : [`LINELEN=${lineLength}`]),
    ],
    nickLength,
    limits: multiline,
    accounts,
    splitsCaps: splitCaps,
    refused: null,
    next: () => ++given,
    bye: (client, reason) => {
      leave(ircd, client, reason)
      send(client, `ERROR :${reason}`)
      client.socket.end()
    },
  }
  return ircd
}

const createClient = (socket: Socket, part: Pick<Client, 'lineLength' | 'host'>): Client => ({
  ...part,
  socket,
  nick: null,
  user: null,
  account: null,
  caps: new Set(),
  isNegotiating: false,
  isRegistered: false,
  batches: new Map(),
  held: null,
})

const leave = (ircd: Ircd, client: Client, reason: string): void => {
  if (!ircd.clients.delete(client)) return
  const others = [...witnesses(ircd, client)].filter((other) => other !== client)
  for (const members of ircd.channels.values()) members.delete(client)
  for (const other of others) send(other, `${prefixOf(client)} QUIT :${reason}`)
}

/** Whether one line more is too much. */
const createBucket = (flood: Options['flood']): (() => boolean) => {
  if (!flood) return () => false
  let left = flood.lines
  let since = Date.now()
  return () => {
    const now = Date.now()
    left = Math.min(flood.lines, left + ((now - since) / 1000) * flood.perSecond) - 1
    since = now
    return left < 0
  }
}
