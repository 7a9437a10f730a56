import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import { hashOf } from '../evidence/hash.ts'
import type { SessionRecord } from '../evidence/store.ts'
import type { Author, Body, BodyOf, Draft } from '../shapes/evidence.ts'
import type { Fruit } from '../shapes/fruit.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Asks, Passed } from '../tools/gate.ts'
import type { CallRequest } from './request.ts'

type Place = Pick<SessionRecord, 'id' | 'room' | 'agent'> & { peripheral: string | null }

/** Entries of a session, signed by its agent. */
const sessionDrafter = ({ id: session, room, agent, peripheral }: Place, author: Author) => {
  const tags = [`peripheral/${peripheral ?? 'none'}`]
  return (id: string, body: Body, inReplyTo: string, more: readonly string[] = []): Draft =>
    sessionDraft({ id, session, room, agent, author, body, inReplyTo, tags: [...more, ...tags] })
}

/** The entries of one step: the intent answers the turn, the outcome answers the intent. */
export const stepDrafts = ({ turn, step, author, call }: CallRequest, session: SessionRecord) => {
  const own = sessionDrafter(session, author)
  const house = sessionDrafter(session, BELLHOP)
  const tool = [`tool/${tagOf(call.tool)}`]
  return {
    intended: ({ reads, writes, pin }: Pick<Passed, 'reads' | 'writes' | 'pin'>, approval: string | null) => {
      const accepted = { ...(approval === null ? {} : { approval }), ...(pin === null ? {} : { pin }) }
      return own(`${step}.intent`, { event: 'step-intended', turn, step, call, reads, writes, ...accepted }, turn, tool)
    },
    refused: (refusal: Refusal) =>
      own(`${step}.outcome`, { event: 'step-refused', turn, step, call, refusal }, turn, tool),
    ended: (outcome: StepOutcome) =>
      own(`${step}.outcome`, { event: 'step-ended', turn, step, tool: call.tool, outcome }, `${step}.intent`, tool),
    snapshot: (tree: string) => own(`${turn}.snapshot`, { event: 'snapshot-taken', turn, tree }, turn),
    asks: ({ why, opens }: Asks, approval: string, until: string) =>
      own(`${step}.approval`, { event: 'approval-asked', turn, step, approval, call, why, opens, until }, turn, tool),
    parked: ({ jobs, bell, until }: Pick<BodyOf<'parked'>, 'jobs' | 'bell' | 'until'>) =>
      own(`${step}.parked`, { event: 'parked', turn, step, jobs, bell, until }, turn, tool),
    lapsed: (approval: string) =>
      house(
        `${step}.decision`,
        { event: 'approval-decided', step, approval, decision: 'lapsed', role: null, note: 'nobody answered in time' },
        `${step}.approval`,
        tool,
      ),
    /** A person is asked what an agent should do that does the same again and again. */
    question: (text: string) => house(`${step}.question`, { event: 'asked', text }, `${step}.outcome`),
    reviewed: (review: Omit<BodyOf<'reviewed'>, 'event' | 'turn' | 'step'>) =>
      own(`${step}.review`, { event: 'reviewed', turn, step, ...review }, `${step}.intent`),
  }
}

type Stop = {
  id: string
  turn: string
  peripheral: string
  fruit: Fruit
  inReplyTo: string
  /** Why, where it is neither a hop nor the end of the turn. */
  reason?: string | undefined
}
type HopTo = { to: string; when: string }

/** A peripheral is left: at the end of a turn, or for another one. */
export const stopped = (
  session: Place,
  author: Author,
  { id, turn, peripheral, fruit, inReplyTo, reason: given }: Stop,
  hop: HopTo | null,
): Draft => {
  const reason = given ?? (hop ? 'hop' : 'turn-ended')
  const body = { event: 'peripheral-stopped', turn, peripheral, reason, fruit } as const
  return sessionDrafter({ ...session, peripheral }, author)(id, hop ? { ...body, ...hop } : body, inReplyTo)
}

type Start = { id: string; turn: string; entry: string; inReplyTo: string; context: Record<string, unknown> }

/** A peripheral is entered: the wall is up. */
export const started = (
  session: Place,
  author: Author,
  spec: PeripheralSpec,
  { id, turn, entry, inReplyTo, context, hop }: Start & { hop: string | null },
): Draft => {
  const body = {
    event: 'peripheral-started',
    turn,
    peripheral: spec.id,
    tools: spec.tools,
    spec: hashOf(spec),
    context,
    entry,
  } as const
  return sessionDrafter({ ...session, peripheral: spec.id }, author)(id, hop ? { ...body, hop } : body, inReplyTo)
}

/** A tool's name comes from an agent: only what a tag may hold of it. */
const tagOf = (tool: string): string => tool.replace(/[^A-Za-z0-9._-]/g, '').slice(0, 64) || 'none'
