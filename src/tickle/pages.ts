import { createHash } from 'node:crypto'
import type { Fence } from '../evidence/append.ts'
import { roomDraft } from '../evidence/drafts.ts'
import { MOST_STEERS, steerDraft, steersFrom } from '../evidence/steers.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { shortName } from '../lib/short-name.ts'
import type { Author, Body, Draft, Entry } from '../shapes/evidence.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Page } from '../shapes/tickle.ts'

type Reader = Pick<Store, 'get' | 'query' | 'turn'>

/** As many pages as are looked at: the last ones. */
const LATEST = 100

/** The id of the page for one silence of a turn, by the last entry heard of it: the same silence has the same page. */
export const pageId = (turn: string, heard: string): string =>
  `page-${createHash('sha256').update(`${turn} ${heard}`).digest('hex').slice(0, 20)}`

export const ackId = (page: string): string => `${page}.ack`
const escalationId = (page: string): string => `${page}.escalated`

/** The pages that nobody has answered, the oldest first. */
export const openPages = async (store: Reader): Promise<Page[]> => {
  const pages: Page[] = []
  for (const entry of await pagesSince(store)) {
    if (await store.get(ackId(entry.id))) continue
    const page = await pageOf(store, entry)
    if (page) pages.push(page)
  }
  return pages.reverse()
}

/** When an agent was last paged; null where it never was. */
export const lastPaged = async (store: Reader, agent: string): Promise<number | null> => {
  const [last] = await pagesSince(store, { agent, limit: 1 })
  return last ? Date.parse(last.at) : null
}

const pagesSince = async (store: Reader, filters: Record<string, unknown> = {}): Promise<Entry[]> => {
  const found = await store.query({ event: 'paged', limit: LATEST, ...filters })
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value.entries
}

const pageOf = async (store: Reader, { id, body, at }: Entry): Promise<Page | null> => {
  if (body?.event !== 'paged') return null
  const { event: _, ...paged } = body
  const room = (await store.turn(paged.turn))?.room
  if (room === undefined) return null
  return { ...paged, room, at, escalated: (await store.get(escalationId(id))) !== null }
}

type Paging = { turn: TurnRecord; heard: string; why: string; text: string; until: number; author: Author }

/**
 * Pages an agent: what it is told and what the room is told are one write, so that there is never the one without the other.
 * Answers its name; null where its turn is at its end, or this silence was paged before.
 */
export const writePage = async (store: Store, fence: Fence, paging: Paging): Promise<Result<string> | null> => {
  const { turn, heard, why, text, until, author } = paging
  const page = pageId(turn.id, heard)
  const name = shortName(page)
  for (;;) {
    if ((await store.get(page)) || (await store.get(`${turn.id}.stopped`)) || (await store.get(`${turn.id}.ended`)))
      return null
    const n = (await steersFrom(store, turn.id, 0)).length
    const { draft: steer, unless } = steerDraft(turn, { n, text, author, page })
    const about = { page, name, agent: turn.agent, turn: turn.id, why, until: new Date(until).toISOString() }
    const paged = pageDraft(turn, author, page, { event: 'paged', ...about })
    const written = await store.append(n < MOST_STEERS ? [paged, steer] : [paged], fence, unless)
    if (written.ok) return ok(name)
    // Somebody said something to it at the same moment, or it ended: both are looked at again.
    if (written.refusal.code !== 'id-conflict' && !(await store.get(unless))) return written
  }
}

const pageDraft = (
  { id: turn, room, agent }: Pick<TurnRecord, 'id' | 'room' | 'agent'>,
  author: Author,
  id: string,
  body: Body,
): Draft => {
  const draft = roomDraft({ id, room, author, body, inReplyTo: turn })
  return { ...draft, tags: [...draft.tags, `agent/${agent}`] }
}

/** That a page was answered: whoever writes this first has done it, and nobody else. */
export const ackDraft = ({ page, name, agent, turn, room, escalated }: Page, author: Author): Draft =>
  pageDraft({ id: turn, room, agent }, author, ackId(page), {
    event: 'page-acknowledged',
    page,
    name,
    agent,
    turn,
    escalated,
  })

/** That nobody answered it in time. */
export const escalationDraft = ({ page, name, agent, turn, room }: Page, why: string, author: Author): Draft =>
  pageDraft({ id: turn, room, agent }, author, escalationId(page), {
    event: 'page-escalated',
    page,
    name,
    agent,
    turn,
    why,
  })
