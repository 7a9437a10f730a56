import { setTimeout as pause } from 'node:timers/promises'
import type { NetworkState } from '../../src/chat/port.ts'
import { createChannels, type Pauses, pauseOf } from './channels.ts'
import { createCtcp } from './ctcp.ts'
import { type Link, type LinkOptions, type Message, openLink } from './link.ts'
import { createNick } from './nick.ts'
import { createOwn } from './own.ts'
import { createPeople } from './people.ts'
import { type Credentials, createSignIn, type SignedIn, saslOf } from './sign-in.ts'
import { createSpeech } from './speech.ts'
import { createWaiting } from './waiting.ts'

/** How long is waited for what. */
export type Timing = {
  /** Before it is connected again, and before a channel is entered again. */
  retry: Pauses
  rejoin: Pauses
  /** How often a nick is tried that somebody else has. */
  nickEveryMs: number
  /** How long the server has to say that it took something. */
  confirmMs: number
}

export const TIMING: Timing = {
  retry: { firstMs: 1000, mostMs: 300_000 },
  rejoin: { firstMs: 2000, mostMs: 600_000 },
  nickEveryMs: 60_000,
  confirmMs: 60_000,
}

type Options = {
  /** The name of the network. */
  network: string
  server: Omit<LinkOptions, 'nick' | 'sasl' | 'mechanism' | 'external'>
  nick: string
  credentials: Credentials
  version: string
  channels: () => readonly string[]
  keys: Readonly<Record<string, string | undefined>>
  timing: Timing
  /** Hears what is said; nobody, for those who only speak. */
  hear: ((session: Session, line: Message) => void) | null
  state: (state: NetworkState) => void
  /** That a line of the server could not be made sense of. */
  lost: (cause: unknown) => void
  /** That it is in a channel, and that it is in one no longer. */
  came?: (session: Session, channel: string) => void
  went?: (channel: string) => void
}

/** All that is known while one connection lasts. */
export type Session = {
  link: Link
  channels: ReturnType<typeof createChannels>
  own: ReturnType<typeof createOwn>
  people: ReturnType<typeof createPeople>
  speech: ReturnType<typeof createSpeech>
}

/** One nick on a server, for ever: whatever ends it, it comes back. */
export type Connection = {
  run: (signal: AbortSignal) => Promise<void>
  /** The connection as it is, once we were let in; null while there is none. */
  session: () => Session | null
}

/** After so long, what ended a connection has nothing to do with what ended the one before it. */
const CALM_MS = 60_000
const WORD = 'Bellhop is going home'

export const createConnection = (options: Options): Connection => {
  const { timing, state } = options
  const now: { session: Session | null } = { session: null }
  let externalFailed = false

  /** Connects once, until it ends. Answers why it did. */
  const once = (signal: AbortSignal): Promise<{ why: string; refused: boolean; wasIn: boolean }> =>
    new Promise((resolve) => {
      const sasl = saslOf(options.credentials, externalFailed)
      let wasIn = false
      const link = openLink(
        { ...options.server, nick: options.nick, ...sasl },
        {
          line: (line) => session.line(line),
          lost: options.lost,
          welcome: () => {
            if (wasIn) return
            wasIn = true
            now.session = session
            void session.welcome()
          },
          over: (why) => {
            signal.removeEventListener('abort', leave)
            now.session = null
            session.end()
            externalFailed ||= session.signedIn()?.goes === 'by-password'
            resolve({ why, refused: session.isUnwanted() || (!wasIn && UNWANTED_WORDS.test(why)), wasIn })
          },
        },
      )
      const session = createSession(link, options, sasl.tried)
      const leave = () => (wasIn ? link.leave(WORD) : link.drop('left'))
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
    })

  return {
    session: () => now.session,
    run: async (signal) => {
      state({ state: 'connecting', detail: `to ${addressOf(options)}` })
      for (let failures = 0; !signal.aborted; failures++) {
        const began = performance.now()
        const { why, refused, wasIn } = await once(signal)
        if (signal.aborted) break
        if (wasIn && performance.now() - began > CALM_MS) failures = 0
        const ms = pauseOf(timing.retry, failures)
        const detail = `${addressOf(options)}: ${why}; tried again in ${Math.ceil(ms / 1000)} s`
        state({ state: refused ? 'refused' : 'lost', detail })
        await pause(ms, undefined, { signal }).catch(() => {})
      }
    },
  }
}

