import fc from 'fast-check'
import { createDigest } from '../../src/evidence/digest.ts'
import { BELLHOP, houseDraft, roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { sha256 } from '../../src/evidence/hash.ts'
import type { Author, Body, BodyOf, Draft, EventName } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { agentGrant } from '../support/grant.ts'
import { ADA, CLAUDE } from '../support/store.ts'
import { UNDERTAKEN } from '../support/undertakings.ts'

export const BOB: Author = { kind: 'person', id: 'bob', face: 'web', via: 'ada' }
export const CODEX: Author = { kind: 'agent', id: 'codex-1', face: 'rehearsal', via: null }

type Write = (id: string, author: Author, body: Body, inReplyTo?: string) => Draft

const replying = (inReplyTo: string | undefined) => (inReplyTo === undefined ? {} : { inReplyTo })

/** Drafts of one room's own chain. */
export const inRoom =
  (room: string): Write =>
  (id, author, body, inReplyTo) =>
    roomDraft({ id, room, author, body, ...replying(inReplyTo) })

/** Drafts of one session's chain. */
export const inSession =
  (session: string, room: string, agent: string): Write =>
  (id, author, body, inReplyTo) =>
    sessionDraft({ id, session, room, agent, author, body, ...replying(inReplyTo), tags: ['peripheral/explore'] })

export const opened = (session: string, room: string, agent: string): Draft =>
  inSession(session, room, agent)(`${session}.opened`, ADA, { event: 'session-opened', agent, room })

export const closed = (session: string, room: string, agent: string): Draft =>
  inSession(session, room, agent)(`${session}.closed`, ADA, { event: 'session-closed', reason: 'reset by ada' })

export const accepted = (turn: string, session: string, room = 'lobby', agent = 'claude-1'): Draft =>
  inSession(session, room, agent)(turn, ADA, { event: 'accepted', agent, room, peripheral: 'explore', request: 'look' })

const NO = refusal('out-of-scope', '/etc/passwd is outside the workspace')
const START = { event: 'peripheral-started', peripheral: 'explore', tools: ['read', 'grep'], spec: 'x' } as const
const STOP = { event: 'peripheral-stopped', peripheral: 'explore', reason: 'turn-ended' } as const
const FRUIT = { steps: 2, found: ['README.md'] }
const STATES = ['a', 'b'].map((letter) => `100644 ${letter.repeat(64)}`)
const CHANGE = { path: 'src/a b.ts', before: STATES[0] ?? null, after: STATES[1] ?? null, added: 2, removed: 1 }
const BACK = { path: 'src/a b.ts', before: STATES[1] ?? null, after: STATES[0] ?? null, added: 1, removed: 2 }
const SPEC = '{"id":"explore"}'
const DOCS = '{"description":"Finds pages.","inputSchema":{},"name":"search"}'
const CALL = { tool: 'write', args: { path: 'src/a b.ts', text: 'x' } }

/** One body of every event there is: a new event has no place to hide. */
export const bodies: { [E in EventName]: BodyOf<E> } = {
  message: { event: 'message', text: 'good morning ☀ "quoted" \\ \u0000 \ud83d\ude00' },
  answered: { event: 'answered', operation: 'who', answer: 'nobody' },
  heard: { event: 'heard' },
  dropped: { event: 'dropped', refusal: NO },
  assigned: {
    event: 'assigned',
    assignments: [{ turn: 't', session: 's', agent: 'claude-1', peripheral: 'explore' }],
  },
  refused: { event: 'refused', stage: 'dispatch', refusal: NO },
  'mode-changed': { event: 'mode-changed', from: 'discuss', to: 'execute' },
  'profile-set': { event: 'profile-set', from: null, to: 'careful' },
  'room-set': { event: 'room-set', setting: 'listener', to: 'claude-1' },
  'mission-focused': { event: 'mission-focused', mission: 'M-tea', by: 'ada' },
  ...UNDERTAKEN,
  'file-brought': { event: 'file-brought', name: 'größe.log', path: 'upload:größe.log', bytes: 3, hash: 'f00' },
  'todo-added': { event: 'todo-added', text: 'water the größe', by: 'ada' },
  'todo-done': { event: 'todo-done', todo: 'todo-1', by: 'ada' },
  'portfolio-reviewed': {
    event: 'portfolio-reviewed',
    turn: 'm-1.tickle-1',
    step: 'm-1.tickle-1.0',
    snapshot: {
      missions: [{ id: 'M-tea', status: 'ready', boxes: { done: 0, total: 2 }, turns: 1, drift: ['says ready'] }],
      complaints: 0,
    },
  },
  'pattern-selected': {
    event: 'pattern-selected',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.0',
    pattern: 'pour-slowly',
    why: 'it drips: größe',
    over: [{ pattern: 'pour-fast', why: 'it spills' }],
  },
  'pattern-outcome': {
    event: 'pattern-outcome',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.2',
    pattern: 'pour-slowly',
    outcome: 'worked',
    why: 'it does not drip',
    steps: ['m-1.claude-1.1'],
  },
  'pattern-pivoted': {
    event: 'pattern-pivoted',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.3',
    from: 'pour-slowly',
    to: null,
    why: 'it takes too long',
    instead: 'a spoon in the spout',
  },
  'pattern-punctuated': {
    event: 'pattern-punctuated',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.4',
    worked: 'the spoon',
    didNot: 'pouring',
    surprises: 'none',
    next: 'wash up',
    solution: 'a spoon in the spout',
  },
  'pattern-added': {
    event: 'pattern-added',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.5',
    pattern: 'spoon-spout',
    path: 'patterns/spoon-spout/SKILL.md',
    evidence: ['m-1.claude-1.4.punctuated'],
  },
  'pattern-retired': {
    event: 'pattern-retired',
    turn: 'm-1.claude-1',
    step: 'm-1.claude-1.6',
    pattern: 'pour-slowly',
    retired: true,
    why: 'it fails',
  },
  'pattern-declined': {
    event: 'pattern-declined',
    kind: 'new',
    pattern: 'spoon-spout',
    evidence: ['m-1.claude-1.4.punctuated'],
    why: 'no spoons',
    by: 'ada',
  },
  'watch-set': { event: 'watch-set', watched: 'lobby', on: true },
  'thread-bound': { event: 'thread-bound', thread: 't-1', network: 'libera', channel: '#größe' },
  'pair-offered': { event: 'pair-offered', person: 'ada', role: 'approver', expires: '2027-01-01T00:00:00.000Z' },
  paired: { event: 'paired', person: 'ada', role: 'approver', identity: 'libera/ada' },
  'signed-in': { event: 'signed-in', person: 'ada', role: 'operator', name: '3f9c1a22b0de' },
  unpaired: { event: 'unpaired', person: 'ada', identity: 'libera/ada' },
  'delivery-noted': {
    event: 'delivery-noted',
    network: 'libera',
    channel: '#team',
    room: 'lobby',
    about: 'failed',
    post: 'm1',
    position: 7,
    text: 'banned',
  },
  'network-noted': { event: 'network-noted', network: 'libera', state: 'lost', detail: 'ping timeout' },
  bulletin: {
    event: 'bulletin',
    kind: 'change',
    slot: '2026-01-02 09:00',
    told: [{ about: 'budget', text: 'budget near: claude-1 has used 8 of the 10 tokens of its day' }],
    held: [{ about: 'mission', text: 'mission done: m-1' }],
    text: 'budget near: claude-1 has used 8 of the 10 tokens of its day',
    situation: {
      room: 'lobby',
      at: '2026-01-02T09:00:00.000Z',
      agents: [{ id: 'claude-1', readiness: 'ready', doing: 'read "it"', waiting: 0, gone: false }],
      work: { running: 1, queued: 0, waiting: 0, stuck: 0 },
      approvals: [],
      budgets: [],
      missions: { open: [], done: ['m-1'] },
      ended: { since: null, done: 1, failed: 0, cancelled: 0 },
      more: { agents: 0, approvals: 0, budgets: 0, missions: 0 },
    },
  },
  debriefed: {
    event: 'debriefed',
    debrief: {
      session: 's',
      tried: { shown: [{ says: 'asked: fix it', from: ['t'] }], more: 0 },
      worked: { shown: [], more: 0 },
      didNot: { shown: [{ says: 'run failed: exit 1', from: ['t.0.outcome'] }], more: 2 },
      surprises: { shown: [], more: 0 },
      suggestions: { shown: [], more: 0 },
    },
  },
  merged: { event: 'merged', agent: 'codex-1', from: 'a1', into: 'b2', files: ['src/a b.ts'], conflicts: [] },
  'thread-started': {
    event: 'thread-started',
    thread: 't-1',
    agent: 'claude-1',
    name: 'the retries',
    room: 'lobby',
    mode: 'execute',
    from: { thread: 't-0', turn: 't' },
  },
  'thread-archived': { event: 'thread-archived', thread: 't-1', archived: true },
  asked: { event: 'asked', text: 'Which file has the retries?' },
  supposed: { event: 'supposed', text: 'the Größe of the queue is not bounded' },
  concluded: { event: 'concluded', text: 'it is bounded: 1_000' },
  corrected: { event: 'corrected', text: 'not the queue, the mailbox' },
  'session-opened': { event: 'session-opened', agent: 'claude-1', room: 'lobby' },
  'session-closed': { event: 'session-closed', reason: 'reset by ada' },
  accepted: { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request: 'look' },
  'bell-rung': {
    event: 'bell-rung',
    bell: 't.bell',
    from: 'ada',
    to: 'claude-1',
    way: 'bell',
    act: 'query',
    text: 'is it “done”?',
    ref: null,
    job: 't',
    crosses: null,
  },
  'bell-answered': { event: 'bell-answered', bell: 't.bell', job: 't', outcome: 'done', told: 'room', why: '' },
  parked: {
    event: 'parked',
    turn: 't',
    step: 't.0',
    jobs: ['m.codex-1'],
    bell: null,
    until: '2027-01-01T00:00:00.000Z',
  },
  'queue-paused': { event: 'queue-paused', agent: 'claude-1', paused: true, why: 'frozen' },
  'turn-amended': { event: 'turn-amended', turn: 't', request: 'read the other one' },
  'turn-started': { event: 'turn-started', turn: 't' },
  'peripheral-started': { ...START, tools: ['read', 'grep'], turn: 't' },
  'step-refused': {
    event: 'step-refused',
    turn: 't',
    step: 't.0',
    call: { tool: 'read', args: { path: '/' } },
    refusal: NO,
  },
  'step-intended': {
    event: 'step-intended',
    turn: 't',
    step: 't.1',
    call: { tool: 'grep', args: { z: [1, -0.5, null, true, { b: 'x', a: [] }], a: 'ü' } },
  },
  'step-ended': {
    event: 'step-ended',
    turn: 't',
    step: 't.1',
    tool: 'grep',
    outcome: {
      kind: 'ok',
      output: 'a\nb',
      paths: ['./src/queue/mailbox.ts', 'docs'],
      changed: ['src/a b.ts'],
      cut: '3',
    },
  },
  'snapshot-taken': { event: 'snapshot-taken', turn: 't', tree: 'c'.repeat(40) },
  'approval-asked': {
    event: 'approval-asked',
    turn: 't',
    step: 't.2',
    approval: 'k7mpq',
    call: CALL,
    why: 'explore asks before each write',
    opens: 'write to src/a b.ts',
    until: '2027-01-01T00:00:00.000Z',
  },
  'approval-decided': {
    event: 'approval-decided',
    step: 't.2',
    approval: 'k7mpq',
    decision: 'approved',
    role: 'approver',
    note: 'once',
  },
  'stop-asked': { event: 'stop-asked', turn: 't', why: 'enough' },
  steered: { event: 'steered', turn: 't', text: 'and the tests' },
  'peripheral-stopped': { ...STOP, turn: 't', fruit: FRUIT },
  'turn-ended': { event: 'turn-ended', turn: 't', outcome: 'done', answer: 'here' },
  instructed: { event: 'instructed', text: 'You are claude-1.' },
  'turn-briefed': { event: 'turn-briefed', turn: 't', text: 'ada asks: where is it?', from: ['t'] },
  'conversation-opened': {
    event: 'conversation-opened',
    turn: 't',
    runner: 'claude',
    version: '2.1.325',
    model: null,
    conversation: 'c-1',
    why: 'new',
  },
  'agent-said': { event: 'agent-said', turn: 't', text: 'let me look' },
  'turn-noted': { event: 'turn-noted', turn: 't', about: 'retry', text: 'is tried again' },
  'usage-noted': {
    event: 'usage-noted',
    turn: 't',
    model: 'm',
    usage: { input: 1, cached: 2, written: 3, output: 4, reasoning: 1 },
    usd: 0.25,
    person: 'ada',
  },
  reviewed: {
    event: 'reviewed',
    turn: 't',
    step: 't.3',
    facts: { turns: 1, steps: 3, refused: 1, failed: 0, changed: ['src/a b.ts'], tests: 'none' },
    worked: 'the search',
    didNot: 'the write',
    next: 'tests',
  },
  verified: { event: 'verified', through: 12, ok: true, steps: 3, files: 1, violations: [] },
  restoring: { event: 'restoring', what: 'turn t', steps: ['t.2'], files: [BACK] },
  restored: { event: 'restored', what: 'turn t', steps: ['t.2'], files: [BACK], failed: null },
  'wall-declared': { event: 'wall-declared', peripheral: 'explore', spec: SPEC, hash: sha256(SPEC) },
  'tool-seen': { event: 'tool-seen', server: 'docs', tool: 'search', nth: 1, described: DOCS, hash: sha256(DOCS) },
  'tool-pinned': { event: 'tool-pinned', server: 'docs', tool: 'search', hash: sha256(DOCS), role: null },
  digested: { event: 'digested', ...createDigest('s-1', null).made() },
  compacted: { event: 'compacted', policy: '{}', bodies: 2, bytes: 99, entries: 'm1\nm2' },
  'token-minted': {
    event: 'token-minted',
    name: '3f9c1a22b0de',
    label: 'the build host',
    grant: agentGrant({ peripherals: ['explore'] }),
    expires: '2027-01-01T00:00:00.000Z',
  },
  'token-revoked': { event: 'token-revoked', name: '3f9c1a22b0de', why: 'lost' },
  presence: {
    event: 'presence',
    agent: { id: 'claude-1', type: 'claude', readiness: 'lapsed', peripherals: ['explore'], reason: 'no heartbeat' },
  },
  'tickle-cycled': {
    event: 'tickle-cycled',
    through: 12,
    due: '2026-01-01T00:10:00.000Z',
    agents: [{ agent: 'claude-1', state: 'stuck', why: 'nothing was heard for 10 minutes' }],
    did: ['paged claude-1 (bcdfg)'],
  },
  paged: {
    event: 'paged',
    page: 'page-1',
    name: 'bcdfg',
    agent: 'claude-1',
    turn: 't',
    why: 'nothing was heard for 10 minutes',
    until: '2026-01-01T00:15:00.000Z',
  },
  'page-acknowledged': {
    event: 'page-acknowledged',
    page: 'page-1',
    name: 'bcdfg',
    agent: 'claude-1',
    turn: 't',
    escalated: true,
  },
  'page-escalated': {
    event: 'page-escalated',
    page: 'page-1',
    name: 'bcdfg',
    agent: 'claude-1',
    turn: 't',
    why: 'claude-1 does not answer',
  },
  'approval-reminded': {
    event: 'approval-reminded',
    turn: 't',
    step: 't.0',
    approval: 'kqzfm',
    agent: 'claude-1',
    opens: 'run git push',
    until: '2026-01-01T00:30:00.000Z',
  },
  'work-added': {
    event: 'work-added',
    work: 'w-1',
    title: 'fix the lease',
    text: '',
    priority: 'normal',
    after: [],
    agent: null,
    reviewer: null,
    mission: 'M-lease',
    from: 'm1.1',
    role: 'operator',
  },
  'work-given': { event: 'work-given', work: 'w-1', phase: 'work', round: 1, agent: 'codex-1', turn: 't' },
  'work-judged': {
    event: 'work-judged',
    work: 'w-1',
    round: 1,
    verdict: 'unclear',
    why: 'the verdict of claude-1 is not clear',
    turn: 't',
    people: true,
  },
  'work-returned': { event: 'work-returned', work: 'w-1', why: 'codex-1 is gone', people: false, afresh: false },
  'work-ended': { event: 'work-ended', work: 'w-1', title: 'fix the lease', outcome: 'done', why: 'claude-1 approves' },
  // the text world
  'world-begun': {
    event: 'world-begun',
    game: 'lobby-1',
    room: 'lobby',
    kind: 'pick-and-place',
    seed: 7,
    task: 'put a mug on a shelf',
    by: 'claude-1',
    turn: 't',
    step: 't.0',
  },
  'world-moved': {
    event: 'world-moved',
    game: 'lobby-1',
    n: 1,
    player: 'claude-1',
    action: 'go to shelf 1',
    turn: 't',
    step: 't.1',
  },
  'world-won': { event: 'world-won', game: 'lobby-1', n: 1, player: 'claude-1', task: 'put a mug on a shelf' },
}

/**
 * What a few days of a house may look like, call by call: two rooms, agents that come and go, a session that was closed
 * and one that followed it, turns in every state, steps that were refused, failed and interrupted, a changed mode.
 */
export const history = (): Draft[][] => {
  const lobby = inRoom('lobby')
  const den = inRoom('den')
  const s1 = inSession('s-1', 'lobby', 'claude-1')
  const s2 = inSession('s-2', 'lobby', 'claude-1')
  const s3 = inSession('s-3', 'den', 'codex-1')
  const call = { tool: 'read', args: { path: 'README.md' } }
  const step = (turn: string, n: number) => ({ turn, step: `${turn}.${n}` })
  return [
    [
      houseDraft('h1', { ...bodies.presence, agent: { ...bodies.presence.agent, readiness: 'ready' } }, [
        'lobby',
        'den',
      ]),
    ],
    [lobby('m1', ADA, bodies.message), lobby('m1.receipt', BELLHOP, bodies.heard, 'm1')],
    [lobby('m2', BOB, { event: 'message', text: '/mode' }), lobby('m2.receipt', BELLHOP, bodies.answered, 'm2')],
    [den('m3', BOB, { event: 'mode-changed', from: 'discuss', to: 'diagnose' })],
    [lobby('m4', ADA, { event: 'message', text: '@claude look' }), opened('s-1', 'lobby', 'claude-1')],
    [accepted('t1', 's-1'), lobby('m4.receipt', BELLHOP, bodies.assigned, 'm4'), accepted('t2', 's-1')],
    [s1('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' }, 't1')],
    [s1('t1.peripheral', CLAUDE, { ...bodies['peripheral-started'], turn: 't1' }, 't1.started')],
    [s1('t1.0', CLAUDE, { ...bodies['step-refused'], ...step('t1', 0) }, 't1')],
    [s1('t1.1.intent', CLAUDE, { event: 'step-intended', ...step('t1', 1), call }, 't1')],
    [s1('t1.1.outcome', CLAUDE, { ...bodies['step-ended'], ...step('t1', 1), tool: 'read' }, 't1.1.intent')],
    [
      s1('t1.stopped', CLAUDE, { ...bodies['peripheral-stopped'], turn: 't1' }, 't1.started'),
      s1('t1.ended', CLAUDE, { ...bodies['turn-ended'], turn: 't1' }, 't1'),
    ],
    [s1('t2.started', CLAUDE, { event: 'turn-started', turn: 't2' }, 't2')],
    [s1('t2.ended', CLAUDE, { event: 'turn-ended', turn: 't2', outcome: 'failed', answer: 'no' }, 't2')],
    [closed('s-1', 'lobby', 'claude-1')],
    [opened('s-2', 'lobby', 'claude-1'), accepted('t3', 's-2'), accepted('t4', 's-2')],
    [opened('s-3', 'den', 'codex-1'), accepted('t5', 's-3', 'den', 'codex-1')],
    [s2('t3.started', CLAUDE, { event: 'turn-started', turn: 't3' }, 't3')],
    [s3('t5.started', CODEX, { event: 'turn-started', turn: 't5' }, 't5')],
    [s3('t5.peripheral', CODEX, { ...bodies['peripheral-started'], turn: 't5' }, 't5.started')],
    [s3('t5.0.intent', CODEX, { event: 'step-intended', ...step('t5', 0), call }, 't5')],
    [
      s3(
        't5.0.outcome',
        CODEX,
        { event: 'step-ended', ...step('t5', 0), tool: 'read', outcome: { kind: 'interrupted', message: 'died' } },
        't5.0.intent',
      ),
    ],
    [den('m5', ADA, { event: 'message', text: '/deploy' }), den('m5.receipt', BELLHOP, bodies.refused, 'm5')],
    [den('m6', BOB, { event: 'mode-changed', from: 'diagnose', to: 'execute' })],
    [lobby('m7', ADA, { event: 'mode-changed', from: 'discuss', to: 'discuss' })],
    [s2('t3.ended', CLAUDE, { event: 'turn-ended', turn: 't3', outcome: 'done', answer: 'yes' }, 't3')],
    [houseDraft('h2', bodies.presence, ['lobby'])],
    [den('q1', ADA, bodies.asked), den('c1', BOB, bodies.supposed, 'q1')].map(withMission),
    [{ ...den('c2', ADA, bodies.supposed), conjecture: true, pattern: 'retry/backoff' }],
    [den('c2.no', BOB, bodies.corrected, 'c2'), den('q1.yes', BOB, bodies.concluded, 'q1')],
    [{ ...den('f1', ADA, { event: 'message', text: 'another way: retry_all' }), forkOf: 'c1', ephemeral: true }],
    [houseDraft('h3', bodies.compacted, [])],
    [s3('s-3.digest', BELLHOP, bodies.digested)],
    ...stoppedSession(),
    [houseDraft('h4', bodies['wall-declared'], [])],
    [houseDraft('h5', bodies['tool-seen'], []), { ...houseDraft('h6', bodies['tool-pinned'], []), inReplyTo: 'h5' }],
  ]
}

