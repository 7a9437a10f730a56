import { Client, type Message } from 'irc-framework'
import { createPace, type Flood, type Pace } from './pace.ts'
import { type Place, Transport, type TransportOptions } from './transport.ts'

export type { Message } from 'irc-framework'

/** One connection to a server, from being let in to its end. Nothing that is known by it outlives it. */
export type Link = {
  /** Our nick, as it is now. */
  nick: () => string
  /** Sends lines in their turn; answers whether they were written. Lines given together are sent together. */
  put: (...lines: string[]) => Promise<boolean>
  /** The same for what is for one person alone: nobody else has to wait long for it. */
  putAside: (line: string) => Promise<boolean>
  /** Sends a line before all others. */
  putFirst: (line: string) => void
  /** Whether a capability was agreed on, and what the server says of it. */
  has: (capability: string) => boolean
  saidOf: (capability: string) => string
  /** What the server says it supports (005): null where it does not say. */
  supports: (token: string) => string | null
  /** A name as the server compares it. */
  fold: (name: string) => string
  /** Leaves with a word, or without one. */
  leave: (word: string) => void
  drop: (why: string) => void
}

export type LinkOptions = {
  place: Place
  password: string | undefined
  nick: string
  realname: string
  flood: Flood
  /** What SASL is tried with; the mechanism is settled when the server has said which it knows: null for none. */
  sasl: { account: string; secret: string } | null
  mechanism: (offered: readonly string[]) => 'PLAIN' | 'EXTERNAL' | null
  external: boolean
}

/** What is heard of it: each line, that we were let in, that it is over and why. */
export type LinkEars = {
  line: (line: Message) => void
  welcome: () => void
  over: (why: string) => void
  /** That a line could not be made sense of. */
  lost: (cause: unknown) => void
}

/** What makes for better manners, where the server has it. None of it is needed. */
const WANTED = ['labeled-response', 'draft/multiline', 'echo-message', 'chghost']

/** Connects once. What fails ends it: to try again is for others. */
export const openLink = (options: LinkOptions, ears: LinkEars): Link => {
  const client = new Client()
  client.requestCap(WANTED)
  let { nick } = options
  let transport: Transport | undefined
  let why = ''
  const pace = createPace(options.flood, (line) => transport?.write(line))

  const drop = (reason: string) => {
    why ||= reason
    transport?.close(true)
  }
  const watch = keepAlive(pace, drop)
  const link: Link = {
    nick: () => nick,
    put: (...lines) => pace.put(lines),
    putAside: (line) => pace.putAside([line]),
    putFirst: pace.putFirst,
    has: (capability) => client.network.cap.isEnabled(capability),
    saidOf: (capability) => client.network.cap.available.get(capability) ?? '',
    supports: (token) => written(client.network.supports(token)),
    fold: (name) => client.caseLower(name),
    leave: (word) => {
      pace.putFirst(`QUIT :${word}`)
      transport?.close()
      setTimeout(() => drop('left'), LEAVE_MS).unref()
    },
    drop,
  }
  const settings: Record<string, unknown> = {
    ...settingsOf(options),
    transport: class extends Transport {
      constructor() {
        super(transportOptions)
        transport = this
      }
    },
  }
  const transportOptions: TransportOptions = { place: options.place, say: pace.putFirst, lost: ears.lost }

  /** What a line means to the connection itself, before others hear it. */
  const before: Record<string, (line: Message) => void> = {
    '001': ({ params }) => {
      nick = params[0] ?? nick
      watch.letIn()
    },
    ERROR: ({ params }) => {
      why ||= params.at(-1) ?? ''
    },
    CAP: ({ params }) => {
      if (params[1] !== 'LS') return
      const mechanism = options.mechanism(offeredBy(link))
      if (mechanism !== null) settings['sasl_mechanism'] = mechanism
    },
  }
  /** And after that. The end of what a server says to whoever comes in: by then it has said what it supports. */
  const after: Record<string, (line: Message) => void> = {
    NICK: ({ nick: who, params }) => {
      if (link.fold(who) === link.fold(nick)) nick = params[0] ?? nick
    },
    '376': ears.welcome,
    '422': ears.welcome,
  }
  client.connection.on('message', (line) => {
    watch.heard()
    before[line.command]?.(line)
    ears.line(line)
    after[line.command]?.(line)
  })
  client.on('socket close', (error) => {
    watch.end()
    pace.end()
    ears.over(why || reasonOf(error))
  })
  client.connect(settings)
  return link
}

const settingsOf = ({ nick, realname, password, sasl, external }: LinkOptions): Record<string, unknown> => ({
  nick,
  username:
    nick
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .slice(0, 10) || 'bellhop',
  gecos: realname,
  ...(password !== undefined && { password }),
  // An empty account: the password of the server is for the server, and not tried as somebody's.
  account: sasl === null ? {} : { account: sasl.account, password: sasl.secret },
  ...(external && { sasl_mechanism: 'EXTERNAL' }),
  // What it would do by itself is done here: coming back for ever, looking for signs of life, answering CTCP.
  auto_reconnect: false,
  ping_interval: 0,
  ping_timeout: 0,
  version: null,
})

const LEAVE_MS = 1000
const REGISTER_MS = 60_000
const QUIET_MS = 30_000
const DEAD_MS = 120_000

/** A server that does not let us in, or says nothing for long and does not answer, is not there any more. */
const keepAlive = (pace: Pace, drop: (why: string) => void) => {
  let heard = performance.now()
  const entering = setTimeout(() => drop(`it did not let us in within ${REGISTER_MS / 1000} s`), REGISTER_MS)
  const looking = setInterval(() => {
    const quiet = performance.now() - heard
    if (quiet > DEAD_MS) drop(`nothing was heard of it for ${Math.round(quiet / 1000)} s`)
    else if (quiet > QUIET_MS) pace.putFirst('PING :still-there')
  }, QUIET_MS)
  return {
    heard: () => {
      heard = performance.now()
    },
    letIn: () => clearTimeout(entering),
    end: () => {
      clearTimeout(entering)
      clearInterval(looking)
    },
  }
}

const written = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  return value === undefined || value === false ? null : ''
}

const offeredBy = ({ saidOf }: Pick<Link, 'saidOf'>): string[] =>
  saidOf('sasl')
    .toUpperCase()
    .split(',')
    .filter((name) => name !== '')

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'the connection ended')
