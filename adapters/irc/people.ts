import { randomInt } from 'node:crypto'
import type { Sender } from '../../src/shapes/network.ts'
import type { Link, Message } from './link.ts'

/** Somebody whom we can watch: they are in a channel with us. */
type Present = {
  /** Their stay: it ends when they leave, change their name or are out of our sight, and never comes again. */
  visit: string
  account: string | null
  bot: boolean
  mask: string | null
  channels: Set<string>
}

/** Marks the answers to our own questions. */
const WHOX_TOKEN = '742'
const LOOK_MS = 2000

/** Knows who is in the channels with us, as far as the server says: by accounts where it has them, and never by names. */
export const createPeople = (link: Link, network: string) => {
  const present = new Map<string, Present>()
  const looks = new Map<string, NodeJS.Timeout>()
  /** Those we are in. Of others a server may tell as well, and nobody tells us who leaves them. */
  const ours = new Set<string>()
  const isMe = (nick: string) => link.fold(nick) === link.fold(link.nick())

  const enter = (nick: string, channel: string): Present => {
    const one = present.get(link.fold(nick)) ?? {
      visit: newVisit(),
      account: null,
      bot: false,
      mask: null,
      channels: new Set(),
    }
    present.set(link.fold(nick), one)
    one.channels.add(link.fold(channel))
    return one
  }
  const leave = (nick: string, channel: string) => {
    const one = present.get(link.fold(nick))
    one?.channels.delete(link.fold(channel))
    if (one?.channels.size === 0) present.delete(link.fold(nick))
  }
  const leaveAll = (channel: string) => {
    ours.delete(link.fold(channel))
    for (const nick of [...present.keys()]) leave(nick, channel)
  }
  /** Asks who is in a channel: once for all who came in meanwhile. */
  const look = (channel: string, ms = LOOK_MS) => {
    if (looks.has(channel)) return
    const ask = () => {
      looks.delete(channel)
      if (!ours.has(link.fold(channel))) return
      void link.put(link.supports('WHOX') === null ? `WHO ${channel}` : `WHO ${channel} %tcuhnfa,${WHOX_TOKEN}`)
    }
    looks.set(channel, setTimeout(ask, ms))
  }
  /** Whoever was there when we left may be somebody else by now. */
  const come = (channel: string) => {
    leaveAll(channel)
    ours.add(link.fold(channel))
    look(channel, 0)
  }
  const learn = (nick: string, channel: string, mask: string, flags: string) => {
    if (isMe(nick) || !ours.has(link.fold(channel))) return
    const one = enter(nick, channel)
    one.mask ??= mask
    one.bot ||= isBotFlag(link, flags)
    return one
  }
  /** Whether there is something to be asked of whoever comes in, which the server does not say by itself. */
  const mustLook = () => link.supports('WHOX') !== null && !link.has('account-tag') && !link.has('extended-join')

  const on: Record<string, (line: Message) => void> = {
    JOIN: ({ nick, ident, hostname, params: [channel = '', account] }) => {
      if (isMe(nick)) return come(channel)
      const one = enter(nick, channel)
      one.mask = `${ident}@${hostname}`
      if (link.has('extended-join')) one.account = accountOf(account)
      else if (mustLook()) look(channel)
    },
    PART: ({ nick, params: [channel = ''] }) => (isMe(nick) ? leaveAll(channel) : leave(nick, channel)),
    KICK: ({ params: [channel = '', nick = ''] }) => (isMe(nick) ? leaveAll(channel) : leave(nick, channel)),
    QUIT: ({ nick }) => {
      present.delete(link.fold(nick))
    },
    NICK: ({ nick, params: [next = ''] }) => {
      const one = present.get(link.fold(nick))
      if (!one || isMe(nick)) return
      present.delete(link.fold(nick))
      present.set(link.fold(next), { ...one, visit: newVisit() })
    },
    ACCOUNT: ({ nick, params: [account] }) => {
      const one = present.get(link.fold(nick))
      if (one) one.account = accountOf(account)
    },
    CHGHOST: ({ nick, params: [user = '', host = ''] }) => {
      const one = present.get(link.fold(nick))
      if (one) one.mask = `${user}@${host}`
    },
    // NAMES: who was there before us.
    '353': ({ params: [, , channel = '', names = ''] }) => {
      if (!ours.has(link.fold(channel))) return
      for (const word of names.split(' ')) {
        const [nick = ''] = word.replace(/^[^\p{L}\p{N}[\]\\`_^{|}]+/u, '').split('!')
        if (nick !== '' && !isMe(nick)) enter(nick, channel)
      }
    },
    '352': ({ params: [, channel = '', user, host, , nick = '', flags = ''] }) => {
      learn(nick, channel, `${user}@${host}`, flags)
    },
    '354': ({ params: [, token, channel = '', user, host, nick = '', flags = '', account] }) => {
      if (token !== WHOX_TOKEN) return
      const one = learn(nick, channel, `${user}@${host}`, flags)
      if (one) one.account = account === '0' ? null : accountOf(account)
    },
  }

  return {
    line: (line: Message) => on[line.command]?.(line),
    /** Who said a line, as far as the server vouches for it. */
    senderOf: ({ nick, ident, hostname, tags }: Message): Sender => {
      const one = present.get(link.fold(nick))
      const mask = `${ident}@${hostname}`
      // Somebody else by the same name, whose coming we missed.
      if (one && one.mask !== null && one.mask !== mask) Object.assign(one, { visit: newVisit(), account: null, mask })
      if (one) one.mask ??= mask
      const account = link.has('account-tag') ? accountOf(tags['account']) : (one?.account ?? null)
      return {
        network,
        account,
        visit: account === null ? (one?.visit ?? null) : null,
        nick: nick.slice(0, 64),
        bot: one?.bot === true || BOT_TAGS.some((tag) => tag in tags),
        groups: [],
      }
    },
    /** Somebody's stay, also where they have an account: whether it is still them. */
    visitOf: (nick: string): string | null => present.get(link.fold(nick))?.visit ?? null,
    /** The channels somebody shares with us. */
    sharedWith: (nick: string): ReadonlySet<string> => present.get(link.fold(nick))?.channels ?? new Set(),
    end: () => {
      for (const timer of looks.values()) clearTimeout(timer)
      present.clear()
    },
  }
}

const BOT_TAGS = ['bot', 'draft/bot', 'inspircd.org/bot']

const isBotFlag = (link: Link, flags: string): boolean => {
  const mode = link.supports('BOT')
  return mode !== null && mode !== '' && flags.slice(1).includes(mode)
}

/** An account as the house takes one. One that begins with `~` could be taken for a visit, and is none. */
const accountOf = (account: string | undefined): string | null =>
  account !== undefined && /^[^\p{Cc}\p{Cs}\s~*][^\p{Cc}\p{Cs}\s]{0,63}$/u.test(account) ? account : null

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

const newVisit = (): string => `v-${Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`
