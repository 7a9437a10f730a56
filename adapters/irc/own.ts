import type { Link, Message } from './link.ts'

const LINE_BYTES = 512
const WORST_USER = '~'.padEnd(11, 'x')
const LONGEST_HOST = 63

/** Knows what the server puts in front of what we say, and so how much of a text fits on a line. */
export const createOwn = (link: Link, wanted: () => string) => {
  let mask: string | null = null
  const isMe = (nick: string | undefined) => link.fold(nick ?? '') === link.fold(link.nick())
  /** How the server tells us besides: a host of another name, a change, an answer to WHO. */
  const masks: Record<string, (line: Message) => string | null> = {
    '396': ({ params: [, name = ''] }) => (name.includes('@') ? name : `${mask?.split('@')[0] ?? WORST_USER}@${name}`),
    '352': ({ params: [, , user, host, , nick] }) => (isMe(nick) ? `${user}@${host}` : null),
    CHGHOST: ({ nick, params: [user, host] }) => (isMe(nick) ? `${user}@${host}` : null),
  }
  const lineBytes = () => {
    const said = Number(link.supports('LINELEN') ?? LINE_BYTES)
    return Number.isInteger(said) && said >= LINE_BYTES ? said : LINE_BYTES
  }
  return {
    line: (line: Message) => {
      const { command, nick, ident, hostname } = line
      const told = masks[command]?.(line)
      if (told) mask = told
      else if (isMe(nick) && ident && hostname) mask = `${ident}@${hostname}`
    },
    /** How many bytes of text fit on a line to somebody; one is left for what keeps it from being a command. */
    limit: (command: 'PRIVMSG' | 'NOTICE', target: string): number => {
      const worst = WORST_USER.length + 1 + LONGEST_HOST
      // The nick we want may be ours before what was laid out is said.
      const nick = Math.max(Buffer.byteLength(link.nick()), Buffer.byteLength(wanted()))
      const prefix = 1 + nick + 1 + (mask === null ? worst : Buffer.byteLength(mask)) + 1
      return lineBytes() - 2 - prefix - Buffer.byteLength(`${command} ${target} :`) - 1
    },
  }
}
