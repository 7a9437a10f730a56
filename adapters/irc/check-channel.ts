import type { Finding } from '../../src/chat/port.ts'
import { REASONS } from './channels.ts'
import type { Link, Message } from './link.ts'
import type { Waiting } from './waiting.ts'

const ANSWER_MS = 15_000

/** Looks whether a channel can be entered and spoken in, without saying anything there. */
export const checkChannel = async (
  link: Link,
  waiting: Waiting,
  channel: string,
  key: string | undefined,
): Promise<Finding> => {
  const isIt = ({ params }: Message, at: number) => link.fold(params[at] ?? '') === link.fold(channel)
  const prefixes = new Map<string, string>()
  const entered = waiting.until((line) => {
    if (line.command === '353' && isIt(line, 2))
      for (const [nick, sign] of namesIn(line)) prefixes.set(link.fold(nick), sign)
    return (line.command === '366' || line.command in REASONS) && isIt(line, 1)
  }, ANSWER_MS)
  await link.put(key === undefined ? `JOIN ${channel}` : `JOIN ${channel} ${key}`)
  const answer = await entered
  if (answer?.command !== '366') return refused(channel, answer)

  const told = waiting.until((line) => line.command === '324' && isIt(line, 1), ANSWER_MS)
  await link.put(`MODE ${channel}`)
  const modes = (await told)?.params[2] ?? ''
  void link.put(`PART ${channel}`)
  return spoken(channel, modes, prefixes.get(link.fold(link.nick())) ?? '')
}

const refused = (channel: string, answer: Message | null): Finding => {
  const why = answer === null ? 'the server does not answer' : (REASONS[answer.command] ?? 'the server says no')
  return {
    name: channel,
    state: 'missing',
    detail: `we do not come in: ${why}`,
    fix: FIXES[answer?.command ?? ''] ?? ASK,
  }
}

const ASK = 'ask an operator of the channel'

const FIXES: Record<string, string> = {
  '473': 'have an operator of the channel put us on its list of the invited (+I)',
  '474': 'have an operator of the channel take the ban away (-b)',
  '475': 'name the variable with its key under keys',
  '477': 'set account and secret: the channel is for those who are signed in',
}

/** In a moderated channel those are heard who have a voice. */
const spoken = (channel: string, modes: string, sign: string): Finding => {
  const muted = modes.includes('m') && sign === ''
  if (!muted) return { name: channel, state: 'ok', detail: 'we come in, and can speak', fix: null }
  const detail = 'we come in, and are not heard: the channel is moderated (+m)'
  return { name: channel, state: 'missing', detail, fix: 'have an operator of the channel give us a voice (+v)' }
}

/** The nicks of a list of names, each with the sign of what it may do there. */
const namesIn = ({ params }: Message): [string, string][] =>
  (params[3] ?? '').split(' ').map((word) => {
    const [, sign = '', nick = ''] = /^([^\p{L}\p{N}[\]\\`_^{|}]*)([^!]*)/u.exec(word) ?? []
    return [nick, sign]
  })
