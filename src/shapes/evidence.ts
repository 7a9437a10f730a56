import { z } from 'zod'
import { Presence } from './agent.ts'
import { Assignment, Id } from './message.ts'
import { ToolCall } from './peripheral.ts'
import { Refusal } from './refusal.ts'
import { RoomMode } from './room.ts'
import { StepOutcome, TurnOutcome } from './turn.ts'

/** The version of the entry format; part of every entry and of its hash. */
export const ENTRY_VERSION = 1

export const EvidenceType = z.enum([
  'forum-post',
  'coordination',
  'gate-traversal',
  'mode-transition',
  'presence-event',
])
export type EvidenceType = z.infer<typeof EvidenceType>

export const Claim = z.enum(['goal', 'step', 'evidence', 'conclusion', 'observation', 'correction'])
export type Claim = z.infer<typeof Claim>

export const SubjectType = z.enum(['room', 'session', 'agent', 'house'])
const Subject = z.strictObject({ type: SubjectType, id: z.string() })

/** Who did it, and through which face. `via` is the token's owner where a person spoke as somebody else. */
export const Author = z.strictObject({
  kind: z.enum(['person', 'agent', 'house']),
  id: z.string().min(1),
  face: z.string(),
  via: z.string().nullable(),
})
export type Author = z.infer<typeof Author>

const body = <E extends string, S extends z.ZodRawShape>(event: E, shape: S) =>
  z.strictObject({ event: z.literal(event), ...shape })

/** What can be written, once: the event, its body, and the type and claim it carries. */
export const events = {
  // a room's chain: what was said, and what it was answered
  message: { type: 'forum-post', claim: 'observation', body: body('message', { text: z.string() }) },
  answered: {
    type: 'coordination',
    claim: 'conclusion',
    body: body('answered', { operation: z.string(), answer: z.string() }),
  },
  heard: { type: 'coordination', claim: 'observation', body: body('heard', {}) },
  assigned: {
    type: 'coordination',
    claim: 'observation',
    body: body('assigned', { assignments: z.array(Assignment) }),
  },
  refused: {
    type: 'gate-traversal',
    claim: 'correction',
    body: body('refused', { stage: z.string(), refusal: Refusal }),
  },
  'mode-changed': {
    type: 'mode-transition',
    claim: 'observation',
    body: body('mode-changed', { from: RoomMode, to: RoomMode }),
  },

  // a session's chain: one run of an agent
  'session-opened': {
    type: 'coordination',
    claim: 'goal',
    body: body('session-opened', { agent: z.string(), room: z.string() }),
  },
  'session-closed': { type: 'coordination', claim: 'conclusion', body: body('session-closed', { reason: z.string() }) },
  accepted: {
    type: 'coordination',
    claim: 'goal',
    body: body('accepted', { agent: z.string(), room: z.string(), peripheral: z.string(), request: z.string() }),
  },
  'turn-started': { type: 'coordination', claim: 'observation', body: body('turn-started', { turn: Id }) },
  'peripheral-started': {
    type: 'coordination',
    claim: 'goal',
    body: body('peripheral-started', {
      turn: Id,
      peripheral: z.string(),
      tools: z.array(z.string()),
      spec: z.string(),
    }),
  },
  'step-refused': {
    type: 'gate-traversal',
    claim: 'correction',
    body: body('step-refused', { turn: Id, step: Id, call: ToolCall, refusal: Refusal }),
  },
  'step-intended': {
    type: 'coordination',
    claim: 'step',
    body: body('step-intended', { turn: Id, step: Id, call: ToolCall }),
  },
  'step-ended': {
    type: 'coordination',
    claim: 'evidence',
    body: body('step-ended', { turn: Id, step: Id, tool: z.string(), outcome: StepOutcome }),
  },
  'peripheral-stopped': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('peripheral-stopped', {
      turn: Id,
      peripheral: z.string(),
      reason: z.string(),
      fruit: z.strictObject({ steps: z.int(), found: z.array(z.string()) }),
    }),
  },
  'turn-ended': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('turn-ended', { turn: Id, outcome: TurnOutcome, answer: z.string() }),
  },

  // the house's chain: who came and went
  presence: { type: 'presence-event', claim: 'observation', body: body('presence', { agent: Presence }) },
} as const satisfies Record<string, { type: EvidenceType; claim: Claim; body: z.ZodType }>

export type EventName = keyof typeof events
export const EventName = z.enum(Object.keys(events) as [EventName, ...EventName[]])

export type BodyOf<E extends EventName> = z.infer<(typeof events)[E]['body']>
export type Body = { [E in EventName]: BodyOf<E> }[EventName]
export const Body: z.ZodType<Body> = z.discriminatedUnion('event', [
  events.message.body,
  events.answered.body,
  events.heard.body,
  events.assigned.body,
  events.refused.body,
  events['mode-changed'].body,
  events['session-opened'].body,
  events['session-closed'].body,
  events.accepted.body,
  events['turn-started'].body,
  events['peripheral-started'].body,
  events['step-refused'].body,
  events['step-intended'].body,
  events['step-ended'].body,
  events['peripheral-stopped'].body,
  events['turn-ended'].body,
  events.presence.body,
])

/** What a writer hands in: the store adds the time, the sequence, the type and claim of the event, and the hashes. */
export const Draft = z.strictObject({
  id: Id,
  session: Id,
  subject: Subject,
  author: Author,
  body: Body,
  tags: z.array(z.string().regex(/^[A-Za-z0-9._/~-]{1,128}$/)),
  inReplyTo: Id.nullable(),
})
export type Draft = z.infer<typeof Draft>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** An entry as it is stored: appended, never changed. */
export const Entry = z.strictObject({
  id: Id,
  /** Its place in the whole store: the cursor of pages and of live followers. */
  position: z.int(),
  version: z.literal(ENTRY_VERSION),
  /** The chain it belongs to, and its place there from 1 on. */
  session: Id,
  seq: z.int().positive(),
  subject: Subject,
  type: EvidenceType,
  claim: Claim,
  author: Author,
  at: z.iso.datetime(),
  tags: z.array(z.string()),
  inReplyTo: Id.nullable(),
  body: Body,
  bodyHash: Hash,
  /** The hash of the entry before it in its chain; 64 zeros for the first. */
  prevHash: Hash,
  hash: Hash,
})
export type Entry = z.infer<typeof Entry>

/** A number, also as a face writes it. */
const Count = z.union(
  [
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ],
  'expected a whole number',
)

/** A strict question to the store: every key is a filter, all must hold, and an unknown one is an error. */
export const EvidenceQuery = z.strictObject({
  session: Id.optional(),
  subject: z
    .string()
    .regex(new RegExp(`^(${SubjectType.options.join('|')})/.+$`), 'expected TYPE/ID, such as "room/lobby"')
    .optional(),
  tag: z.string().optional(),
  author: z.string().optional(),
  type: EvidenceType.optional(),
  claim: Claim.optional(),
  event: EventName.optional(),
  since: z.iso.datetime().optional(),
  before: z.iso.datetime().optional(),
  /** Only entries after (oldest first) or before (newest first) this position. */
  cursor: Count.optional(),
  order: z.enum(['newest', 'oldest']).default('newest'),
  limit: Count.pipe(z.int().min(1).max(1000)).default(50),
})
export type EvidenceQuery = z.infer<typeof EvidenceQuery>
