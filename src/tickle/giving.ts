import { sessionDraft } from '../evidence/drafts.ts'
import type { TurnRecord } from '../evidence/store.ts'
import type { Presence } from '../shapes/agent.ts'
import type { TickleConfig } from '../shapes/config.ts'
import type { Author, Body, BodyOf, Draft } from '../shapes/evidence.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Role } from '../shapes/person.ts'
import { isPassing } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { WorkPhase } from '../shapes/tickle.ts'
import { MINUTE } from './minutes.ts'
import { requestFor, shownFor } from './requests.ts'
import type { Round } from './round.ts'
import { verdictOf } from './verdict.ts'
import { inOrder, readyWork, type Work, type Works, workDraft } from './work.ts'

/** Something that is said for a person who wanted it, through the one pipeline; the same id says it once. */
export type Say = (
  speaker: { name: string; role: Role; via: string },
  said: { id: string; room: string; text: string; command: { name: string; input: Record<string, unknown> } },
) => Promise<Result<Receipt>>

/** An agent that work can be given to, and how it is here. */
export type Hand = {
  id: string
  type: string
  presence: Presence | null
  busy: boolean
  /** Whether a person has it begin nothing more. */
  paused: boolean
  goneSince: number | null
}

type Options = { works: Works; say: Say; self: string; config: TickleConfig }

/** The peripherals that work is done in, and reviewed in. */
const PERIPHERALS: Record<WorkPhase, string> = { work: 'edit', review: 'explore' }

/** How often work that came back is tried again. */
const TRIES = 3
/** How often a review that said nothing clear is asked for once more. */
const UNCLEAR = 1

/** Goes on with the work queue: takes back and judges what ended, then gives out what is next to whoever is free. */
export const createGiving = ({ works, say, self, config }: Options) => {
  const goOn = async (round: Round, hands: readonly Hand[]): Promise<void> => {
    const free = new Map(hands.filter(isFree).map((hand) => [hand.id, hand]))
    for (const work of await works.all()) if (isGivenOut(work)) await settle(round, work, hands)
    for (const work of inOrder(await works.all())) if (work.state === 'working') await review(round, work, free)
    for (const work of readyWork(await works.all())) await begin(round, work, free, hands)
  }

  /** Looks what became of what was given out: it may not even have been said, it may have ended, or its agent be gone. */
  const settle = async (round: Round, work: Work, hands: readonly Hand[]): Promise<void> => {
    if (work.state === 'approved') return finish(round, work)
    const turn = work.given && (await round.store.turn(work.given.turn))
    if (!turn) return ask(round, work)
    const ended = (await round.store.get(`${turn.id}.ended`))?.body
    return ended?.event === 'turn-ended' ? over(round, work, turn, ended) : whileGone(round, work, turn, hands)
  }

  const over = async (round: Round, work: Work, turn: TurnRecord, ended: BodyOf<'turn-ended'>): Promise<void> => {
    if (ended.outcome === 'failed') return giveBack(round, work, `${turn.agent} failed`)
    if (ended.outcome === 'cancelled') return giveUp(round, work, `somebody stopped ${turn.agent}`)
    if (work.state === 'reviewing') return judge(round, work, turn, ended.answer)
  }

  const judge = async (round: Round, work: Work, turn: TurnRecord, answer: string): Promise<void> => {
    const verdict = verdictOf(answer)
    const last = verdict === 'unclear' ? work.unclear >= UNCLEAR : verdict === 'changes' && work.round > config.rounds
    const why = {
      approve: `${turn.agent} approves`,
      changes: last ? `${turn.agent} wants changes after ${work.round} rounds` : answer,
      unclear: `the verdict of ${turn.agent} is not clear`,
    }[verdict]
    const about = { work: work.id, round: work.round, verdict, why, turn: turn.id, people: last }
    const judged = workDraft(work, round.author, { event: 'work-judged', ...about })
    const report = verdict === 'approve' ? [endDraft(next(work), round.author, `${turn.agent} approves`)] : []
    await round.write(`${work.id}: ${verdict}`, [judged, ...report])
  }

  const finish = async (round: Round, work: Work): Promise<void> => {
    await round.write(`${work.id} is done`, [endDraft(work, round.author, work.why)])
  }

  /** Of an agent that is gone for long: its turn is not to go on when it comes back, somebody else has it by then. */
  const whileGone = async (round: Round, work: Work, turn: TurnRecord, hands: readonly Hand[]): Promise<void> => {
    const { goneSince = null } = hands.find(({ id }) => id === turn.agent) ?? {}
    if (goneSince === null) return
    const lapses = goneSince + config.goneMinutes * MINUTE
    round.dueAt(lapses)
    if (lapses > round.now) return
    const stopped = await round.store.get(`${turn.id}.stop`)
    await giveBack(round, work, `${turn.agent} is gone`, stopped ? [] : [stopDraft(work, turn, self)])
  }

  /** Back in the queue, to be tried again; or, after a few times, for people to look at. */
  const giveBack = async (round: Round, work: Work, why: string, also: Draft[] = []): Promise<void> => {
    if (work.tries >= TRIES) return giveUp(round, work, `${why}, after ${TRIES} more tries`, also)
    const body = returned(work, `${why} (try ${work.tries + 1} of ${TRIES})`, false)
    await round.write(`${work.id} came back: ${why}`, [workDraft(work, round.author, body), ...also])
  }

  const giveUp = async (round: Round, work: Work, why: string, also: Draft[] = []): Promise<void> => {
    const body = returned(work, why, true)
    await round.write(`${work.id} waits for people: ${why}`, [workDraft(work, round.author, body), ...also])
  }

  /** Has somebody else look at work that is done; where it came back from a review, once more. */
  const review = async (round: Round, work: Work, free: Map<string, Hand>): Promise<void> => {
    const turn = work.workTurn && (await round.store.get(`${work.workTurn}.ended`))
    if (!turn) return
    const others = [...free.values()].filter((hand) => hand.id !== work.worker && can(hand, 'review'))
    const reviewer = others.find((hand) => isMeant(hand, work.reviewer, config.reviewers))
    if (reviewer && (await give(round, work, 'review', reviewer))) free.delete(reviewer.id)
  }

  const begin = async (round: Round, work: Work, free: Map<string, Hand>, hands: readonly Hand[]): Promise<void> => {
    const able = [...free.values()].filter((hand) => hand.id !== work.reviewer && can(hand, 'work'))
    const meant = able.filter((hand) => isMeant(hand, work.agent, config.workers))
    // Changes are for whoever did the work, as long as they are here.
    const before = meant.find(({ id }) => id === work.worker)
    const waits = work.round > 1 && hands.some((hand) => hand.id === work.worker && isReady(hand))
    const chosen = before ?? (waits ? undefined : meant[0])
    if (chosen && (await give(round, work, 'work', chosen))) free.delete(chosen.id)
  }

  /** Writes down who has it, then asks: what was written and not asked is asked at the next look. */
  const give = async (round: Round, work: Work, phase: WorkPhase, { id: agent }: Hand): Promise<boolean> => {
    const turn = `${messageFor(work)}.${agent}`
    const body = { event: 'work-given', work: work.id, phase, round: work.round, agent, turn } as const
    const draft = workDraft(work, round.author, body)
    if (!(await round.write(`gave ${work.id} to ${agent} (${phase})`, [draft]))) return false
    const given = (await works.all()).find(({ id }) => id === work.id)
    if (given) await ask(round, given)
    return true
  }

  /** Says it for whoever added it. A refusal that will not pass by itself is for people. */
  const ask = async (round: Round, work: Work): Promise<void> => {
    if (!work.given || round.isOver()) return
    const { phase, agent, turn } = work.given
    const request = await requestFor(round.store, work, phase)
    const said = await say(
      { name: work.by, role: work.role, via: self },
      {
        id: turn.slice(0, turn.indexOf('.')),
        room: work.room,
        text: shownFor(work, phase, agent),
        command: { name: PERIPHERALS[phase], input: { agent, request } },
      },
    )
    if (said.ok) return
    if (isPassing(said.refusal)) return round.dueAt(round.now + MINUTE)
    const why = `${agent} could not be asked: ${said.refusal.message}`
    await (PASSING.has(said.refusal.code) ? giveBack(round, work, why) : giveUp(round, work, why))
  }

  return { goOn }
}

