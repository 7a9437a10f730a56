import { type APIMessage, type REST, Routes } from 'discord.js'
import type { Once, Outlet, Sent, Spot } from '../../src/chat/outlet.ts'
import type { Capabilities, NetworkPort } from '../../src/chat/port.ts'
import type { Answered } from './answered.ts'
import { type Body, changed, created } from './body.ts'
import { CODES, cannotReply, codeOf, failed, isForbidden, wordsOf } from './failures.ts'
import { MOST } from './long.ts'
import { createPieces } from './pieces.ts'
import { createPins } from './pins.ts'
import { findSaid } from './said-before.ts'
import { cut } from './tame.ts'
import { turnCard } from './turn-card.ts'
import type { Turns } from './turns.ts'

const CAPABILITIES: Capabilities = {
  edits: true,
  threads: true,
  buttons: true,
  whispers: true,
  files: true,
  most: MOST,
}

export type OutletOptions = {
  rest: REST
  port: Pick<NetworkPort, 'network' | 'linkTo' | 'report' | 'log' | 'memory'>
  answered: Answered
  turns: Turns
  /** Who the bot is, once that is known. */
  me: () => string | null
}

/** How often a card may change: Discord lets one change about five in five seconds in a channel. */
const CARD_MS = 1500

/** How Discord is spoken to: posts and turns become messages, and what Discord says to them becomes what came of it. */
export const createOutlet = (options: OutletOptions): Outlet<Body> => {
  const { rest, port, answered, turns, me } = options
  const rights = createRights(port)
  const typing = createTyping(rest)
  const pins = createPins({ rest, port, me })

  const say = async (channel: string, body: Body, key: string): Promise<Sent> => {
    const sent = (await rest.post(Routes.channelMessages(channel), created(body, key))) as APIMessage
    return { kind: 'sent', ref: sent.id }
  }

  /** As it is, or in the way that works where Discord objects to this one. */
  const attempt = async (channel: string, body: Body, key: string): Promise<Sent> => {
    try {
      return await say(channel, body, key)
    } catch (problem) {
      if (cannotReply(problem) && body.reply !== null) return say(channel, { ...body, reply: null }, key)
      if (codeOf(problem) !== CODES.archived) throw problem
      await reopen(rest, channel)
      return say(channel, body, key)
    }
  }

  /** Where it was said before: a board is among the pins, where nobody remembers which message it is. */
  const earlier = async (channel: string, body: Body, again: boolean): ReturnType<typeof findSaid> => {
    const board = body.board ? await pins.find(channel, body.embed?.footer?.text ?? '') : null
    if (board !== null) return { kind: 'said', ref: board }
    return again ? findSaid({ rest, channel, body, me: me() }) : { kind: 'not-said' }
  }

  const send = async (spot: Spot, body: Body, { key, again }: Once): Promise<Sent> => {
    const { channel } = spot
    if (body.receipt !== null && (await answered.was(body.receipt))) return { kind: 'sent', ref: null }
    const before = await earlier(channel, body, again)
    if (before.kind === 'said') return body.embed ? edit(spot, before.ref, body) : { kind: 'sent', ref: before.ref }
    const content = before.kind === 'unknown' ? cut(`(again?) ${body.content}`, MOST) : body.content
    return attempt(channel, { ...body, content }, key)
  }

  const edit = async ({ channel }: Spot, ref: string, body: Body): Promise<Sent> => {
    const change = () => rest.patch(Routes.channelMessage(channel, ref), changed(body))
    try {
      await change()
    } catch (problem) {
      if (codeOf(problem) !== CODES.archived) throw problem
      await reopen(rest, channel)
      await change()
    }
    return { kind: 'sent', ref }
  }

  /** Whatever happens, it is said what came of it. */
  const truly = async (channel: string, { board }: Body, work: () => Promise<Sent>): Promise<Sent> => {
    try {
      const sent = await work()
      if (sent.kind === 'sent' && sent.ref !== null) rights.given(channel)
      if (sent.kind === 'sent' && sent.ref !== null && board) await pins.keep(channel, sent.ref)
      return sent
    } catch (problem) {
      if (isForbidden(problem)) rights.missing(channel, problem)
      return failed(problem)
    }
  }

  return {
    capabilities: CAPABILITIES,
    pieces: createPieces(port),
    card: {
      everyMs: CARD_MS,
      of: (view) => {
        turns.look(view)
        return turnCard(view)
      },
    },
    send: (spot, body, once) =>
      truly(spot.channel, body, () => {
        if (body.working) typing(spot.channel)
        return send(spot, body, once)
      }),
    edit: (spot, ref, body) =>
      truly(spot.channel, body, () => {
        if (body.working) typing(spot.channel)
        return edit(spot, ref, body)
      }),
  }
}

/** A thread that was put away takes no changes; a message takes it out by itself, where it is not locked. */
const reopen = (rest: REST, thread: string): Promise<unknown> =>
  rest.patch(Routes.channel(thread), { body: { archived: false } })

/** Says once that a right is missing in a channel, and once that it is there again. */
const createRights = ({ report, log }: Pick<NetworkPort, 'report' | 'log'>) => {
  const missing = new Set<string>()
  return {
    missing: (channel: string, problem: unknown): void => {
      log('nothing can be said in a channel of Discord', { channel, why: wordsOf(problem) })
      if (missing.has(channel)) return
      missing.add(channel)
      const detail = `may not write in the channel ${channel} (${wordsOf(problem)}): \`bellhop doctor\` says which right is missing`
      report({ state: 'connected', detail })
    },
    given: (channel: string): void => {
      if (missing.delete(channel)) report({ state: 'connected', detail: `may write in the channel ${channel} again` })
    },
  }
}

const TYPING_MS = 8000

/** That somebody is at work is shown for ten seconds; nobody waits for it, and it may fail. */
const createTyping = (rest: REST) => {
  const last = new Map<string, number>()
  return (channel: string): void => {
    const now = Date.now()
    if (now - (last.get(channel) ?? 0) < TYPING_MS) return
    last.set(channel, now)
    for (const [old, at] of last) if (now - at >= TYPING_MS) last.delete(old)
    void rest.post(Routes.channelTyping(channel)).catch(() => null)
  }
}
