import { z } from 'zod'
import { Presence, RunnerName } from './agent.ts'
import { Act, Told, TurnBell, Way } from './bell.ts'
import { Debrief } from './debrief.ts'
import { Digest, DigestFiles } from './digest.ts'
import { Fruit } from './fruit.ts'
import { Assignment, Id } from './message.ts'
import { MissionId, Snapshot } from './mission.ts'
import { ChannelName, Identity } from './network.ts'
import { PatternId, PatternOutcome, Proposal } from './pattern.ts'
import { ToolCall } from './peripheral.ts'
import { Role } from './person.ts'
import { Grant } from './principal.ts'
import { Refusal } from './refusal.ts'
import { Name, RoomMode, RoomSetting } from './room.ts'
import { BulletinKind, Change, Situation } from './situation.ts'
import { Judged, Verdict, WorkId, WorkPhase, WorkWanted } from './tickle.ts'
import { FileChange, StepOutcome, TurnOutcome } from './turn.ts'
import {
  Artifact,
  Classified,
  CyclePhase,
  FailedApproach,
  GateResult,
  ItemId,
  LedgerItem,
  Licence,
  Outputs,
  ProofMode,
  ProofPath,
  UndertakingId,
} from './undertaking.ts'
import { Usage } from './usage.ts'
import { Violation } from './verdict.ts'
import { WorldKind, WorldSeed } from './world.ts'

/**
 * The version of the entry format; part of every entry and of its hash. Entries of older versions stay as they are. An entry
 * of a newer version has the same fields and the same hash over them; only its body may be of an event, or have fields, that
 * this version does not know: it is kept, shown and chained as it is, and nothing follows from it. So whoever adds an event,
 * or a field to one, makes this number larger, and versions side by side can share a store.
 */
export const ENTRY_VERSION = 2

export const EvidenceType = z.enum([
  'forum-post',
  'coordination',
  'gate-traversal',
  'mode-transition',
  'presence-event',
  'conjecture',
  'correction',
  'reflection',
])
export type EvidenceType = z.infer<typeof EvidenceType>

export const Claim = z.enum([
  'goal',
  'step',
  'evidence',
  'conclusion',
  'observation',
  'correction',
  'question',
  'conjecture',
])
export type Claim = z.infer<typeof Claim>

export const SubjectType = z.enum(['room', 'session', 'agent', 'house', 'undertaking'])

/** A name in a column of its own: bounded, and of characters that every engine keeps. */
const Label = z
  .string()
  .max(200)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'expected whole characters')
const Subject = z.strictObject({ type: SubjectType, id: Label })

/** Who did it, and through which face. `via` is the token's owner where a person spoke as somebody else. */
export const Author = z.strictObject({
  kind: z.enum(['person', 'agent', 'house']),
  id: Label.min(1),
  face: Label,
  via: Label.nullable(),
})
export type Author = z.infer<typeof Author>

/**
 * retry: it is tried again · fallback: with another model · steer: when a line that was added is heard · compacted: it goes on
 * from what the evidence says · slow: it takes long · resumed: it goes on after a restart
 */
export const NoteKind = z.enum(['retry', 'fallback', 'steer', 'compacted', 'slow', 'resumed'])
export type NoteKind = z.infer<typeof NoteKind>

const body = <E extends string, S extends z.ZodRawShape>(event: E, shape: S) =>
  z.strictObject({ event: z.literal(event), ...shape })

