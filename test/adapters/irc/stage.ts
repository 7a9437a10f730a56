import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createIrc, type IrcSecrets } from '../../../adapters/irc/index.ts'
import type { Network } from '../../../src/chat/outlet.ts'
import type { Question } from '../../../src/chat/port.ts'
import { IrcConfig } from '../../../src/shapes/networks.ts'
import type { Post } from '../../../src/shapes/post.ts'
import { createScriptedHouse, type ScriptedHouse } from '../../chat-conformance/house.ts'
import { createLines, type ParsedLine, parseLine } from '../../fake-ircd/line.ts'
import { ircPerson, type Person } from '../../support/irc-person.ts'
import { eventually } from '../../support/poll.ts'

export const AGENT: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'agent', via: null }

/** A post, for tests to say what is different about it. */
export const POST: Post = {
  position: 1,
  id: 'e1',
  at: '2026-03-01T12:00:00.000Z',
  room: 'lobby',
  kind: 'answer',
  author: AGENT,
  text: '',
  session: null,
  turn: null,
  step: null,
  approval: null,
}

export const NO_SECRETS: IrcSecrets = {
  password: undefined,
  secret: undefined,
  agents: {},
  keys: {},
  ca: undefined,
  certificate: undefined,
}

/** A bot that waits for nothing longer than it must. */
const TIMING = {
  retry: { firstMs: 50, mostMs: 500 },
  rejoin: { firstMs: 50, mostMs: 500 },
  nickEveryMs: 200,
  confirmMs: 20_000,
}

type Options = {
  server: { host: string; port: number }
  config?: Partial<IrcConfig>
  secrets?: Partial<IrcSecrets>
}

export const configFor = ({ server, config }: Pick<Options, 'server' | 'config'>): IrcConfig =>
  IrcConfig.parse({
    kind: 'irc',
    host: server.host,
    port: server.port,
    tls: false,
    channels: { '#team': 'lobby' },
    flood: { burst: 20, perSecond: 50 },
    ...config,
  })

export type Bot = { house: ScriptedHouse; irc: Network; stop: () => Promise<void> } & AsyncDisposable

/** The adapter on a server, with a scripted house behind it; it is in its channels. */
export const startBot = async (options: Options): Promise<Bot> => {
  const bot = beginBot(options)
  await eventually('the bot to be in its channels', () => isIn(bot.house))
  return bot
}

/** The same, without waiting for anything. */
export const beginBot = ({ server, config, secrets }: Options): Bot => {
  const parsed = configFor({ server, ...(config && { config }) })
  const house = createScriptedHouse({ network: 'net', channels: parsed.channels })
  house.lookWith((question) => lookUp(house, question))
  const options = { config: parsed, secrets: { ...NO_SECRETS, ...secrets }, port: house.port, version: '1.2.3' }
  const irc = createIrc({ ...options, timing: TIMING })
  const over = new AbortController()
  const running = irc.run(over.signal)
  house.deliverBy(irc)
  const stop = async () => {
    over.abort()
    await Promise.all([running, house.close()])
  }
  return { house, irc, stop, [Symbol.asyncDispose]: stop }
}

/** Whether the last that was said of it is that it is in all of its channels. */
export const isIn = ({ states }: ScriptedHouse): boolean => {
  const last = states.at(-1)
  return last?.state === 'connected' && !last.detail.includes('NOT in')
}

/** `more`, as the house answers it. */
const lookUp = (house: ScriptedHouse, { name, input }: Question): unknown => {
  if (name !== 'more') return {}
  const { post, from, length } = input as { post: string; from: number; length: number }
  const text = house.posts.find(({ id }) => id === post)?.text ?? ''
  const line = text.lastIndexOf('\n', from + length - 1) + 1
  const end = text.length - from <= length ? text.length : line > from ? line : from + length
  return { text: text.slice(from, end), next: end < text.length ? end : null, total: text.length }
}

export type Wire = {
  host: string
  port: number
  /** Every line that went to the server, how many bytes it has, and whether its characters are whole. */
  sent: (ParsedLine & { bytes: number; isText: boolean })[]
  /** Ends what goes through it, and lets nothing through until it is mended. */
  cut: () => void
  mend: () => void
  close: () => Promise<void>
} & AsyncDisposable

/** A wire to a server that can be cut, and on which all that is said can be read. */
export const startWire = async (server: { host: string; port: number }): Promise<Wire> => {
  const open = new Set<Socket>()
  const sent: Wire['sent'] = []
  let isCut = false
  const listener = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(server.port, server.host)
    const read = createLines((line) =>
      sent.push({ ...parseLine(line.toString('utf8')), bytes: line.length, isText: isUtf8(line) }),
    )
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
    near.on('data', (bytes) => void read(bytes))
    return undefined
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  const close = async () => {
    cut()
    listener.close()
    await once(listener, 'close')
  }
  return {
    host: '127.0.0.1',
    port: (listener.address() as AddressInfo).port,
    sent,
    cut,
    mend: () => {
      isCut = false
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const OURS =
  /^(?:CAP|PASS|NICK|USER|AUTHENTICATE|PING|PONG|JOIN|PART|PRIVMSG|NOTICE|WHO|WHOIS|MODE|MONITOR|BATCH|PROTOCTL|QUIT)$/

/** What we never send: other commands than ours, lines that are too long, and halves of characters. */
export const offences = (sent: Wire['sent']): string[] =>
  sent
    .filter(({ command, raw, tags, bytes, isText }) => {
      const isLong = bytes > 510 && Object.keys(tags).length === 0
      return !OURS.test(command) || isLong || !isText || /[\r\n\0]/.test(raw)
    })
    .map(({ raw }) => raw)

/** Somebody who comes into the channel. */
export const comeTo = async (
  { host, port }: { host: string; port: number },
  nick: string,
  part: Partial<Parameters<typeof ircPerson>[0]> & { channel?: string } = {},
): Promise<Person> => {
  const { channel = '#team', ...rest } = part
  const person = await ircPerson({ host, port, nick, ...rest })
  await person.join(channel)
  return person
}