const addressOf = ({ server, nick }: Options): string => `${server.place.host}:${server.place.port} as ${nick}`

/** What a server says to whom it does not want. */
const UNWANTED = /^(?:463|464|465|466)$/
const UNWANTED_WORDS = /password|denied|banned|[a-z]-?lined|not authori[sz]ed|certificate/i

const createSession = (link: Link, options: Options, tried: () => string | null) => {
  const { timing, network, version, credentials } = options
  const waiting = createWaiting()
  const signIn = createSignIn(credentials, tried)
  let signedIn: SignedIn | null = null
  let unwanted = false
  let isOver = false
  const telling = createTelling(
    () => channels.isSettled(),
    () => options.state({ state: 'connected', detail: standing() }),
  )
  const nick = createNick(link, {
    wanted: options.nick,
    account: () => signedIn?.account ?? null,
    everyMs: timing.nickEveryMs,
  })
  const channels = createChannels(link, {
    wanted: options.channels,
    keys: options.keys,
    pauses: timing.rejoin,
    came: (channel) => options.came?.(session, channel),
    went: (channel) => options.went?.(channel),
    changed: telling.soon,
  })
  const own = createOwn(link, nick.target)
  const people = createPeople(link, network)
  const speech = createSpeech(link, { window: options.server.flood.burst, confirmMs: timing.confirmMs })
  const ctcp = createCtcp(link, version)

  /** How it stands, in one sentence. */
  const standing = (): string => {
    const out = channels.all().filter(({ isIn }) => !isIn)
    const inside = channels.all().filter(({ isIn }) => isIn)
    return [
      `as ${link.nick()}${nick.has() ? '' : ` (${nick.target()} is taken)`} on ${options.server.place.host}`,
      signedIn?.account ? `signed in as ${signedIn.account}` : (signedIn?.trouble ?? ''),
      inside.length > 0 ? `in ${inside.map(({ name }) => name).join(', ')}` : '',
      ...out.map(({ name, why }) => `NOT in ${name}: ${why}`),
    ]
      .filter((part) => part !== '')
      .join('; ')
  }

  const session = {
    link,
    channels,
    own,
    people,
    speech,
    line: (line: Message) => {
      if (UNWANTED.test(line.command)) unwanted = true
      signIn.line(line)
      waiting.line(line)
      nick.line(line)
      own.line(line)
      channels.line(line)
      speech.line(line)
      // Who it was is looked up before they may be gone: a line is heard before what follows from it.
      if (options.hear) {
        people.line(line)
        options.hear(session, line)
      }
      ctcp(line)
      if (line.command === 'NICK') telling.soon()
    },
    welcome: async () => {
      signedIn = await signIn.settle(link, waiting)
      if (isOver) return
      if (signedIn.goes !== 'on') return link.drop(signedIn.trouble ?? 'not signed in')
      const bot = link.supports('BOT')
      if (bot) void link.put(`MODE ${link.nick()} +${bot}`)
      nick.welcome()
      channels.join()
      telling.soon()
    },
    signedIn: () => signedIn,
    /** Whether the server, or the config, will not have it like this. */
    isUnwanted: () => unwanted || signedIn?.goes === 'refused',
    end: () => {
      isOver = true
      telling.end()
      for (const part of [waiting, nick, channels, people, speech]) part.end()
    },
  }
  return session
}

const SOON_MS = 500
const LATE_MS = 10_000

/** Says how it stands a moment after it changed, rather than with each change; before all is known, later. */
const createTelling = (isSettled: () => boolean, tell: () => void) => {
  let timer: NodeJS.Timeout | undefined
  let due = Number.POSITIVE_INFINITY
  return {
    soon: () => {
      const ms = isSettled() ? SOON_MS : LATE_MS
      // What changes all the time is told nonetheless.
      if (performance.now() + ms >= due) return
      clearTimeout(timer)
      due = performance.now() + ms
      timer = setTimeout(() => {
        due = Number.POSITIVE_INFINITY
        tell()
      }, ms)
    },
    end: () => clearTimeout(timer),
  }
}