/** A session that asked before it wrote, was stopped, and had what it wrote put back. */
const stoppedSession = (): Draft[][] => {
  const s4 = inSession('s-4', 'den', 'claude-1')
  const step = { turn: 't6', step: 't6.0' }
  const outcome: StepOutcome = { kind: 'failed', message: 'stopped', changed: [CHANGE.path], files: [CHANGE] }
  return [
    [opened('s-4', 'den', 'claude-1'), accepted('t6', 's-4', 'den', 'claude-1')],
    [s4('t6.started', CLAUDE, { event: 'turn-started', turn: 't6' }, 't6')],
    [s4('t6.peripheral', CLAUDE, { ...START, tools: ['write'], turn: 't6' }, 't6.started')],
    [s4('t6.0.approval', CLAUDE, { ...bodies['approval-asked'], ...step }, 't6')],
    [s4('t6.0.decision', BOB, { ...bodies['approval-decided'], step: 't6.0' }, 't6.0.approval')],
    [s4('t6.snapshot', CLAUDE, { ...bodies['snapshot-taken'], turn: 't6' }, 't6')],
    [
      s4(
        't6.0.intent',
        CLAUDE,
        { event: 'step-intended', ...step, call: CALL, reads: [], writes: [CHANGE.path], approval: 't6.0.decision' },
        't6',
      ),
    ],
    [s4('t6.stop', ADA, { ...bodies['stop-asked'], turn: 't6' }, 't6')],
    [
      s4('t6.0.outcome', CLAUDE, { event: 'step-ended', ...step, tool: 'write', outcome }, 't6.0.intent'),
      s4('t6.0.review', CLAUDE, { ...bodies.reviewed, ...step }, 't6.0.intent'),
    ],
    [
      s4('t6.stopped', CLAUDE, { ...bodies['peripheral-stopped'], turn: 't6' }, 't6.started'),
      s4('t6.ended', CLAUDE, { event: 'turn-ended', turn: 't6', outcome: 'cancelled', answer: 'stopped' }, 't6'),
    ],
    [s4('t6.verified', BELLHOP, bodies.verified, 't6.stopped')],
    [s4('t6.undo', ADA, bodies.restoring), s4('t6.undone', ADA, bodies.restored, 't6.undo')],
  ]
}

