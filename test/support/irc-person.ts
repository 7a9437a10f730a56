import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createLines, type ParsedLine, parseLine } from '../fake-ircd/line.ts'
import { eventually } from './poll.ts'

type Options = {
  host: string
  port: number
  nick: string
  /** The server's own certificate, and the one that we show it. */
  tls?: { ca: string; cert?: string; key?: string }
  /** With a password the account is shown by SASL PLAIN, without one by the certificate (SASL EXTERNAL). */
  account?: string
  password?: string
  /** What the server itself wants to hear (PASS). */
  pass?: string
  /** What is asked for of what the server offers. Nothing, if not said. */
  caps?: string[]
}

/** What somebody said: servers are nobody. */
type Heard = { nick: string; kind: 'PRIVMSG' | 'NOTICE'; target: string; text: string }

/** A person on IRC, with a client that does what it is told and no more: it neither splits, escapes nor rejoins. */
export type Person = {
  /** The nick as it is now. */
  readonly nick: string
  /** Every line that has come, oldest first. */
  readonly lines: readonly ParsedLine[]
  /** What the server offered (CAP LS) and what it granted (CAP ACK). */
  readonly offered: Record<string, string>
  readonly granted: readonly string[]
  /** What the server says of itself (005). */
  readonly supports: Record<string, string>
  /** Whether the connection has ended, from whichever side. */
  readonly gone: boolean
  raw: (line: string | Buffer) => void
  say: (target: string, text: string) => void
  notice: (target: string, text: string) => void
  /** Comes in and waits until the server has said who is there; fails with what the server has against it. */
  join: (channel: string) => Promise<void>
  kick: (channel: string, nick: string, reason?: string) => void
  ban: (channel: string, mask: string) => void
  mode: (channel: string, modes: string) => void
  /** All that was said, or only what was said to a channel or a nick. */
  heard: (target?: string) => Heard[]
  /** Waits for a line that is meant, among those that have come (since the line of that number) and those that will. */
  until: (isMeant: (line: ParsedLine) => boolean, what: string, since?: number) => Promise<ParsedLine>
  /** Leaves, and waits for the server to have noticed. */
  quit: (ms?: number) => Promise<void>
  /** Ends the connection without a word. */
  cut: () => void
} & AsyncDisposable

/** Comes onto a server; resolves once it is registered and the server has said all that it says to a new client. */
export const ircPerson = async (options: Options): Promise<Person> => {
  const socket = await openSocket(options)
  const lines: ParsedLine[] = []
  let { nick } = options
  const raw = (line: string | Buffer) => {
    if (socket.writable) socket.write(Buffer.concat([Buffer.from(line as string), Buffer.from('\r\n')]))
  }
  const take = (line: ParsedLine) => {
    lines.push(line)
    const [first = ''] = line.params
    if (line.command === 'PING') raw(`PONG :${first}`)
    if (line.command === '001' || (line.command === 'NICK' && line.nick === nick)) nick = first
  }
  socket.on(
    'data',
    createLines((bytes) => take(parseLine(bytes.toString('utf8')))),
  )
  const until: Person['until'] = (isMeant, what, since = 0) =>
    eventually(what, () => {
      const line = lines.slice(since).find(isMeant)
      if (line === undefined && socket.destroyed)
        throw new Error(`${nick} is gone before ${what}: ${lines.at(-1)?.raw}`)
      return line
    })
  const quit = async (ms?: number) => {
    raw('QUIT :bye')
    await eventually(`the server to let ${nick} go`, () => socket.destroyed, ms)
  }
  const person: Person = {
    get nick() {
      return nick
    },
    get gone() {
      return socket.destroyed
    },
    get offered() {
      return pairs(lines.flatMap(capsOf('LS')))
    },
    get granted() {
      return lines.flatMap(capsOf('ACK'))
    },
    get supports() {
      return pairs(lines.flatMap(({ command, params }) => (command === '005' ? params.slice(1, -1) : [])))
    },
    lines,
    raw,
    say: (target, text) => raw(`PRIVMSG ${target} :${text}`),
    notice: (target, text) => raw(`NOTICE ${target} :${text}`),
    join: async (channel) => {
      const since = lines.length
      raw(`JOIN ${channel}`)
      const answer = await until(
        ({ command, params }) => params[1] === channel && /^(366|4\d\d)$/.test(command),
        `${nick} to be in ${channel}`,
        since,
      )
      if (answer.command !== '366') throw new Error(answer.raw)
    },
    kick: (channel, who, reason = 'out') => raw(`KICK ${channel} ${who} :${reason}`),
    ban: (channel, mask) => raw(`MODE ${channel} +b ${mask}`),
    mode: (channel, modes) => raw(`MODE ${channel} ${modes}`),
    heard: (target) => lines.flatMap(heardIn).filter((heard) => target === undefined || heard.target === target),
    until,
    quit,
    cut: () => socket.destroy(),
    // The nick is free for the next test, unless the server is too busy with what was said before.
    [Symbol.asyncDispose]: async () => {
      await quit(2000).catch(() => socket.destroy())
    },
  }
  await register(person, options).catch((cause) => {
    socket.destroy()
    throw cause
  })
  return person
}

