import type { Link, Message } from './link.ts'
import { oneLine } from './text.ts'

/** What is asked of the client rather than said: its name and an argument; null for what is said. */
export const ctcpOf = (text: string): { name: string; argument: string } | null => {
  if (!text.startsWith('\x01')) return null
  const [name = '', ...argument] = text.replaceAll('\x01', '').split(' ')
  return { name: name.toUpperCase(), argument: argument.join(' ') }
}

const EVERY_MS = 2000
const LONGEST_TOKEN = 64

/** Says which program this is, and that it is there. It is asked nothing else, and by nobody too often. */
export const createCtcp = (link: Link, version: string) => {
  let answered = Number.NEGATIVE_INFINITY
  return ({ command, nick, params: [target = '', text = ''] }: Message): void => {
    const asked = command === 'PRIVMSG' && link.fold(target) === link.fold(link.nick()) ? ctcpOf(text) : null
    const answer = asked && answerTo(asked, version)
    if (!answer || performance.now() - answered < EVERY_MS) return
    answered = performance.now()
    void link.putAside(`NOTICE ${nick} :\x01${answer}\x01`)
  }
}

const answerTo = ({ name, argument }: { name: string; argument: string }, version: string): string | null => {
  if (name === 'VERSION') return `VERSION Bellhop ${version}, a bot`
  if (name === 'PING') return `PING ${oneLine(argument, LONGEST_TOKEN)}`
  return null
}