/** What every entry of an undertaking has: which it is, and the step it was done in. */
const undertaken = { undertaking: UndertakingId, turn: Id, step: Id }

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
  /** Nothing was made of a line, on purpose: another bot said it, for one. The room is not told: that would be heard, too. */
  dropped: { type: 'coordination', claim: 'observation', body: body('dropped', { refusal: Refusal }) },
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

  /** How a room works from here on; null is as the config says. */
  'profile-set': {
    type: 'mode-transition',
    claim: 'observation',
    body: body('profile-set', { from: Name.nullable(), to: Name.nullable() }),
  },
  /** How a room is, by choice of the people there; null is as the config says. */
  'room-set': {
    type: 'mode-transition',
    claim: 'observation',
    body: body('room-set', { setting: RoomSetting, to: z.string().nullable() }),
  },
  /** A room is shown what happens in another one; or is no longer. */
  'watch-set': {
    type: 'coordination',
    claim: 'observation',
    body: body('watch-set', { watched: Name, on: z.boolean() }),
  },
  /** A channel of a network leads to a thread: what is said there is said in the thread. */
  'thread-bound': {
    type: 'coordination',
    claim: 'observation',
    body: body('thread-bound', { thread: Name, network: Name, channel: ChannelName }),
  },
  /** What an agent did in a checkout of its own was brought over; or was not, because of conflicts. */
  merged: {
    type: 'coordination',
    claim: 'conclusion',
    body: body('merged', {
      agent: Name,
      /** The commit that was brought over, and the one that came of it; null where none did. */
      from: z.string(),
      into: z.string().nullable(),
      files: z.array(z.string()),
      conflicts: z.array(z.string()),
    }),
  },

  /** Somebody brought a file to a room: what it is read by there, and what it is by its hash. */
  'file-brought': {
    type: 'coordination',
    claim: 'observation',
    body: body('file-brought', { name: z.string(), path: z.string(), bytes: z.int(), hash: z.string() }),
  },

  // missions: what a room works on, what is to be done there, and how all of them stood at a review
  'mission-focused': {
    type: 'coordination',
    claim: 'goal',
    body: body('mission-focused', { mission: MissionId.nullable(), by: z.string() }),
  },
  'todo-added': {
    type: 'coordination',
    claim: 'goal',
    body: body('todo-added', { text: z.string(), by: z.string() }),
  },
  'todo-done': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('todo-done', { todo: Id, by: z.string() }),
  },
  'portfolio-reviewed': {
    type: 'reflection',
    claim: 'observation',
    body: body('portfolio-reviewed', { turn: Id, step: Id, snapshot: Snapshot }),
  },

  // an undertaking's chain: a proof or a mission that goes on from session to session. Every entry has its number there.
  /** It is here from now on; what it is about, in a line. */
  'undertaking-opened': {
    type: 'coordination',
    claim: 'goal',
    body: body('undertaking-opened', { ...undertaken, title: z.string() }),
  },
  /** A session takes it up, in one stay behind a wall: nobody else moves it until that stay is over. */
  'undertaking-taken': {
    type: 'coordination',
    claim: 'observation',
    body: body('undertaking-taken', { ...undertaken, session: Id, stay: Id }),
  },
  /** What is to be proved, to the letter; each version by its hash. */
  'statement-set': {
    type: 'coordination',
    claim: 'goal',
    body: body('statement-set', {
      ...undertaken,
      version: z.int().positive(),
      text: z.string(),
      hash: z.string(),
      why: z.string(),
      /** What stood for the statement before. */
      shaken: z.array(ItemId),
    }),
  },
  /** An item of its ledger is this from now on; and what of the rest does not stand any more because of that. */
  'item-set': {
    type: 'coordination',
    claim: 'evidence',
    body: body('item-set', {
      ...undertaken,
      item: LedgerItem,
      shaken: z.array(ItemId),
      /** Of a mission: it was taken in from a box of its file. */
      from: z.literal('file').optional(),
    }),
  },
  'item-classified': {
    type: 'coordination',
    claim: 'observation',
    body: body('item-classified', { ...undertaken, n: z.int().positive(), classified: Classified }),
  },
  'cycle-begun': {
    type: 'coordination',
    claim: 'goal',
    body: body('cycle-begun', { ...undertaken, n: z.int().positive(), item: ItemId, mode: ProofMode.nullable() }),
  },
  /** A phase was left for the next with what it owed, or for one before it, and why; and the files it left, as they were. */
  'cycle-moved': {
    type: 'coordination',
    claim: 'step',
    body: body('cycle-moved', {
      ...undertaken,
      n: z.int().positive(),
      from: CyclePhase,
      to: CyclePhase,
      outputs: Outputs,
      artifacts: z.array(Artifact).optional(),
      why: z.string().optional(),
    }),
  },
  /** Kept for ever: what was tried, and why it does not work. */
  'approach-failed': {
    type: 'correction',
    claim: 'correction',
    body: body('approach-failed', { ...undertaken, failed: FailedApproach }),
  },
  /** All gates let it through, or it was given up: then the ledger is what it was when it began. */
  'cycle-ended': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('cycle-ended', {
      ...undertaken,
      n: z.int().positive(),
      outcome: z.enum(['completed', 'given-up']),
      why: z.string(),
      gates: z.array(GateResult),
      paths: z.array(ProofPath),
    }),
  },
  'proof-mode-moved': {
    type: 'mode-transition',
    claim: 'observation',
    body: body('proof-mode-moved', { ...undertaken, from: ProofMode, to: ProofMode, why: z.string() }),
  },
  'licence-given': {
    type: 'coordination',
    claim: 'goal',
    body: body('licence-given', { ...undertaken, licence: Licence }),
  },
  'licence-ended': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('licence-ended', { ...undertaken, item: ItemId, why: z.string() }),
  },
  /** The whole of it is in a file: which, as what, and up to which of its entries. */
  'undertaking-saved': {
    type: 'coordination',
    claim: 'observation',
    body: body('undertaking-saved', { ...undertaken, file: Artifact, through: z.int().nonnegative() }),
  },

  // patterns: which was chosen and over which others, what came of it, and what people make of the library
  'pattern-selected': {
    type: 'coordination',
    claim: 'goal',
    body: body('pattern-selected', {
      turn: Id,
      step: Id,
      pattern: PatternId,
      why: z.string(),
      over: z.array(z.strictObject({ pattern: PatternId, why: z.string() })),
    }),
  },
  /** What came of it, and the steps that show it. */
  'pattern-outcome': {
    type: 'reflection',
    claim: 'evidence',
    body: body('pattern-outcome', {
      turn: Id,
      step: Id,
      pattern: PatternId,
      outcome: PatternOutcome,
      why: z.string(),
      steps: z.array(Id),
    }),
  },
  /** It failed and was left, for another or for what no pattern says: then it is said what is done instead. */
  'pattern-pivoted': {
    type: 'correction',
    claim: 'correction',
    body: body('pattern-pivoted', {
      turn: Id,
      step: Id,
      from: PatternId,
      to: PatternId.nullable(),
      why: z.string(),
      instead: z.string().nullable(),
    }),
  },
  /** The end of a stretch, in an agent's own words; and the solution that had no pattern, where there was one. */
  'pattern-punctuated': {
    type: 'reflection',
    claim: 'conclusion',
    body: body('pattern-punctuated', {
      turn: Id,
      step: Id,
      worked: z.string(),
      didNot: z.string(),
      surprises: z.string(),
      next: z.string(),
      solution: z.string().nullable(),
    }),
  },
  /** A new one was written; and what it was proposed for, where it was. */
  'pattern-added': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('pattern-added', { turn: Id, step: Id, pattern: PatternId, path: z.string(), evidence: z.array(Id) }),
  },
  /** It is no longer offered; or it is again. Its file stays. */
  'pattern-retired': {
    type: 'correction',
    claim: 'conclusion',
    body: body('pattern-retired', { turn: Id, step: Id, pattern: PatternId, retired: z.boolean(), why: z.string() }),
  },
  /** A person does not want what was proposed: the same is not proposed again for the same evidence. */
  'pattern-declined': {
    type: 'correction',
    claim: 'conclusion',
    body: body('pattern-declined', {
      kind: Proposal.shape.kind,
      pattern: PatternId,
      evidence: z.array(Id),
      why: z.string(),
      by: z.string(),
    }),
  },

  /** A conversation with an agent began: a room of its own, which may do what the room it was begun in may. */
  'thread-started': {
    type: 'coordination',
    claim: 'goal',
    body: body('thread-started', {
      thread: Name,
      agent: Name,
      name: z.string(),
      /** The room of the config that it was begun from, and the mode that was in. */
      room: Name,
      mode: RoomMode,
      /** What it goes on from: another one, up to a turn; from its beginning where that is null. */
      from: z.strictObject({ thread: Name, turn: Id.nullable() }).nullable(),
    }),
  },
  /** It takes no more messages; or it does again. */
  'thread-archived': {
    type: 'coordination',
    claim: 'observation',
    body: body('thread-archived', { thread: Name, archived: z.boolean() }),
  },

  // how things stand, told to a room, and what a session teaches
  /** Each goes on from the one before it in its room, by its number: whoever counts on the same one says it once. */
  bulletin: {
    type: 'forum-post',
    claim: 'observation',
    body: body('bulletin', {
      kind: BulletinKind,
      /** The newest time of the schedule that was served, by this one or one before. */
      slot: z.string().nullable(),
      /** What changed and is told by it; and what is kept back for when people may be disturbed again. */
      told: z.array(Change),
      held: z.array(Change),
      text: z.string(),
      situation: Situation,
    }),
  },
  /** What was tried in a session that is closed, what worked and what did not, surprises and suggestions. */
  debriefed: { type: 'reflection', claim: 'observation', body: body('debriefed', { debrief: Debrief }) },

  // what people hold: asked, supposed, concluded, put right
  asked: { type: 'forum-post', claim: 'question', body: body('asked', { text: z.string() }) },
  supposed: { type: 'conjecture', claim: 'conjecture', body: body('supposed', { text: z.string() }) },
  concluded: { type: 'forum-post', claim: 'conclusion', body: body('concluded', { text: z.string() }) },
  corrected: { type: 'correction', claim: 'correction', body: body('corrected', { text: z.string() }) },

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
    body: body('accepted', {
      agent: z.string(),
      room: z.string(),
      peripheral: z.string(),
      request: z.string(),
      /** The role of the person who asked: what the work may need more of is refused. */
      role: Role.optional(),
      /** The name of the token it was asked by, where that was made for somebody; or the step of an agent that asked. */
      by: z.string().optional(),
      /** Where the work may lead, where an agent gave it. */
      within: z.array(z.string()).optional(),
      /** How many turns bots and agents have given out in the room since a person did, this one among them. */
      hops: z.int().positive().optional(),
      /** The bell that it was rung for by; nothing where nobody rang. */
      bell: TurnBell.optional(),
    }),
  },
  // bells and whistles
  /** Somebody rang for an agent: written with the turn that is its job. It answers the bell it refers to, or its message. */
  'bell-rung': {
    type: 'coordination',
    claim: 'goal',
    body: body('bell-rung', {
      bell: Id,
      from: z.string(),
      to: Name,
      way: Way,
      act: Act,
      text: z.string(),
      ref: Id.nullable(),
      job: Id,
      /** The bell of the other side that was on its way already, where neither of the two answers the other. */
      crosses: Id.nullable(),
    }),
  },
  /** What was rung for came to an end; and how whoever rang was told. */
  'bell-answered': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('bell-answered', { bell: Id, job: Id, outcome: TurnOutcome, told: Told, why: z.string() }),
  },
  /** A step waits for the turns of others, until they have ended or the time is up. */
  parked: {
    type: 'coordination',
    claim: 'observation',
    body: body('parked', {
      turn: Id,
      step: Id,
      jobs: z.array(Id).min(1),
      /** The bell that was rung for it, where it whistles. */
      bell: Id.nullable(),
      until: z.iso.datetime(),
    }),
  },
  /** A person has an agent begin no further turn; or lets it go on. */
  'queue-paused': {
    type: 'coordination',
    claim: 'observation',
    body: body('queue-paused', { agent: Name, paused: z.boolean(), why: z.string() }),
  },
  /** What a person asks instead, of a turn that has not begun. */
  'turn-amended': {
    type: 'coordination',
    claim: 'goal',
    body: body('turn-amended', { turn: Id, request: z.string() }),
  },
  'turn-started': { type: 'coordination', claim: 'observation', body: body('turn-started', { turn: Id }) },
  'peripheral-started': {
    type: 'coordination',
    claim: 'goal',
    body: body('peripheral-started', {
      turn: Id,
      peripheral: z.string(),
      tools: z.array(z.string()),
      /** The hash of its spec: the house's chain has the spec itself, under that hash. */
      spec: z.string(),
      /** What was carried over by a hop, as far as the peripheral declares it. */
      context: z.record(z.string(), z.unknown()).optional(),
      /** What let it in: a person, a hop, or what is true of the session. */
      entry: z.string().optional(),
      /** The step that hopped here; the start answers the stop it left by. */
      hop: Id.optional(),
    }),
  },
  /** What the workspace was before the first change of a turn, as a tree of the shadow repository. */
  'snapshot-taken': {
    type: 'coordination',
    claim: 'observation',
    body: body('snapshot-taken', { turn: Id, tree: z.string() }),
  },
  /** A call that waits for a person: what it is, why, and until when. */
  'approval-asked': {
    type: 'gate-traversal',
    claim: 'question',
    body: body('approval-asked', {
      turn: Id,
      step: Id,
      /** The short name people answer by. */
      approval: z.string(),
      call: ToolCall,
      why: z.string(),
      /** What a yes opens, in words. */
      opens: z.string(),
      until: z.iso.datetime(),
    }),
  },
  'approval-decided': {
    type: 'gate-traversal',
    claim: 'conclusion',
    body: body('approval-decided', {
      step: Id,
      approval: z.string(),
      decision: z.enum(['approved', 'denied', 'lapsed']),
      /** The role of who decided; null where nobody did in time. */
      role: Role.nullable(),
      note: z.string(),
    }),
  },
  /** A person wants a turn to end, or the agent itself; or whoever asked for one step of it has given that up. */
  'stop-asked': {
    type: 'coordination',
    claim: 'correction',
    body: body('stop-asked', {
      turn: Id,
      why: z.string(),
      step: Id.optional(),
      /** Whether it was taken out of the line before it began. */
      queued: z.literal(true).optional(),
    }),
  },
  /** What a person adds to a turn while it runs; or the house, where it is paged. */
  steered: {
    type: 'coordination',
    claim: 'goal',
    body: body('steered', { turn: Id, text: z.string(), page: Id.optional() }),
  },
  'step-refused': {
    type: 'gate-traversal',
    claim: 'correction',
    body: body('step-refused', { turn: Id, step: Id, call: ToolCall, refusal: Refusal }),
  },
  'step-intended': {
    type: 'coordination',
    claim: 'step',
    body: body('step-intended', {
      turn: Id,
      step: Id,
      call: ToolCall,
      /** What the gate found it to touch, by real names in the workspace. */
      reads: z.array(z.string()).optional(),
      writes: z.array(z.string()).optional(),
      /** The entry by which a person approved it. */
      approval: Id.optional(),
      /** Of a tool of another server: the entry by which its description was accepted. */
      pin: Id.optional(),
    }),
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
      fruit: Fruit,
      /** Where a hop leads, and on which condition; nothing where it is the end. */
      to: z.string().optional(),
      when: z.string().optional(),
    }),
  },
  'turn-ended': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('turn-ended', {
      turn: Id,
      outcome: TurnOutcome,
      answer: z.string(),
      /** The name its answer was shown by while it was being written. */
      said: Id.optional(),
    }),
  },

  // what the program of an agent was told, said and used
  /** Who the agent is and how it works here: the same for a whole session. */
  instructed: { type: 'coordination', claim: 'goal', body: body('instructed', { text: z.string() }) },
  /** What it was told for a turn, and the entries that came from. */
  'turn-briefed': {
    type: 'coordination',
    claim: 'observation',
    body: body('turn-briefed', { turn: Id, text: z.string(), from: z.array(Id) }),
  },
  /** A conversation with its program began, or went on: by which name it is resumed, and why it is this one. */
  'conversation-opened': {
    type: 'coordination',
    claim: 'observation',
    body: body('conversation-opened', {
      turn: Id,
      runner: RunnerName,
      version: z.string(),
      model: z.string().nullable(),
      conversation: z.string(),
      why: z.enum(['new', 'resumed', 'forked', 'compacted', 'lost']),
    }),
  },
  /** What an agent says on the way to its answer. */
  'agent-said': {
    type: 'coordination',
    claim: 'observation',
    body: body('agent-said', { turn: Id, text: z.string() }),
  },
  /** Something about a turn that people should know while it runs. */
  'turn-noted': {
    type: 'coordination',
    claim: 'observation',
    body: body('turn-noted', { turn: Id, about: NoteKind, text: z.string() }),
  },
  /** What one request to a model took; what it cost, where its price is known. */
  'usage-noted': {
    type: 'coordination',
    claim: 'observation',
    body: body('usage-noted', {
      turn: Id,
      model: z.string().nullable(),
      usage: Usage,
      usd: z.number().nonnegative().nullable(),
      /** Who asked for the turn. */
      person: z.string(),
      /** Whether nobody said what it took, because it was ended: then it was reckoned by what was said and heard. */
      reckoned: z.boolean().optional(),
    }),
  },

  /** What an agent makes of a session: what was done, from the evidence, and what it learnt, in its own words. */
  reviewed: {
    type: 'reflection',
    claim: 'observation',
    body: body('reviewed', {
      turn: Id,
      step: Id,
      facts: z.strictObject({
        turns: z.int(),
        steps: z.int(),
        refused: z.int(),
        failed: z.int(),
        changed: z.array(z.string()),
        tests: z.string(),
      }),
      worked: z.string(),
      didNot: z.string(),
      next: z.string(),
    }),
  },
  /** What reading the chain backwards came to, at a stop. */
  verified: {
    type: 'gate-traversal',
    claim: 'conclusion',
    body: body('verified', {
      /** The last entry it covers, by sequence. */
      through: z.int(),
      ok: z.boolean(),
      steps: z.int(),
      /** Files that the chain says were written, and that were looked up on the disk. */
      files: z.int(),
      violations: z.array(Violation),
    }),
  },
  /** Files are about to be put back to what they were: which, from what, to what. */
  restoring: {
    type: 'coordination',
    claim: 'step',
    body: body('restoring', { what: z.string(), steps: z.array(Id), files: z.array(FileChange) }),
  },
  restored: {
    type: 'coordination',
    claim: 'evidence',
    body: body('restored', {
      what: z.string(),
      steps: z.array(Id),
      files: z.array(FileChange),
      failed: z.string().nullable(),
    }),
  },

  /** What a session came to, for those who go on from there: bounded, and made from the evidence alone. */
  digested: {
    type: 'reflection',
    claim: 'observation',
    body: body('digested', { digest: Digest, files: DigestFiles }),
  },

  // the house's chain: who came and went, and what was let go
  /** Bodies that are no longer kept: of which entries, one id a line. Their chains hold without them. */
  compacted: {
    type: 'coordination',
    claim: 'observation',
    body: body('compacted', { policy: z.string(), bodies: z.int(), bytes: z.int(), entries: z.string() }),
  },
  /** A wall as it was put up, once for each that there was: the JSON of its spec, and the hash that starts name it by. */
  'wall-declared': {
    type: 'coordination',
    claim: 'goal',
    body: body('wall-declared', { peripheral: z.string(), spec: z.string(), hash: z.string() }),
  },
  /** A token was made: what it is good for, and until when. Its hash is in the entry's id; nobody has the token itself. */
  'token-minted': {
    type: 'coordination',
    claim: 'goal',
    body: body('token-minted', {
      /** What it is listed under. Not called a token: values of that name are taken out of what is written. */
      name: z.string(),
      label: z.string(),
      grant: Grant,
      expires: z.iso.datetime().nullable(),
    }),
  },
  'token-revoked': {
    type: 'coordination',
    claim: 'correction',
    body: body('token-revoked', { name: z.string(), why: z.string() }),
  },
  /** A person wants another account to be theirs, too. Whoever says the code is; the entry's id has the hash of it. */
  'pair-offered': {
    type: 'coordination',
    claim: 'goal',
    body: body('pair-offered', {
      person: z.string(),
      /** What they may do: what the account is good for, where the config does not know the person. */
      role: Role,
      expires: z.iso.datetime(),
    }),
  },
  /** It is: an account of a network, or one visit of somebody whom the network does not vouch for. */
  paired: {
    type: 'gate-traversal',
    claim: 'conclusion',
    body: body('paired', { person: z.string(), role: Role, identity: Identity }),
  },
  /** Or the code was said on the web page, and the person came in there: `name` is that of the token that was made for it. */
  'signed-in': {
    type: 'gate-traversal',
    claim: 'conclusion',
    body: body('signed-in', { person: z.string(), role: Role, name: z.string() }),
  },
  unpaired: {
    type: 'gate-traversal',
    claim: 'correction',
    body: body('unpaired', { person: z.string(), identity: Identity }),
  },
  /**
   * failed: a post could not be said in a channel · again: it was said once more, because nobody knew whether it had been ·
   * through: all up to this position was said
   */
  'delivery-noted': {
    type: 'coordination',
    claim: 'observation',
    body: body('delivery-noted', {
      network: Name,
      channel: ChannelName,
      room: Name,
      about: z.enum(['failed', 'again', 'through']),
      post: Id.nullable(),
      position: z.int(),
      text: z.string(),
    }),
  },
  /** How it stands with a network: that it is connected, that it is not, and why. */
  'network-noted': {
    type: 'presence-event',
    claim: 'observation',
    body: body('network-noted', {
      network: Name,
      state: z.enum(['connected', 'lost', 'refused']),
      detail: z.string(),
    }),
  },
  /** What another server says a tool of it is, where that is not what it said before. */
  'tool-seen': {
    type: 'coordination',
    claim: 'observation',
    body: body('tool-seen', {
      server: z.string(),
      tool: z.string(),
      /** Which description of this tool it is, from 1 on. */
      nth: z.int().positive(),
      /** The JSON of its name, description and schema, and the hash of that. */
      described: z.string(),
      hash: z.string(),
    }),
  },
  /** The description that it answers is accepted: from here on, the tool is called while it is that, and only then. */
  'tool-pinned': {
    type: 'gate-traversal',
    claim: 'conclusion',
    body: body('tool-pinned', {
      server: z.string(),
      tool: z.string(),
      hash: z.string(),
      /** The role of who accepted it; null for the first, which is accepted with the peripheral that names the tool. */
      role: Role.nullable(),
    }),
  },
  presence: { type: 'presence-event', claim: 'observation', body: body('presence', { agent: Presence }) },

  // Tickle: what it saw, whom it paged, and the work queue
  /** One look of Tickle's: how everybody stands, what it did, and when it has to look again by itself. */
  'tickle-cycled': {
    type: 'coordination',
    claim: 'observation',
    body: body('tickle-cycled', {
      /** All up to this position was looked at. */
      through: z.int(),
      due: z.iso.datetime().nullable(),
      agents: z.array(Judged),
      did: z.array(z.string()),
    }),
  },
  /** An agent was not heard of for too long: it is told, and so is the room. */
  paged: {
    type: 'coordination',
    claim: 'question',
    body: body('paged', {
      page: Id,
      /** The short name people answer by. */
      name: z.string(),
      agent: Name,
      turn: Id,
      why: z.string(),
      until: z.iso.datetime(),
    }),
  },
  /** It was heard of, or somebody looks after it. */
  'page-acknowledged': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('page-acknowledged', { page: Id, name: z.string(), agent: Name, turn: Id, escalated: z.boolean() }),
  },
  /** Nobody answered in time: it is for the people of the room. */
  'page-escalated': {
    type: 'coordination',
    claim: 'question',
    body: body('page-escalated', { page: Id, name: z.string(), agent: Name, turn: Id, why: z.string() }),
  },
  /** Half the time for an approval is over, and nobody has decided. */
  'approval-reminded': {
    type: 'coordination',
    claim: 'question',
    body: body('approval-reminded', {
      turn: Id,
      step: Id,
      approval: z.string(),
      agent: Name,
      opens: z.string(),
      until: z.iso.datetime(),
    }),
  },
  'work-added': { type: 'coordination', claim: 'goal', body: body('work-added', WorkWanted.shape) },
  /** Who has it from here on, and in which turn: written before it is asked for, and asked for once. */
  'work-given': {
    type: 'coordination',
    claim: 'step',
    body: body('work-given', { work: WorkId, phase: WorkPhase, round: z.int(), agent: Name, turn: Id }),
  },
  /** What a review came to; `people` where nobody but a person can say how it goes on. */
  'work-judged': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('work-judged', {
      work: WorkId,
      round: z.int(),
      verdict: Verdict,
      why: z.string(),
      turn: Id.nullable(),
      people: z.boolean(),
    }),
  },
  /** It is back in the queue, and why; `afresh` where a person wants it tried again, whatever was before. */
  'work-returned': {
    type: 'coordination',
    claim: 'correction',
    body: body('work-returned', { work: WorkId, why: z.string(), people: z.boolean(), afresh: z.boolean() }),
  },
  'work-ended': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('work-ended', {
      work: WorkId,
      title: z.string(),
      outcome: z.enum(['done', 'dropped']),
      why: z.string(),
    }),
  },

  // a game's chain: how it was begun, every move, and that it was won
  /** From its kind, its seed and its moves a game can be played again. */
  'world-begun': {
    type: 'coordination',
    claim: 'goal',
    body: body('world-begun', {
      game: Id,
      room: Name,
      kind: WorldKind,
      seed: WorldSeed,
      task: z.string(),
      by: Name,
      turn: Id,
      step: Id,
    }),
  },
  /** Written before it is played: its number is its place among the moves of all players. */
  'world-moved': {
    type: 'coordination',
    claim: 'step',
    body: body('world-moved', {
      game: Id,
      n: z.int().positive(),
      player: Name,
      action: z.string(),
      turn: Id,
      step: Id,
    }),
  },
  'world-won': {
    type: 'coordination',
    claim: 'conclusion',
    body: body('world-won', { game: Id, n: z.int().positive(), player: Name, task: z.string() }),
  },
} as const satisfies Record<string, { type: EvidenceType; claim: Claim; body: z.ZodType }>