const returned = ({ id: work }: Work, why: string, people: boolean): Body => ({
  event: 'work-returned',
  work,
  why,
  people,
  afresh: false,
})

/** The message that gives it out: made from the piece of work and how far it is, so that it is the same after a restart. */
const messageFor = ({ id, entries }: Work): string => `tickle-${id}-${entries}`

const next = (work: Work): Work => ({ ...work, entries: work.entries + 1 })

const endDraft = (work: Work, author: Author, why: string): Draft => {
  const rounds = work.round === 1 ? '' : `, in round ${work.round}`
  const body = {
    event: 'work-ended',
    work: work.id,
    title: work.title,
    outcome: 'done',
    why: `${why}${rounds}`,
  } as const
  return workDraft(work, author, body)
}

/** That a turn is not to go on, for the person it was for. */
const stopDraft = (work: Work, { id, session, room, agent, status }: TurnRecord, self: string): Draft => {
  const author: Author = { kind: 'person', id: work.by, face: 'agent', via: self }
  const queued = status === 'accepted' ? { queued: true as const } : {}
  const body = { event: 'stop-asked', turn: id, why: `${work.id} was handed on`, ...queued } as const
  return sessionDraft({ id: `${id}.stop`, session, room, agent, author, body, inReplyTo: id })
}

/** Whether something of it is with an agent, or about to be reported; what waits for another review is not. */
const isGivenOut = ({ state, given }: Work): boolean =>
  state === 'reviewing' || state === 'approved' || (state === 'working' && given?.phase === 'work')

const isReady = ({ presence }: Hand): boolean => presence?.readiness === 'ready'
const isFree = (hand: Hand): boolean => isReady(hand) && !hand.busy && !hand.paused

const can = ({ presence }: Hand, phase: WorkPhase): boolean =>
  presence?.peripherals.includes(PERIPHERALS[phase]) === true

/** Whoever is named, whatever they are; else one of the types that do such work. */
const isMeant = ({ id, type }: Hand, named: string | null, types: readonly string[]): boolean =>
  named === null ? types.includes(type) : id === named

/** What may well pass when it is tried again, with whoever is there then. */
const PASSING: ReadonlySet<string> = new Set(['agent-not-ready'])