const withMission = (draft: Draft): Draft => ({ ...draft, tags: [...draft.tags, 'mission/q3'] })

const authors = [ADA, BOB, CLAUDE, CODEX, BELLHOP]
const rooms = ['lobby', 'den', 'attic']

/** What is looked for in a history that was made up: words, and paths. */
const lines = ['the retry', 'RETRIES, unbounded', 'Größe x_1 in src/a.ts', 'ﬁle №5', 'naïve 東京 retr', '… — !']
const files = ['src/a.ts', './src/b/c.ts', 'src/b/', 'docs/x y.md', '/etc/passwd', 'src']

const someFiles = fc.subarray(files, { maxLength: 2 })

const anyOutcome: fc.Arbitrary<StepOutcome> = fc.oneof(
  fc.record({
    kind: fc.constant('ok' as const),
    output: fc.constantFrom(...lines),
    paths: someFiles,
    changed: someFiles,
    cut: fc.constant(null),
  }),
  fc.record({ kind: fc.constant('failed' as const), message: fc.constantFrom(...lines), changed: someFiles }),
  fc.record({ kind: fc.constant('interrupted' as const), message: fc.constantFrom(...lines) }),
)

const STEP = { turn: 't', step: 't.1' }
const anyCall = fc.record({
  tool: fc.constantFrom('read', 'grep'),
  args: fc.record({ path: fc.constantFrom(...files, 7), pattern: fc.constantFrom(...lines) }),
})

