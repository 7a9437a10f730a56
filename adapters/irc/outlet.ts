import type { Once, Outlet, Sent, Spot } from '../../src/chat/outlet.ts'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Askers } from './askers.ts'
import type { Session } from './connection.ts'
import { layOut } from './layout.ts'
import type { More } from './more.ts'
import { type Body, phrase } from './phrase.ts'
import type { Spoke } from './speech.ts'
import { bold, clean } from './text.ts'

type Options = {
  port: NetworkPort
  lines: number
  askers: Askers
  more: More
  /** The connection of ours; null while there is none. */
  main: () => Session | null
  /** The connection of an agent that has a nick of its own. */
  agent: (id: string) => Session | null
}

/** About how much of a line is text. */
const LINE_BYTES = 400
const SOON_MS = 1000
const LATER_MS = 30_000
const NOT_YET: Sent = { kind: 'later', why: 'on the way in', afterMs: SOON_MS }

/** How channels are spoken to. */
export const createOutlet = ({ port, lines, askers, more, main, agent }: Options): Outlet<Body> => {
  const { network, commands } = port
  const plain = new Set<string>()

  /** Who says it: the agent itself where it is in the channel, and else we. */
  const voiceOf = (by: string | null, channel: string): { session: Session | null; isAgent: boolean } => {
    const own = by === null ? null : agent(by)
    return own?.channels.of(channel)?.isIn ? { session: own, isAgent: true } : { session: main(), isAgent: false }
  }

  /** Whether a channel leads to a room: it may be so before we are there, and before we asked to be let in. */
  const isLed = (channel: string): boolean => port.channels().some((one) => one.channel === channel)

  const say = async (session: Session, head: string, { text, house, post }: Body, channel: string): Promise<Spoke> => {
    const limit = session.own.limit('PRIVMSG', channel)
    const { lines: laid, rest } = layOut(text, { head, limit, most: lines, plain: house })
    if (rest === null || post === null) return session.speech.say(channel, laid)
    // What is left can be asked for as soon as one can read that there is something left.
    await more.keep(channel, { ...post, house }, rest)
    return session.speech.say(channel, [...laid, { text: more.hint(rest, true, post), joined: false }])
  }

  /** The same without formatting, where the channel takes none: one cannot ask, and learns it by being refused. */
  const sayAsTaken = async (session: Session, head: string, body: Body, channel: string): Promise<Spoke> => {
    if (plain.has(channel) || clean(head) === head) return say(session, clean(head), body, channel)
    const spoke = await say(session, head, body, channel)
    if (spoke.kind === 'partly') plain.add(channel)
    if (spoke.kind !== 'refused') return spoke
    const again = await say(session, clean(head), body, channel)
    if (again.kind === 'said') plain.add(channel)
    return again
  }

  return {
    capabilities: {
      edits: false,
      threads: false,
      buttons: false,
      whispers: true,
      files: false,
      most: lines * LINE_BYTES,
    },
    pieces: (post, spot) => {
      const body = phrase(post, spot, { network, commands, askerOf: askers.of })
      return body === null ? [] : [{ card: null, body }]
    },
    send: async ({ channel }: Spot, body: Body, { again }: Once): Promise<Sent> => {
      const { session, isAgent } = voiceOf(body.by, channel)
      if (session === null) return { kind: 'later', why: 'not connected', afterMs: SOON_MS }
      const standing = session.channels.of(channel)
      if (standing === null)
        return isLed(channel) ? NOT_YET : { kind: 'never', why: `${channel} is not a channel of ${network}` }
      if (!standing.isIn) return { kind: 'later', why: `not in ${channel}: ${standing.why}`, afterMs: SOON_MS }
      const head = headOf(body, isAgent, again)
      return sentOf(await sayAsTaken(session, head, body, channel), again)
    },
  }
}

/** What stands in front: the mark of what may have been said before, where it is from, who says it, and to whom. */
const headOf = ({ lead, by, to }: Body, isAgent: boolean, again: boolean): string =>
  [
    again ? '(again?) ' : '',
    lead,
    by === null || isAgent ? '' : `${bold(clean(by))}: `,
    to === null ? '' : `${clean(to)}: `,
  ].join('')

/** What can be different when it is tried again is tried again: a ban ends, a channel is opened, or made anew. */
const sentOf = (spoke: Spoke, again: boolean): Sent => {
  switch (spoke.kind) {
    case 'said':
      return { kind: 'sent', ref: spoke.ref }
    case 'unwritten':
      return { kind: 'later', why: spoke.why, afterMs: SOON_MS }
    case 'unsure':
      return { kind: 'unsure', why: spoke.why }
    case 'partly':
      // Whoever said the rest of it over and over would be heard over and over.
      return { kind: again ? 'never' : 'unsure', why: spoke.why }
    case 'refused':
      return { kind: 'later', why: spoke.why, afterMs: LATER_MS }
  }
}