export type EventName = keyof typeof events
export const EventName = z.enum(Object.keys(events) as [EventName, ...EventName[]])

export type BodyOf<E extends EventName> = z.infer<(typeof events)[E]['body']>
export type Body = { [E in EventName]: BodyOf<E> }[EventName]
export const Body: z.ZodType<Body, Body> = z.discriminatedUnion('event', [
  events.message.body,
  events.answered.body,
  events.heard.body,
  events.dropped.body,
  events.assigned.body,
  events.refused.body,
  events['mode-changed'].body,
  events['profile-set'].body,
  events['room-set'].body,
  events['watch-set'].body,
  events['thread-bound'].body,
  events.merged.body,
  events['file-brought'].body,
  // missions
  events['mission-focused'].body,
  events['todo-added'].body,
  events['todo-done'].body,
  events['portfolio-reviewed'].body,
  // undertakings
  events['undertaking-opened'].body,
  events['undertaking-taken'].body,
  events['statement-set'].body,
  events['item-set'].body,
  events['item-classified'].body,
  events['cycle-begun'].body,
  events['cycle-moved'].body,
  events['approach-failed'].body,
  events['cycle-ended'].body,
  events['proof-mode-moved'].body,
  events['licence-given'].body,
  events['licence-ended'].body,
  events['undertaking-saved'].body,
  // patterns
  events['pattern-selected'].body,
  events['pattern-outcome'].body,
  events['pattern-pivoted'].body,
  events['pattern-punctuated'].body,
  events['pattern-added'].body,
  events['pattern-retired'].body,
  events['pattern-declined'].body,
  events['thread-started'].body,
  events['thread-archived'].body,
  events.bulletin.body,
  events.debriefed.body,
  events.asked.body,
  events.supposed.body,
  events.concluded.body,
  events.corrected.body,
  events['session-opened'].body,
  events['session-closed'].body,
  events.accepted.body,
  // bells and whistles
  events['bell-rung'].body,
  events['bell-answered'].body,
  events.parked.body,
  events['queue-paused'].body,
  events['turn-amended'].body,
  events['turn-started'].body,
  events['peripheral-started'].body,
  events['snapshot-taken'].body,
  events['approval-asked'].body,
  events['approval-decided'].body,
  events['stop-asked'].body,
  events.steered.body,
  events['step-refused'].body,
  events['step-intended'].body,
  events['step-ended'].body,
  events['peripheral-stopped'].body,
  events['turn-ended'].body,
  events.instructed.body,
  events['turn-briefed'].body,
  events['conversation-opened'].body,
  events['agent-said'].body,
  events['turn-noted'].body,
  events['usage-noted'].body,
  events.reviewed.body,
  events.verified.body,
  events.restoring.body,
  events.restored.body,
  events.digested.body,
  events.compacted.body,
  events['wall-declared'].body,
  events['token-minted'].body,
  events['token-revoked'].body,
  events['pair-offered'].body,
  events.paired.body,
  events['signed-in'].body,
  events.unpaired.body,
  events['delivery-noted'].body,
  events['network-noted'].body,
  events['tool-seen'].body,
  events['tool-pinned'].body,
  events.presence.body,
  events['tickle-cycled'].body,
  events.paged.body,
  events['page-acknowledged'].body,
  events['page-escalated'].body,
  events['approval-reminded'].body,
  events['work-added'].body,
  events['work-given'].body,
  events['work-judged'].body,
  events['work-returned'].body,
  events['work-ended'].body,
  // the text world
  events['world-begun'].body,
  events['world-moved'].body,
  events['world-won'].body,
])