const anyBody: fc.Arbitrary<Body> = fc.oneof(
  fc.constantFrom(...Object.values(bodies).filter(({ event }) => event !== 'session-opened')),
  fc.constantFrom(...lines).map((text) => ({ event: 'message' as const, text })),
  anyCall.map((call) => ({ event: 'step-intended' as const, ...STEP, call })),
  fc
    .tuple(anyCall, someFiles, someFiles)
    .map(([call, reads, writes]) => ({ event: 'step-intended' as const, ...STEP, call, reads, writes })),
  anyCall.map((call) => ({ event: 'step-refused' as const, ...STEP, call, refusal: NO })),
  fc
    .tuple(fc.constantFrom('read', 'grep'), anyOutcome)
    .map(([tool, outcome]) => ({ event: 'step-ended' as const, ...STEP, tool, outcome })),
)

/** A line of a history that was made up: what happens, where, by whom, and how long after the line before it. */
const anyLine = fc.record({
  author: fc.constantFrom(...authors),
  room: fc.constantFrom(...rooms),
  body: anyBody,
  tags: fc.array(fc.constantFrom('a', 'b', 'path/src', 'mission/m', 'pattern/p'), { maxLength: 3 }),
  chain: fc.constantFrom('room', 's-1', 's-2'),
  later: fc.constantFrom(0, 1, 999, 1000, 60_000, -90_000),
  answers: fc.option(fc.nat(), { nil: null }),
  forks: fc.option(fc.nat(), { nil: null }),
  pattern: fc.constantFrom(null, null, 'p', 'p/q'),
  conjecture: fc.boolean(),
  ephemeral: fc.constantFrom(false, false, true),
})

/** A made-up history; each line says how many milliseconds it comes after the one before it: clocks also go back. */
export const anyHistory: fc.Arbitrary<{ draft: Draft; later: number }[]> = fc
  .array(anyLine, { minLength: 1, maxLength: 25 })
  .map((lines) =>
    lines.map(({ author, room, body, tags, chain, later, answers, forks, ...rest }, i) => {
      const draft =
        chain === 'room'
          ? roomDraft({ id: `e${i}`, room, author, body })
          : sessionDraft({ id: `e${i}`, session: chain, room, agent: 'claude-1', author, body, tags })
      const before = (n: number | null) => (n === null || i === 0 ? null : `e${n % i}`)
      return { draft: { ...draft, ...rest, inReplyTo: before(answers), forkOf: before(forks) }, later }
    }),
  )
