import type { IrcConfig } from '../../src/shapes/networks.ts'
import type { Link, LinkOptions, Message } from './link.ts'
import type { Waiting } from './waiting.ts'

/** What one nick signs in with. */
export type Credentials = {
  mode: IrcConfig['sasl']
  account: string | undefined
  secret: string | undefined
  certificate: string | undefined
}

/**
 * How it came out: the account we are signed in to, and what went wrong where something did · on: it goes on as it is ·
 * refused: it does not, as the config insists · by-password: it is worth trying again with the password
 */
export type SignedIn = { account: string | null; trouble: string | null; goes: 'on' | 'refused' | 'by-password' }

/** How SASL is tried: with a certificate where there is one and the server knows of it, and else with the password. */
export const saslOf = (
  { mode, account, secret, certificate }: Credentials,
  externalFailed: boolean,
): Pick<LinkOptions, 'sasl' | 'mechanism' | 'external'> & { tried: () => 'PLAIN' | 'EXTERNAL' | null } => {
  let tried: 'PLAIN' | 'EXTERNAL' | null = null
  const byPassword = account !== undefined && secret !== undefined && (mode === 'auto' || mode === 'plain')
  const byCertificate = certificate !== undefined && !externalFailed && (mode === 'auto' || mode === 'external')
  return {
    sasl: byPassword ? { account, secret } : null,
    external: byCertificate && !byPassword,
    mechanism: (offered) => {
      if (!byPassword && !byCertificate) return null
      const isKnown = offered.length === 0 || offered.includes('EXTERNAL')
      tried = !byPassword || (byCertificate && isKnown) ? 'EXTERNAL' : 'PLAIN'
      return tried
    },
    tried: () => tried,
  }
}

/** Follows how one connection signs in. */
export const createSignIn = ({ mode, account, secret, certificate }: Credentials, tried: () => string | null) => {
  let as: string | null = null
  let failed: string | null = null
  const wanted = account !== undefined || certificate !== undefined
  const insists = mode === 'plain' || mode === 'external'

  const refusedWith = (why: string): SignedIn => {
    const byPassword = mode === 'auto' && secret !== undefined && tried() === 'EXTERNAL'
    if (byPassword) return trouble('SASL took no certificate, and is tried by password', 'by-password')
    return trouble(`SASL failed: ${why}`, insists ? 'refused' : 'on')
  }

  /** NickServ, where SASL is not spoken. The password is told to nobody else who calls himself that. */
  const identify = async (link: Link, waiting: Waiting): Promise<SignedIn> => {
    if (!(await isService(link, waiting)))
      return trouble('there is neither SASL nor a NickServ that is a service of the server')
    const answered = waiting.until(isAnswer(link), ANSWER_MS)
    await link.put(`PRIVMSG ${NICKSERV} :IDENTIFY ${account} ${secret}`)
    const answer = await answered
    if (as !== null || isSignedIn(link, answer)) return { account: as ?? account ?? null, trouble: null, goes: 'on' }
    return trouble(`NickServ did not let us sign in as ${account}${answer ? `: ${answer.params.at(-1)}` : ''}`)
  }

  return {
    line: ({ command, params }: Message) => {
      if (command === '900') as = params[2] ?? null
      if (command === '901') as = null
      if (/^(?:902|904|905|906)$/.test(command)) failed = params.at(-1) ?? command
    },
    /** Once the server has let us in. */
    settle: async (link: Link, waiting: Waiting): Promise<SignedIn> => {
      if (as !== null || !wanted) return { account: as, trouble: null, goes: 'on' }
      if (failed !== null) return refusedWith(failed)
      if (insists) return trouble('the server offers no SASL of this kind', 'refused')
      if (account === undefined || secret === undefined) return trouble('there is no password to sign in with')
      return identify(link, waiting)
    },
  }
}

const NICKSERV = 'NickServ'
const ANSWER_MS = 10_000

const trouble = (text: string, goes: SignedIn['goes'] = 'on'): SignedIn => ({ account: null, trouble: text, goes })

/** Whether NickServ is an operator or a service: a passer-by can have the name where the services are away, not that. */
const isService = async (link: Link, waiting: Waiting): Promise<boolean> => {
  let vouched = false
  const about = ({ params }: Message) => link.fold(params[1] ?? '') === link.fold(NICKSERV)
  const ended = waiting.until((line) => {
    if (about(line) && (line.command === '313' || line.command === '310')) vouched = true
    return about(line) && (line.command === '318' || line.command === '401')
  }, ANSWER_MS)
  await link.put(`WHOIS ${NICKSERV}`)
  await ended
  return vouched
}

const isAnswer =
  (link: Link) =>
  (line: Message): boolean =>
    isSignedIn(link, line) ||
    (line.command === 'NOTICE' && link.fold(line.nick) === link.fold(NICKSERV) && FINAL.test(line.params.at(-1) ?? ''))

const isSignedIn = (link: Link, line: Message | null): boolean =>
  line !== null &&
  (line.command === '900' ||
    (line.command === 'MODE' &&
      link.fold(line.params[0] ?? '') === link.fold(link.nick()) &&
      /\+\w*r/.test(line.params[1] ?? '')))

/** What NickServ says in the end, and not on the way. */
const FINAL = /invalid|incorrect|not registered|fail|denied|frozen|suspend|too many/i
