import { once } from 'node:events'
import type { Finding } from '../../src/chat/port.ts'
import type { IrcConfig } from '../../src/shapes/networks.ts'
import { checkChannel } from './check-channel.ts'
import { type Link, openLink } from './link.ts'
import { createNick } from './nick.ts'
import { type IrcSecrets, serverOf } from './server.ts'
import { type Credentials, createSignIn, type SignedIn, saslOf } from './sign-in.ts'
import { createWaiting } from './waiting.ts'

type Options = { config: IrcConfig; secrets: IrcSecrets }

const ENTER_MS = 20_000

/** Looks at a network before it is lived in: comes in, looks whether all is there that is needed, and leaves again. */
export async function* checkIrc({ config, secrets }: Options): AsyncGenerator<Finding> {
  const { link, waiting, signIn, entered, leave } = enter(config, secrets)
  try {
    const why = await entered
    yield connection(config, why)
    if (why !== null) return
    const signedIn = await signIn.settle(link, waiting)
    yield signing(config, signedIn)
    if (signedIn.goes === 'refused') return
    yield naming(config, link, signedIn)
    yield identity(link)
    yield* offered(config, link)
    for (const channel of Object.keys(config.channels)) {
      yield await checkChannel(link, waiting, channel, secrets.keys[channel])
    }
  } finally {
    await leave()
  }
}

/** Comes in as Bellhop does. `entered` is null, or why it was not let in. */
const enter = (config: IrcConfig, secrets: IrcSecrets) => {
  const { sasl: mode, account } = config
  const credentials: Credentials = { mode, account, secret: secrets.secret, certificate: secrets.certificate }
  const sasl = saslOf(credentials, false)
  const signIn = createSignIn(credentials, sasl.tried)
  const waiting = createWaiting()
  const over = new AbortController()
  let settle: (why: string | null) => void = () => {}
  const entered = new Promise<string | null>((resolve) => {
    settle = resolve
  })
  const link = openLink(
    { ...serverOf(config, secrets), nick: config.nick, ...sasl },
    {
      line: (line) => {
        signIn.line(line)
        nick.line(line)
        waiting.line(line)
      },
      lost: () => {}, // a server that talks nonsense now and then can be lived with
      welcome: () => settle(null),
      over: (why) => {
        settle(why)
        waiting.end()
        over.abort()
      },
    },
  )
  const nick = createNick(link, { wanted: config.nick, account: () => null, everyMs: ENTER_MS })
  const late = setTimeout(() => link.drop(`it did not let us in within ${ENTER_MS / 1000} s`), ENTER_MS)
  void entered.then(() => clearTimeout(late))
  const leave = async (): Promise<void> => {
    link.leave('Bellhop only looked')
    if (!over.signal.aborted) await once(over.signal, 'abort')
  }
  return { link, waiting, signIn, entered, leave }
}

const found = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, fix: null })
const missing = (name: string, detail: string, fix: string): Finding => ({ name, state: 'missing', detail, fix })
const optional = (name: string, detail: string, fix: string): Finding => ({ name, state: 'optional', detail, fix })

const connection = ({ host, port, tls }: IrcConfig, why: string | null): Finding => {
  const place = `${host}:${port}`
  if (why !== null) return missing('connection', `${place} does not let us in: ${why}`, wayIn(why))
  if (tls) return found('connection', `${place} lets us in, by TLS`)
  return optional(
    'connection',
    `${place} lets us in, without TLS: who is in between reads along`,
    'set tls: true where the server has it',
  )
}

/** What to do about a connection that did not come about, by what was said of it. */
const wayIn = (why: string): string => {
  if (/certificate|self.signed|altname/i.test(why)) return 'name a file with the certificate of the server under ca'
  if (/wrong version number|packet length/i.test(why)) return 'see whether this port speaks TLS, and set tls and port'
  if (/password/i.test(why)) return 'set the variable that password names to the password of the server'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|did not let us in/.test(why))
    return 'see that host and port are those of the server, and that it runs'
  return 'ask whoever runs the server'
}

const signing = ({ account, certificate, sasl }: IrcConfig, { account: as, trouble }: SignedIn): Finding => {
  if (as !== null) return found('sign-in', `signed in as ${as}`)
  if (account === undefined && certificate === undefined)
    return optional(
      'sign-in',
      'there is no account: the nick is whoever takes it first',
      'register one, and set account and secret',
    )
  const detail = trouble ?? `not signed in as ${account}`
  const fix =
    sasl === 'external'
      ? 'tell NickServ of the certificate: CERT ADD'
      : 'set the variable that secret names to the password of the account'
  return missing('sign-in', detail, fix)
}

const naming = ({ nick }: IrcConfig, link: Link, { account }: SignedIn): Finding => {
  if (link.fold(link.nick()) === link.fold(nick)) return found('nick', `${nick} is free`)
  const limit = Number(link.supports('NICKLEN') ?? Number.NaN)
  if (nick.length > limit)
    return missing('nick', `${nick} is longer than the ${limit} characters a nick can have here`, 'set a shorter nick')
  const detail = `${nick} is taken: by Bellhop, where it runs already`
  if (account !== null)
    return optional('nick', `${detail}; else it is taken back, as ${account}`, 'none needed, if it is our own')
  return optional(
    'nick',
    `${detail}; else we are ${link.nick()} until it is free`,
    'set another nick, or an account that has this one',
  )
}

const identity = (link: Link): Finding => {
  if (link.has('account-tag')) return found('identity', 'each line says the account of who said it')
  if (link.has('account-notify') && link.has('extended-join'))
    return found('identity', 'the server says who signs in to which account')
  if (link.supports('WHOX') !== null)
    return found('identity', 'the server can be asked for the accounts of people (WHOX)')
  return optional(
    'identity',
    'the server has no accounts: nobody is known here, and !pair lasts until one leaves',
    'use a server with accounts, or let people pair at each visit',
  )
}

const QUICK = { burst: 10, perSecond: 2 }

function* offered({ flood }: IrcConfig, link: Link): Generator<Finding> {
  const bot = link.supports('BOT')
  if (bot) yield found('bot mode', `people can see that we are a bot (+${bot})`)
  else yield optional('bot mode', 'the server does not mark bots: our real name says it', 'none needed')
  const pace = `${flood.burst} lines at once, then ${flood.perSecond} in a second`
  if (flood.burst <= QUICK.burst && flood.perSecond <= QUICK.perSecond) yield found('flood', pace)
  else
    yield optional(
      'flood',
      `${pace}: a server that was not told of it may throw us out`,
      'set flood lower, unless the server allows it',
    )
}
