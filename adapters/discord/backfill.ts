import { setTimeout as sleep } from 'node:timers/promises'
import { type APIMessage, type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { isForbidden, wasRefused, wordsOf } from './failures.ts'
import type { Hear } from './hear.ts'
import type { Lanes } from './lanes.ts'
import type { Seen } from './seen.ts'

export type BackfillOptions = {
  rest: REST
  port: NetworkPort
  hear: Hear
  seen: Seen
  lanes: Lanes
  signal: AbortSignal
}

const PAGE = 100
const MOST = 500
/** How far is counted of what is too much. */
const PAGES = 20

const TRIES = 10
const FIRST_MS = 500
const MOST_MS = 30_000

/**
 * Hears what was said while nobody listened: of each channel that leads to a room, what came after the last message that
 * was heard, the oldest first. Of very much it is the newest part, and that there was more is written down.
 */
export const createBackfill = ({ rest, port, hear, seen, lanes, signal }: BackfillOptions) => {
  const missedIn = async (channel: string, after: string): Promise<APIMessage[]> => {
    const missed: APIMessage[] = []
    for (let page = 0; page < PAGES; page++) {
      const before = missed.at(-1)?.id
      const query = new URLSearchParams({ limit: String(PAGE), ...(before === undefined ? {} : { before }) })
      const found = (await rest.get(Routes.channelMessages(channel), { query })) as APIMessage[]
      const newer = found.filter(({ id }) => BigInt(id) > BigInt(after))
      missed.push(...newer)
      if (newer.length < PAGE) break
    }
    return missed
  }

  const fill = async (channel: string): Promise<void> => {
    const after = await seen.last(channel)
    if (after === null) return begin(channel)
    const missed = await missedIn(channel, after)
    // Here, and not behind what is being said meanwhile. One that cannot be dealt with does not hold up the others.
    for (const message of missed.slice(0, MOST).reverse())
      await hear
        .now(message)
        .catch((problem: unknown) => port.log('a message of Discord was not dealt with', { why: wordsOf(problem) }))
    const left = missed.length - MOST
    if (left <= 0) return
    const more = missed.length === PAGE * PAGES ? 'at least ' : ''
    const text = `${more}${left} lines that were said in ${channel} while the bot was away are too many to be heard`
    port.drop(refusal('request-too-large', text), channel)
  }

  /** A channel that was never heard begins now: what was said in it before is not for us, and what comes is. */
  const begin = async (channel: string): Promise<void> => {
    const { last_message_id } = (await rest.get(Routes.channel(channel))) as { last_message_id?: string | null }
    await seen.note(channel, last_message_id ?? channel)
  }

  /** Why it has to be looked up again; null where there is no need to, or no use in it. */
  const attempt = async (channel: string): Promise<string | null> => {
    try {
      await fill(channel)
      return null
    } catch (problem) {
      const why = wordsOf(problem)
      port.log('what was said meanwhile could not be looked up', { channel, why })
      return isForbidden(problem) || wasRefused(problem) ? null : why
    }
  }

  /** What cannot be looked up now is looked up again, and what is said meanwhile waits: else it would be passed over. */
  const insist = async (channel: string): Promise<void> => {
    let why: string | null = null
    for (let tries = 1; tries <= TRIES && !signal.aborted; tries++) {
      why = await attempt(channel)
      if (why === null) return
      await sleep(Math.min(MOST_MS, FIRST_MS * 2 ** tries), undefined, { signal }).catch(() => null)
    }
    const text = `what was said in ${channel} while the bot was away could not be looked up: ${why}`
    if (!signal.aborted) port.drop(refusal('request-invalid', text), channel)
  }

  return (): void => {
    for (const { channel } of port.channels()) void lanes.take(channel, () => insist(channel))
  }
}
