import { roomDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { Author, Body, BodyOf, Draft, Entry } from '../shapes/evidence.ts'
import { Priority, type WorkPhase, type WorkState, type WorkWanted } from '../shapes/tickle.ts'
import { moveOf, transition } from './work-states.ts'

/** A piece of work, as the evidence has it. */
export type Work = Omit<WorkWanted, 'work'> & {
  id: string
  room: string
  /** Who added it: it is done for them. */
  by: string
  state: WorkState
  /** How many entries there are of it: the next one's id is made from that, so that of two who write it one is too late. */
  entries: number
  /** Which time it is worked on, from 1 on; and how often it came back within that, or its review said nothing clear. */
  round: number
  tries: number
  unclear: number
  /** Who worked on it last, and in which turn. */
  worker: string | null
  workTurn: string | null
  /** What was given out last. */
  given: { phase: WorkPhase; agent: string; turn: string } | null
  /** What the last review asks for. */
  review: string
  /** Why it is where it is. */
  why: string
}

/** What all entries of the work queue are found by. */
const WORK_TAG = 'work'

export type Works = ReturnType<typeof createWorks>

/** The work queue: a fold over the evidence, brought up to date whenever it is asked for. */
export const createWorks = (store: Pick<Store, 'query'>) => {
  const works = new Map<string, Work>()
  let cursor = 0
  let reading: Promise<void> = Promise.resolve()

  const read = async (): Promise<void> => {
    for (;;) {
      const page = await store.query({ tag: WORK_TAG, order: 'oldest', cursor, limit: PAGE })
      if (!page.ok) throw new Error(page.refusal.message)
      const { next, through, entries } = page.value
      for (const entry of entries) note(works, entry)
      cursor = Math.max(cursor, next ?? through)
      if (next === null) return
    }
  }

  return {
    /** Every piece of work there ever was, in the order it was added. */
    all: async (): Promise<readonly Work[]> => {
      // One after the other: an entry is noted once.
      reading = reading.then(read, read)
      await reading
      return [...works.values()]
    },
  }
}

const PAGE = 500

const note = (works: Map<string, Work>, { body, subject, author }: Entry): void => {
  if (body?.event === 'work-added') {
    if (!works.has(body.work)) works.set(body.work, begun(body, subject.id, author.id))
    return
  }
  if (!isMove(body)) return
  const work = works.get(body.work)
  if (work) works.set(body.work, moved({ ...work, entries: work.entries + 1 }, body))
}

type MoveBody = Parameters<typeof moveOf>[0]

const isMove = (body: Body | null): body is MoveBody =>
  body?.event === 'work-given' ||
  body?.event === 'work-judged' ||
  body?.event === 'work-returned' ||
  body?.event === 'work-ended'

const begun = ({ event: _, work: id, ...wanted }: BodyOf<'work-added'>, room: string, by: string): Work => ({
  id,
  ...wanted,
  room,
  by,
  state: 'open',
  entries: 1,
  round: 1,
  tries: 0,
  unclear: 0,
  worker: null,
  workTurn: null,
  given: null,
  review: '',
  why: '',
})

/** A piece of work after something happened to it. What cannot happen changes nothing. */
const moved = (work: Work, body: MoveBody): Work => {
  const move = moveOf(body)
  const state = transition(work.state, move)
  if (state === null) return work
  const next = { ...work, state, why: 'why' in body ? body.why : '' }
  if (body.event === 'work-given') {
    const { phase, agent, turn } = body
    const given = { ...next, given: { phase, agent, turn } }
    return phase === 'work' ? { ...given, worker: agent, workTurn: turn } : given
  }
  if (move === 'changes' && body.event === 'work-judged')
    return { ...next, round: work.round + 1, tries: 0, unclear: 0, review: body.why }
  if (move === 'unclear') return { ...next, unclear: work.unclear + 1 }
  if (move === 'returned') return { ...next, tries: work.tries + 1 }
  return move === 'afresh' ? { ...next, tries: 0, unclear: 0 } : next
}

/** The next entry of a piece of work: where somebody else wrote it first, it is refused. */
export const workDraft = (
  { id, room, entries }: Pick<Work, 'id' | 'room' | 'entries'>,
  author: Author,
  body: Body,
): Draft => {
  const draft = roomDraft({ id: `${id}.${entries}`, room, author, body })
  return { ...draft, tags: [...draft.tags, WORK_TAG, `${WORK_TAG}/${id}`, ...missionTags(body)] }
}

const missionTags = (body: Body): string[] =>
  body.event === 'work-added' && body.mission !== null && /^[A-Za-z0-9._~-]{1,100}$/.test(body.mission)
    ? [`mission/${body.mission}`]
    : []

/** Whether it can still come to something. */
export const isOver = ({ state }: Pick<Work, 'state'>): boolean => state === 'done' || state === 'dropped'

/** What is to be given out, in the order that it is: what it comes after is done; by priority, then by age. */
export const readyWork = (works: readonly Work[]): Work[] => {
  const done = new Set(works.filter(({ state }) => state === 'done').map(({ id }) => id))
  return inOrder(works.filter(({ state, after }) => state === 'open' && after.every((id) => done.has(id))))
}

/** Work in the order that it is looked at: what matters more first, then what is older. */
export const inOrder = (works: readonly Work[]): Work[] => {
  const rank = ({ priority }: Work): number => Priority.options.indexOf(priority)
  return works.toSorted((a, b) => rank(a) - rank(b) || numberOf(a.id) - numberOf(b.id))
}

const numberOf = (id: string): number => Number(id.slice('w-'.length))

/** The id that the next piece of work has, after those that there are. */
export const nextWorkId = (works: readonly Work[]): string =>
  `w-${Math.max(0, ...works.map(({ id }) => numberOf(id))) + 1}`
