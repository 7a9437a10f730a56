import { type APIMessage, type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { wordsOf } from './failures.ts'
import type { Hear } from './hear.ts'
import type { Lanes } from './lanes.ts'

export type BackfillOptions = { rest: REST; port: NetworkPort; hear: Hear; lanes: Lanes }

const PAGE = 100
const MOST = 500
/** How far is counted of what is too much. */
const PAGES = 20

/**
 * Hears what was said while nobody listened: of each channel that leads to a room, what came after the last message that
 * was heard, the oldest first. Of very much it is the newest part, and that there was more is written down.
 */
export const createBackfill = ({ rest, port, hear, lanes }: BackfillOptions) => {
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
    const after = await hear.last(channel)
    if (after === null) return begin(channel)
    const missed = await missedIn(channel, after)
    // Here, and not behind what is being said meanwhile.
    for (const message of missed.slice(0, MOST).reverse()) await hear.now(message)
    const left = missed.length - MOST
    if (left <= 0) return
    const more = missed.length === PAGE * PAGES ? 'at least ' : ''
    const text = `${more}${left} lines that were said in ${channel} while the bot was away are too many to be heard`
    port.drop(refusal('request-too-large', text), channel)
  }

  /** A channel that was never heard begins now: what was said in it before is not for us. */
  const begin = async (channel: string): Promise<void> => {
    const query = new URLSearchParams({ limit: '1' })
    const [newest] = (await rest.get(Routes.channelMessages(channel), { query })) as APIMessage[]
    if (newest) await hear.note(channel, newest.id)
  }

  return (): void => {
    for (const { channel } of port.channels()) {
      void lanes.take(channel, () =>
        fill(channel).catch((problem: unknown) =>
          port.log('what was said meanwhile could not be looked up', { channel, why: wordsOf(problem) }),
        ),
      )
    }
  }
}