const openSocket = async ({ host, port, tls }: Options): Promise<Socket> => {
  const socket = tls ? connectTls({ host, port, ...tls, checkServerIdentity: () => undefined }) : connect(port, host)
  await once(socket, tls ? 'secureConnect' : 'connect')
  socket.setNoDelay(true)
  socket.on('error', () => {}) // a reset is an end like any other, and is seen as one
  return socket
}

const register = async (person: Person, { nick, pass, account, password, caps = [] }: Options): Promise<void> => {
  const { raw, until } = person
  if (pass !== undefined) raw(`PASS ${pass}`)
  raw('CAP LS 302')
  raw(`NICK ${nick}`)
  raw(`USER ${nick} 0 * :${nick}`)
  await until(({ command, params }) => command === 'CAP' && params[1] === 'LS' && params[2] !== '*', 'CAP LS')
  const wanted = [...caps, ...(account === undefined ? [] : ['sasl'])].filter((cap) => cap in person.offered)
  if (wanted.length > 0) {
    raw(`CAP REQ :${wanted.join(' ')}`)
    await until(({ command, params }) => command === 'CAP' && params[1] === 'ACK', `CAP ACK of ${wanted}`)
  }
  if (account !== undefined) {
    // A certificate says whose it is: Atheme does not take a name beside it.
    const secret = password === undefined ? '+' : Buffer.from(`${account}\0${account}\0${password}`).toString('base64')
    raw(`AUTHENTICATE ${password === undefined ? 'EXTERNAL' : 'PLAIN'}`)
    await until(({ command }) => command === 'AUTHENTICATE', 'AUTHENTICATE +')
    raw(`AUTHENTICATE ${secret}`)
    const answer = await until(({ command }) => /^90[2-7]$/.test(command), 'SASL to succeed or fail')
    if (answer.command !== '903') throw new Error(answer.raw)
  }
  raw('CAP END')
  const answer = await until(({ command }) => /^(376|422|43[1-7]|46[45])$/.test(command), `${nick} to be registered`)
  if (!['376', '422'].includes(answer.command)) throw new Error(answer.raw)
}

/** The capabilities in a line, where it is a CAP of that kind: they are its last word. */
const capsOf =
  (kind: string) =>
  ({ command, params }: ParsedLine): string[] =>
    command === 'CAP' && params[1] === kind ? (params.at(-1) ?? '').split(' ').filter((cap) => cap !== '') : []

/** What is written as NAME or as NAME=VALUE, by name. */
const pairs = (tokens: string[]): Record<string, string> =>
  Object.fromEntries(
    tokens.map((token) => {
      const [name = '', ...value] = token.split('=')
      return [name, value.join('=')]
    }),
  )

const heardIn = ({ command, prefix, nick, params: [target = '', text = ''] }: ParsedLine): Heard[] => {
  if (command !== 'PRIVMSG' && command !== 'NOTICE') return []
  return nick !== null && prefix?.includes('!') ? [{ nick, kind: command, target, text }] : []
}
