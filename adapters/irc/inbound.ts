import { createHash, randomBytes } from 'node:crypto'
import type { Line, NetworkPort } from '../../src/chat/port.ts'
import { MESSAGE_BYTES } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { type Refusal, type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { addressedTo } from './addressed.ts'
import type { Askers } from './askers.ts'
import type { Session } from './connection.ts'
import { ctcpOf } from './ctcp.ts'
import { createIntake } from './intake.ts'
import type { Message } from './link.ts'
import type { More } from './more.ts'
import { createBatches } from './multiline.ts'
import { split } from './split.ts'
import { clean } from './text.ts'
import { createWhispers } from './whisper.ts'

type Options = {
  port: NetworkPort
  /** The nick we want, which we are called by whatever we have. */
  nick: string
  /** The agents that have nicks of their own, by these. */
  agents: () => readonly { id: string; nick: string; isHere: boolean }[]
  askers: Askers
  more: More
  signal: AbortSignal
}

/** Refusals that no post tells of: whoever said it is told. */
const TOLD: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'unauthenticated',
  'room-unknown',
  'face-unknown',
  'draining',
  'request-invalid',
  'store-full',
  'store-failed',
  'store-busy',
  'rate-exceeded',
  'queue-full',
])

const MOST_WAITING = 5000

/** Makes lines of the house of what is said in channels. */
export const createInbound = ({ port, nick: wanted, agents, askers, more, signal }: Options) => {
  const { whisper, hint } = createWhispers((nick) =>
    port.log('what was for one person alone was not said: too much waits', { network: port.network, nick }),
  )
  const batches = createBatches()
  const intake = createIntake({
    most: MOST_WAITING,
    signal,
    waits: (cause) => port.log('a line waits for the house', { network: port.network, cause: String(cause) }),
    fellOut: ({ who }, why) =>
      port.drop(
        refusal(
          'draining',
          why === 'full' ? `the house cannot be reached, and ${MOST_WAITING} lines wait` : 'Bellhop ends',
        ),
        who,
      ),
  })

  /** Says a line to the house, and to whoever said it what is for them alone. It throws while there is no house. */
  const say = async (session: Session, line: Line & { sender: Sender }, visit: string | null): Promise<void> => {
    const { nick } = line.sender
    // The answer may be on its way before the receipt is.
    askers.remember([line.id], nick, line.room)
    const said = await port.say(line)
    // Whoever has the name by now may be somebody else.
    const isStillThem = session.people.visitOf(nick) === visit
    if (!said.ok) {
      if (TOLD.has(said.refusal.code) && isStillThem) hint(session, nick, sentenceOf(said.refusal))
      return
    }
    askers.remember(
      said.value.assignments.map(({ turn }) => turn),
      nick,
      line.room,
    )
    if (said.value.whisper !== undefined && isStillThem) whisper(session, nick, said.value.whisper)
  }

  const goOn = async (session: Session, channel: string, sender: Sender): Promise<void> => {
    const why = await more.say(session, channel, sender)
    if (why !== null) hint(session, sender.nick, typeof why === 'string' ? why : sentenceOf(why))
  }

  const names = ({ link }: Session) => ({
    isOurs: (name: string) => [wanted, link.nick()].some((own) => link.fold(own) === link.fold(name)),
    agentOf: (name: string) => agents().find(({ nick }) => link.fold(nick) === link.fold(name))?.id ?? null,
    commands: port.commands,
  })

  const inChannel = (session: Session, line: Message, channel: string, room: string) => {
    const sender = session.people.senderOf(line)
    const visit = session.people.visitOf(line.nick)
    const text = addressedTo(textOf(line), names(session)).trim()
    if (text === '') return
    if (/^[!/]more$/i.test(text)) {
      if (sender.bot) return port.drop(refusal('bot-ignored', `${sender.nick} is a bot`), sender.nick)
      // In a line of its own: what people say meanwhile does not wait for it to be said.
      return intake.put(`more/${channel}`, { who: sender.nick, run: () => goOn(session, channel, sender) })
    }
    const id = idOf(port.network, line)
    split(text, MESSAGE_BYTES).forEach((piece, i) => {
      const part = { id: i === 0 ? id : `${id}-${i}`, room, text: piece, sender }
      intake.put(channel, { who: sender.nick, run: () => say(session, part, visit) })
    })
  }

  const inPrivate = (session: Session, line: Message) => {
    const sender = session.people.senderOf(line)
    const visit = session.people.visitOf(line.nick)
    const text = textOf(line)
    if (sender.bot || text === '') return
    const shared = session.people.sharedWith(line.nick)
    const known = port.channels().filter(({ channel }) => shared.has(session.link.fold(channel)))
    const pair = /^[!/]?pair(?:\s+(?<code>\S{1,64}))?$/i.exec(text)
    const room = known[0]?.room
    if (!pair || room === undefined) {
      // Where we are besides is not for everybody to know.
      const places = known.length > 0 ? known.map(({ channel }) => channel).join(' or ') : 'a channel that I am in'
      return hint(session, line.nick, `talk to me in ${places}; here I only hear !pair, from whoever is there`)
    }
    const code = pair.groups?.['code']
    const command = { name: 'pair', input: code === undefined ? {} : { code } }
    const said = { id: idOf(port.network, line), room, text: '/pair', command, sender }
    intake.put(`@${line.nick}`, { who: sender.nick, run: () => say(session, said, visit) })
  }

  const isOwn = ({ link }: Session, nick: string): boolean => {
    const own = [link.nick(), ...agents().flatMap((agent) => (agent.isHere ? [agent.nick] : []))]
    return own.some((name) => link.fold(name) === link.fold(nick))
  }

  const heard = (session: Session, line: Message) => {
    const { link } = session
    const [target = ''] = line.params
    if (!isSpeech(line)) return
    if (isOwn(session, line.nick)) return port.drop(refusal('own-echo', 'it is what Bellhop said itself'), line.nick)
    const place = port.channels().find(({ channel }) => link.fold(channel) === link.fold(target))
    if (place) inChannel(session, line, place.channel, place.room)
    else if (link.fold(target) === link.fold(link.nick())) inPrivate(session, line)
  }

  return {
    line: (session: Session, line: Message): void => {
      for (const whole of batches(line)) heard(session, whole)
    },
    /** That all that was heard is handed over, or dropped. */
    settled: intake.settled,
  }
}

/** Whether somebody said it, to be heard: not a server, which has no user, and not what is asked of a client. */
const isSpeech = ({ command, ident, hostname, params }: Message): boolean => {
  if (command !== 'PRIVMSG' || !ident || !hostname) return false
  const asked = ctcpOf(params[1] ?? '')
  return asked === null || asked.name === 'ACTION'
}

/** What was said, as text: what somebody does is said with a star. */
const textOf = ({ nick, params }: Message): string => {
  const text = params[1] ?? ''
  const asked = ctcpOf(text)
  return clean(asked ? `* ${nick} ${asked.argument}` : text).trim()
}

/** The same for the same line, where the server names its lines. */
const idOf = (network: string, { tags, params }: Message): string => {
  const { msgid } = tags
  const mark = msgid
    ? createHash('sha256').update(`${params[0]} ${msgid}`).digest('base64url').slice(0, 22)
    : randomBytes(12).toString('base64url')
  return `${network}~${mark}`
}

const sentenceOf = ({ message, remedy }: Refusal): string => `${message}; ${remedy}`
