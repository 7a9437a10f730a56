import { sql } from 'kysely'
import type { Claim, Entry, EventName } from '../shapes/evidence.ts'
import type { Engine } from './engine/engine.ts'
import { atPositions, chosen, type Reader, wholly } from './read.ts'
import { CONJECTURE, termOf } from './terms.ts'

/** closed: all that was asked is concluded · forked: it goes on elsewhere · stalled: quiet for a day · open: all others. */
type ReplyTreeStatus = 'open' | 'closed' | 'forked' | 'stalled'

export type ReplyTree = {
  root: string
  status: ReplyTreeStatus
  /** The reply tree, depth first: each entry with how deep it lies. */
  entries: { depth: number; entry: Entry }[]
  /** Entries elsewhere that go on from one of these. */
  forks: Entry[]
  /** What was asked here and has no answer yet. */
  open: string[]
  /** Whether there is more than is shown. */
  cut: boolean
}

const STALLED_MS = 86_400_000

/** The most entries of a tree that are read at once. */
const LARGEST = 1000

/** The most that are looked at to see how it stands. */
const WHOLE = 100_000

/** What asks for a conclusion. */
const ASKS: ReadonlySet<string> = new Set<EventName>(['accepted', 'asked', 'supposed', 'approval-asked'])

/**
 * What concludes it: an answer, or that it was wrong. What the gate refused corrects a step, and answers nothing; who
 * wants a turn to end has not ended it.
 */
const CLAIMS = ['conclusion', 'correction'] as const satisfies Claim[]
const NO_ANSWERS = ['refused', 'step-refused', 'stop-asked'] as const satisfies EventName[]

/**
 * An entry and what it answers, back to the beginning: root first. Chains cannot loop: a reply needs its target; in a
 * file that was tampered with, a loop ends where it began.
 */
export const replyChain = (db: Reader, id: string): Promise<Entry[]> =>
  wholly(
    db,
    sql`
      with recursive up (position, in_reply_to) as (
        select position, in_reply_to from entry where id = ${id}
        union
        select entry.position, entry.in_reply_to from entry join up on entry.id = up.in_reply_to
      )
      select position from up order by position
    `,
  )

/** Entries that go on from one in another direction, oldest first. */
export const forksOf = (db: Reader, id: string): Promise<Entry[]> =>
  chosen(db, sql`select position from entry where fork_of = ${id} order by position limit ${LARGEST}`)

/** The whole tree an entry belongs to: from its first message, every reply to a reply. Null where there is no such entry. */
export const replyTreeOf = async (db: Reader, id: string, now: number): Promise<ReplyTree | null> => {
  const root = await rootOf(db, id)
  if (root === null) return null
  const { rows } = await sql<Header>`
    with recursive down (id) as (
      select id from entry where id = ${root}
      union
      select entry.id from entry join down on entry.in_reply_to = down.id
    )
    select entry.position, entry.id, event, claim, at, in_reply_to as "inReplyTo"
    from down join entry on entry.id = down.id order by entry.position limit ${WHOLE}
  `.execute(db)
  // How it stands follows from all of it; bodies are read only of what is shown.
  const shown = await atPositions(
    db,
    rows.slice(0, LARGEST).map(({ position }) => position),
  )
  const ids = new Set(rows.map((header) => header.id))
  const forked = await chosen(
    db,
    sql`select position from entry where fork_of in (${sql.join(shown.map((entry) => entry.id))}) order by position limit ${LARGEST}`,
  )
  const forks = forked.filter((entry) => !ids.has(entry.id))
  return {
    root,
    status: statusOf(rows, forks, now),
    entries: nested(shown, root),
    forks,
    open: unanswered(rows).slice(0, LARGEST),
    cut: shown.length < rows.length,
  }
}

/** What says how a tree stands. */
type Header = Pick<Entry, 'position' | 'id' | 'claim' | 'at' | 'inReplyTo'> & { event: string }

/** Walks up by itself: the bodies of what lies between are not needed. */
const rootOf = async (db: Reader, id: string): Promise<string | null> => {
  const { rows } = await sql<{ id: string }>`
    with recursive up (id, in_reply_to, position) as (
      select id, in_reply_to, position from entry where id = ${id}
      union
      select entry.id, entry.in_reply_to, entry.position from entry join up on entry.id = up.in_reply_to
    )
    select id from up order by position limit 1
  `.execute(db)
  return rows[0]?.id ?? null
}

const statusOf = (tree: Header[], forks: Entry[], now: number): ReplyTreeStatus => {
  const asked = tree.some(({ event }) => ASKS.has(event))
  if (asked && unanswered(tree).length === 0) return 'closed'
  if (forks.length > 0) return 'forked'
  const last =
    tree
      .map(({ at }) => at)
      .sort()
      .at(-1) ?? ''
  return now - Date.parse(last) > STALLED_MS ? 'stalled' : 'open'
}

/** What was asked and has neither a conclusion nor a correction among its replies. */
const unanswered = (tree: Header[]): string[] => {
  const answers = tree.filter(
    ({ claim, event }) => CLAIMS.some((one) => one === claim) && !NO_ANSWERS.some((one) => one === event),
  )
  const answered = new Set(answers.map(({ inReplyTo }) => inReplyTo))
  return tree.filter(({ id, event }) => ASKS.has(event) && !answered.has(id)).map(({ id }) => id)
}

const nested = (tree: Entry[], root: string): ReplyTree['entries'] => {
  const replies = new Map<string, Entry[]>()
  // The root answers nothing; in a file that was tampered with, it may, and replies go round in a circle.
  for (const entry of tree.filter(({ id }) => id !== root)) {
    const siblings = replies.get(entry.inReplyTo ?? '') ?? []
    siblings.push(entry)
    replies.set(entry.inReplyTo ?? '', siblings)
  }
  const shown: ReplyTree['entries'] = []
  const waiting = tree.filter(({ id }) => id === root).map((entry) => ({ depth: 0, entry }))
  // Not by calling itself: a chain of replies may be deeper than the stack.
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    shown.push(next)
    const { depth } = next
    waiting.push(...(replies.get(next.entry.id) ?? []).map((entry) => ({ depth: depth + 1, entry })).reverse())
  }
  return shown
}

export type OpenPoint = { entry: Entry; kind: 'question' | 'conjecture' }

/** Questions without an answer (approvals that wait are some) and conjectures neither confirmed nor refuted, newest first. */
export const openPoints = async ({ db }: Engine, limit: number): Promise<OpenPoint[]> => {
  const names = [termOf('claim', 'question'), CONJECTURE]
  const open = await chosen(
    db,
    sql`
      select distinct posting.position from posting
      join term on term.id = posting.term
      join entry on entry.position = posting.position
      where term.name in (${sql.join(names)}) and not exists (
        select 1 from entry reply
        where reply.in_reply_to = entry.id
          and reply.claim in (${sql.join(CLAIMS)}) and reply.event not in (${sql.join(NO_ANSWERS)})
      )
      order by posting.position desc limit ${limit}
    `,
  )
  return open.map((entry) => ({ entry, kind: entry.conjecture ? 'conjecture' : 'question' }))
}