/** A word that entries can be found by. */
export const Tag = z.string().regex(/^[A-Za-z0-9._/~-]{1,128}$/, 'expected a tag such as "room/lobby"')

/** What a writer hands in: the store adds the time, the sequence, the type and claim of the event, and the hashes. */
export const Draft = z.strictObject({
  id: Id,
  session: Id,
  subject: Subject,
  author: Author,
  body: Body,
  tags: z.array(Tag),
  inReplyTo: Id.nullable(),
  /** The entry that this one goes on from in another direction. */
  forkOf: Id.nullable().default(null),
  /** The pattern it is about, selected or tried. */
  pattern: Tag.nullable().default(null),
  /** Whether it is held for possible, until a reply concludes or corrects it. */
  conjecture: z.boolean().default(false),
  /** Whether its body may be let go after a while: nothing later builds on it. */
  ephemeral: z.boolean().default(false),
})
export type Draft = z.input<typeof Draft>
export type WholeDraft = z.output<typeof Draft>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** An entry as it is stored: appended, never changed. */
export const Entry = z.strictObject({
  id: Id,
  /** Its place in the whole store: the cursor of pages and of live followers. */
  position: z.int(),
  version: z.int().min(1).max(ENTRY_VERSION),
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
  forkOf: Id.nullable(),
  pattern: z.string().nullable(),
  conjecture: z.boolean(),
  ephemeral: z.boolean(),
  /** Null where it was let go: a `compacted` entry says when and why. */
  body: Body,
  /** The hash of the body as JSON with sorted keys; a large body is kept under it. */
  bodyHash: Hash,
  /** The hash of the entry before it in its chain; 64 zeros for the first. */
  prevHash: Hash,
  hash: Hash,
})
export type Entry = z.infer<typeof Entry>

/** Whether an entry was written by a newer version, which may know what this one does not. */
export const isNewer = ({ version }: Pick<Entry, 'version'>): boolean => version > ENTRY_VERSION
