import { describe, expect, test } from 'vitest'
import { createDigest } from '../../src/evidence/digest.ts'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import { createFeed } from '../../src/evidence/feed.ts'
import { createLive, type Live } from '../../src/evidence/live.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { type Author, type BodyOf, type Entry, type EventName, events } from '../../src/shapes/evidence.ts'
import { Post } from '../../src/shapes/post.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { FileChange, StepOutcome } from '../../src/shapes/turn.ts'
import { follow, tail, toPost } from '../../src/status/posts.ts'
import { bodies } from '../evidence/history.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { ADA, CLAUDE, must, said, sessionOfOneStep, testStore } from '../support/store.ts'
import { UNDERTAKEN } from '../support/undertakings.ts'

const STEP = { turn: 't1', step: 't1.0' }
const NO_FRUIT = { steps: 0, found: [] }
const CALL = { tool: 'read', args: { path: 'README.md' } }

/** An entry as the store gives it, in a room's chain or in a session's. */
const entryOf = <E extends EventName>(body: BodyOf<E>, chain: 'room' | 'session' = 'session'): Entry => ({
  id: 'e1',
  position: 7,
  version: 1,
  session: chain === 'room' ? 'room-lobby' : 's-1',
  seq: 1,
  subject: chain === 'room' ? { type: 'room', id: 'lobby' } : { type: 'session', id: 's-1' },
  type: events[body.event].type,
  claim: events[body.event].claim,
  author: CLAUDE,
  at: '2026-01-02T03:04:05.000Z',
  tags: ['room/lobby', 'agent/claude-1'],
  inReplyTo: null,
  forkOf: null,
  pattern: null,
  conjecture: false,
  ephemeral: false,
  body,
  bodyHash: '0'.repeat(64),
  prevHash: '0'.repeat(64),
  hash: '0'.repeat(64),
})

const DIGESTED: BodyOf<'digested'> = { event: 'digested', ...createDigest('s-1', null).made() }

type View = Pick<Post, 'kind' | 'text' | 'turn' | 'step' | 'approval' | 'bulletin'>
const view = (kind: Post['kind'], text: string, rest: Partial<View> = {}): View => ({
  kind,
  text,
  turn: null,
  step: null,
  approval: null,
  ...rest,
})

const UNTIL = '2026-01-02T03:14:05.000Z'
const ASKED: BodyOf<'approval-asked'> = {
  event: 'approval-asked',
  ...STEP,
  approval: 'k7f2q',
  call: { tool: 'run', args: { argv: ['git', 'push', 'origin', 'main'] } },
  why: 'deploy asks before each git push',
  opens: 'run git push origin main, with the network',
  until: UNTIL,
}
const CHANGE: FileChange = { path: 'src/a.ts', before: null, after: null, added: 2, removed: 1 }

/** What a room reads of each event, or that it is not shown, and why not. Every event has a line here. */
const decided: { [E in EventName]: { body: BodyOf<E>; shown: View | { not: string } } } = {
  message: { body: { event: 'message', text: 'hello <b>' }, shown: view('said', 'hello <b>') },
  answered: {
    body: { event: 'answered', operation: 'who', answer: 'nobody' },
    shown: view('answer', 'nobody'),
  },
  heard: { body: { event: 'heard' }, shown: { not: 'the line itself is shown' } },
  dropped: {
    body: { event: 'dropped', refusal: refusal('bot-ignored', 'otherbot is a bot') },
    shown: { not: 'whoever was dropped would hear it, and answer' },
  },
  'room-set': {
    body: { event: 'room-set', setting: 'listener', to: 'nobody' },
    shown: view('notice', 'claude-1 gated the room: agents hear what names them'),
  },
  'mission-focused': {
    body: { event: 'mission-focused', mission: 'M-tea', by: 'ada' },
    shown: view('notice', 'ada focused the room on M-tea'),
  },
  'undertaking-opened': { body: UNDERTAKEN['undertaking-opened'], shown: { not: 'the step says it' } },
  'undertaking-taken': { body: UNDERTAKEN['undertaking-taken'], shown: { not: 'the step says it' } },
  'statement-set': { body: UNDERTAKEN['statement-set'], shown: { not: 'the step says it' } },
  'item-set': { body: UNDERTAKEN['item-set'], shown: { not: 'the step says it' } },
  'item-classified': { body: UNDERTAKEN['item-classified'], shown: { not: 'the step says it' } },
  'cycle-moved': { body: UNDERTAKEN['cycle-moved'], shown: { not: 'the step says it' } },
  'approach-failed': { body: UNDERTAKEN['approach-failed'], shown: { not: 'the step says it' } },
  'proof-mode-moved': { body: UNDERTAKEN['proof-mode-moved'], shown: { not: 'the step says it' } },
  'licence-given': { body: UNDERTAKEN['licence-given'], shown: { not: 'the step says it' } },
  'licence-ended': { body: UNDERTAKEN['licence-ended'], shown: { not: 'the step says it' } },
  'undertaking-saved': { body: UNDERTAKEN['undertaking-saved'], shown: { not: 'the step says it' } },
  'cycle-begun': { body: UNDERTAKEN['cycle-begun'], shown: view('notice', 'P-sum: cycle 1 on C-1') },
  'cycle-ended': {
    body: UNDERTAKEN['cycle-ended'],
    shown: view('notice', 'P-sum: cycle 1 is completed: C-1 is proved'),
  },
  'file-brought': {
    body: { event: 'file-brought', name: 'a b.log', path: 'upload:a-b.log', bytes: 3, hash: 'f00' },
    shown: view('notice', 'claude-1 brought upload:a-b.log (3 bytes)'),
  },
  'todo-added': { body: { event: 'todo-added', text: 'tea', by: 'ada' }, shown: { not: 'the answer says it' } },
  'todo-done': { body: { event: 'todo-done', todo: 'x', by: 'ada' }, shown: { not: 'the answer says it' } },
  'portfolio-reviewed': {
    body: {
      event: 'portfolio-reviewed',
      turn: 'm-1.tickle-1',
      step: 'm-1.tickle-1.0',
      snapshot: { missions: [], complaints: 0 },
    },
    shown: { not: 'the answer says it' },
  },
  'pattern-selected': {
    body: { event: 'pattern-selected', ...STEP, pattern: 'pour-slowly', why: 'it drips', over: [] },
    shown: view('notice', 'claude-1 goes by the pattern pour-slowly: it drips', { turn: 't1' }),
  },
  'pattern-outcome': {
    body: { event: 'pattern-outcome', ...STEP, pattern: 'pour-slowly', outcome: 'failed', why: 'it drips', steps: [] },
    shown: view('notice', 'claude-1 says that the pattern pour-slowly failed: it drips', { turn: 't1' }),
  },
  'pattern-pivoted': {
    body: { event: 'pattern-pivoted', ...STEP, from: 'pour-slowly', to: null, why: 'it drips', instead: 'a spoon' },
    shown: view('notice', 'claude-1 leaves the pattern pour-slowly: it drips; instead: a spoon', { turn: 't1' }),
  },
  'pattern-punctuated': {
    body: {
      event: 'pattern-punctuated',
      ...STEP,
      worked: 'the spoon',
      didNot: 'pouring',
      surprises: 'none',
      next: 'wash up',
      solution: null,
    },
    shown: view(
      'notice',
      'claude-1 ended a stretch: worked: the spoon; did not: pouring; surprises: none; next: wash up',
      { turn: 't1' },
    ),
  },
  'pattern-added': {
    body: { event: 'pattern-added', ...STEP, pattern: 'a', path: 'patterns/a/SKILL.md', evidence: [] },
    shown: { not: 'the step that made it is shown' },
  },
  'pattern-retired': {
    body: { event: 'pattern-retired', ...STEP, pattern: 'pour-slowly', retired: true, why: 'it drips' },
    shown: view('notice', 'the pattern pour-slowly is retired: it drips', { turn: 't1' }),
  },
  'pattern-declined': {
    body: { event: 'pattern-declined', kind: 'new', pattern: 'a', evidence: [], why: 'no', by: 'ada' },
    shown: { not: 'the answer says it' },
  },
  'watch-set': {
    body: { event: 'watch-set', watched: 'ops', on: true },
    shown: view('notice', 'claude-1 has this room watch ops'),
  },
  'thread-bound': {
    body: { event: 'thread-bound', thread: 't-1', network: 'libera', channel: '#team' },
    shown: view('notice', 'this thread is #team on libera'),
  },
  'pair-offered': {
    body: { event: 'pair-offered', person: 'ada', role: 'admin', expires: UNTIL },
    shown: { not: 'it is for the one who asked' },
  },
  paired: {
    body: { event: 'paired', person: 'ada', role: 'admin', identity: 'libera/ada' },
    shown: { not: 'it is about a person, not about a room' },
  },
  'signed-in': {
    body: { event: 'signed-in', person: 'ada', role: 'operator', name: '3f9c1a22b0de' },
    shown: { not: 'it is about a person, not about a room' },
  },
  unpaired: {
    body: { event: 'unpaired', person: 'ada', identity: 'libera/ada' },
    shown: { not: 'it is about a person, not about a room' },
  },
  'delivery-noted': {
    body: {
      event: 'delivery-noted',
      network: 'libera',
      channel: '#team',
      room: 'lobby',
      about: 'failed',
      post: 'm1',
      position: 7,
      text: 'the bot is banned',
    },
    shown: view('notice', 'NOT said in #team on libera: m1: the bot is banned'),
  },
  'network-noted': {
    body: { event: 'network-noted', network: 'libera', state: 'lost', detail: 'ping timeout' },
    shown: view('notice', 'libera is lost: ping timeout'),
  },
  assigned: { body: { event: 'assigned', assignments: [] }, shown: { not: 'each assignment is shown as accepted' } },
  refused: {
    body: { event: 'refused', stage: 'mode', refusal: refusal('command-unknown', 'there is no command /x') },
    shown: view('refusal', 'there is no command /x [command-unknown]\nsay /help for the list of commands'),
  },
  'thread-started': {
    body: {
      event: 'thread-started',
      thread: 't-1',
      agent: 'claude-1',
      name: 'the\nretries',
      room: 'lobby',
      mode: 'execute',
      from: { thread: 't-0', turn: null },
    },
    shown: view('notice', 'a thread with claude-1: the retries, from t-0'),
  },
  'thread-archived': {
    body: { event: 'thread-archived', thread: 't-1', archived: true },
    shown: view('notice', 'archived'),
  },
  asked: { body: { event: 'asked', text: 'why?' }, shown: view('said', 'asks: why?') },
  supposed: { body: { event: 'supposed', text: 'it is' }, shown: view('said', 'supposes: it is') },
  concluded: { body: { event: 'concluded', text: 'so' }, shown: view('said', 'concludes: so') },
  corrected: { body: { event: 'corrected', text: 'not so' }, shown: view('said', 'corrects: not so') },
  digested: { body: DIGESTED, shown: { not: 'who wants it asks for it with /digest' } },
  compacted: {
    body: { event: 'compacted', policy: '{}', bodies: 1, bytes: 2, entries: 'm1' },
    shown: { not: 'it is about the store, not about a room' },
  },
  'mode-changed': {
    body: { event: 'mode-changed', from: 'discuss', to: 'diagnose' },
    shown: view('notice', 'the room went from discuss to diagnose'),
  },
  'session-opened': {
    body: { event: 'session-opened', agent: 'claude-1', room: 'lobby' },
    shown: { not: 'the work it was opened for is shown as accepted' },
  },
  'session-closed': {
    body: { event: 'session-closed', reason: 'reset by ada' },
    shown: view('notice', 'session closed: reset by ada'),
  },
  accepted: {
    body: { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request: 'look' },
    shown: view('accepted', 'claude-1 has it, in explore', { turn: 'e1' }),
  },
  'turn-started': {
    body: { event: 'turn-started', turn: 't1' },
    shown: view('working', 'is at work', { turn: 't1' }),
  },
  'peripheral-started': {
    body: { event: 'peripheral-started', turn: 't1', peripheral: 'explore', tools: ['read'], spec: 'x' },
    shown: { not: 'the accepted work names it' },
  },
  'step-refused': {
    body: { event: 'step-refused', ...STEP, call: CALL, refusal: refusal('out-of-scope', 'README.md is outside') },
    shown: view('step', 'read {"path":"README.md"}: README.md is outside [out-of-scope]', {
      turn: 't1',
      step: { id: 't1.0', state: 'refused' },
    }),
  },
  'step-intended': {
    body: { event: 'step-intended', ...STEP, call: CALL },
    shown: view('step', 'read {"path":"README.md"}', { turn: 't1', step: { id: 't1.0', state: 'running' } }),
  },
  'step-ended': {
    body: { event: 'step-ended', ...STEP, tool: 'read', outcome: { kind: 'failed', message: 'no such file' } },
    shown: view('step', 'read: no such file', { turn: 't1', step: { id: 't1.0', state: 'failed' } }),
  },
  'peripheral-stopped': {
    body: {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'explore',
      reason: 'turn-ended',
      fruit: NO_FRUIT,
    },
    shown: { not: 'the answer of the turn follows it, where it is no hop' },
  },
  'snapshot-taken': {
    body: { event: 'snapshot-taken', turn: 't1', tree: 'f00' },
    shown: { not: 'it is what /undo goes back to, and says nothing by itself' },
  },
  'approval-asked': {
    body: ASKED,
    shown: view(
      'approval',
      'asks to run git push origin main, with the network\ndeploy asks before each git push\nrun {"argv":["git","push","origin","main"]}',
      {
        turn: 't1',
        step: { id: 't1.0', state: 'running' },
        approval: { name: 'k7f2q', state: 'open', until: UNTIL },
      },
    ),
  },
  'approval-decided': {
    body: {
      event: 'approval-decided',
      step: 't1.0',
      approval: 'k7f2q',
      decision: 'denied',
      role: 'approver',
      note: 'not on a Friday',
    },
    shown: view('approval', 'denied k7f2q: not on a Friday', {
      step: { id: 't1.0', state: 'running' },
      approval: { name: 'k7f2q', state: 'denied', until: null },
    }),
  },
  'stop-asked': {
    body: { event: 'stop-asked', turn: 't1', why: 'wrong branch' },
    shown: view('notice', 'claude-1 told claude-1 to stop: wrong branch', { turn: 't1' }),
  },
  steered: {
    body: { event: 'steered', turn: 't1', text: 'and the tests' },
    shown: view('said', 'adds: and the tests', { turn: 't1' }),
  },
  reviewed: {
    body: {
      event: 'reviewed',
      ...STEP,
      facts: { turns: 1, steps: 2, refused: 0, failed: 0, changed: [], tests: 'pass' },
      worked: 'the\ntests',
      didNot: 'the push',
      next: 'x'.repeat(300),
    },
    shown: view(
      'notice',
      `claude-1 reviewed the session: worked: the tests; did not: the push; next: ${'x'.repeat(199)}…`,
      { turn: 't1' },
    ),
  },
  verified: {
    body: {
      event: 'verified',
      through: 9,
      ok: false,
      steps: 2,
      files: 1,
      violations: [
        { entry: 't1.0.intent', rule: 'scope', what: '/etc/passwd is outside' },
        { entry: 't1.1.intent', rule: 'tools', what: 'no such tool' },
      ],
    },
    shown: view('notice', 'VERIFY FAILED: /etc/passwd is outside [scope] at t1.0.intent, and 1 more; say /verify s-1'),
  },
  restoring: {
    body: { event: 'restoring', what: 'turn t1', steps: ['t1.0'], files: [CHANGE] },
    shown: { not: 'what came of it follows' },
  },
  restored: {
    body: { event: 'restored', what: 'turn t1', steps: ['t1.0'], files: [CHANGE], failed: null },
    shown: view('notice', 'claude-1 put back turn t1: 1 file'),
  },
  'wall-declared': {
    body: { event: 'wall-declared', peripheral: 'edit', spec: '{}', hash: 'x' },
    shown: { not: 'it is about the house, not about a room' },
  },
  'tool-seen': {
    body: { event: 'tool-seen', server: 'docs', tool: 'search', nth: 1, described: '{}', hash: 'x' },
    shown: { not: 'it is about the house, not about a room' },
  },
  'tool-pinned': {
    body: { event: 'tool-pinned', server: 'docs', tool: 'search', hash: 'x', role: null },
    shown: { not: 'it is about the house, not about a room' },
  },
  'profile-set': {
    body: { event: 'profile-set', from: null, to: 'careful' },
    shown: view('notice', 'the room works careful'),
  },
  bulletin: {
    body: bodies.bulletin,
    shown: {
      ...view('notice', 'budget near: claude-1 has used 8 of the 10 tokens of its day'),
      bulletin: { kind: 'change', situation: bodies.bulletin.situation },
    },
  },
  debriefed: {
    body: bodies.debriefed,
    shown: view('notice', 'debrief: 0 worked, 3 did not, 0 surprises; say /debrief s'),
  },
  merged: {
    body: { event: 'merged', agent: 'codex-1', from: 'a', into: 'b', files: ['x'], conflicts: [] },
    shown: view('notice', 'claude-1 merged what codex-1 did: 1 file'),
  },
  'bell-rung': {
    body: {
      event: 'bell-rung',
      bell: 't1.bell',
      from: 'claude-1',
      to: 'codex-1',
      way: 'bell',
      act: 'query',
      text: 'is it done?',
      ref: null,
      job: 't1',
      crosses: 't0.bell',
    },
    shown: view('notice', 'claude-1 and codex-1 rang for each other: this bell crosses t0.bell', { turn: 't1' }),
  },
  'bell-answered': {
    body: { event: 'bell-answered', bell: 't1.bell', job: 't1', outcome: 'done', told: 'kept', why: 'it is paused' },
    shown: view('notice', 'nobody was told by a bell: it is paused', { turn: 't1' }),
  },
  parked: {
    body: { event: 'parked', turn: 't1', step: 't1.0', jobs: ['m1.codex-1'], bell: null, until: UNTIL },
    shown: view('notice', `claude-1 waits for m1.codex-1 until ${UNTIL}`, { turn: 't1' }),
  },
  'queue-paused': {
    body: { event: 'queue-paused', agent: 'codex-1', paused: true, why: 'the branch is frozen' },
    shown: view('notice', 'claude-1 paused codex-1: the branch is frozen'),
  },
  'turn-amended': {
    body: { event: 'turn-amended', turn: 't1', request: 'the other one' },
    shown: view('said', 'asks instead: the other one', { turn: 't1' }),
  },
  instructed: { body: { event: 'instructed', text: 'x' }, shown: { not: 'it is for the agent' } },
  'turn-briefed': {
    body: { event: 'turn-briefed', turn: 't1', text: 'x', from: [] },
    shown: { not: 'it is for the agent' },
  },
  'conversation-opened': {
    body: {
      event: 'conversation-opened',
      turn: 't1',
      runner: 'claude',
      version: '2',
      model: null,
      conversation: 'c',
      why: 'new',
    },
    shown: { not: 'that the agent is at work is shown' },
  },
  'agent-said': {
    body: { event: 'agent-said', turn: 't1', text: 'let me look' },
    shown: view('aside', 'let me look', { turn: 't1' }),
  },
  'turn-noted': {
    body: { event: 'turn-noted', turn: 't1', about: 'retry', text: 'is tried again' },
    shown: view('notice', 'claude-1 is tried again', { turn: 't1' }),
  },
  'usage-noted': {
    body: {
      event: 'usage-noted',
      turn: 't1',
      model: null,
      usage: { input: 1, cached: 0, written: 0, output: 1, reasoning: 0 },
      usd: null,
      person: 'ada',
    },
    shown: { not: 'it is summed up by /usage' },
  },
  'turn-ended': {
    body: { event: 'turn-ended', turn: 't1', outcome: 'done', answer: 'it is 42' },
    shown: view('answer', 'it is 42', { turn: 't1' }),
  },
  'token-minted': {
    body: {
      event: 'token-minted',
      name: '3f9c1a22b0de',
      label: '',
      grant: { kind: 'person', name: 'ada', role: 'viewer' },
      expires: null,
    },
    shown: { not: 'tokens are nobody’s but the admin’s, who asks /tokens' },
  },
  'token-revoked': {
    body: { event: 'token-revoked', name: '3f9c1a22b0de', why: 'lost' },
    shown: { not: 'tokens are nobody’s but the admin’s, who asks /tokens' },
  },
  presence: {
    body: {
      event: 'presence',
      agent: { id: 'claude-1', type: 'claude', readiness: 'lapsed', peripherals: [], reason: 'no heartbeat' },
    },
    shown: view('notice', 'claude-1 is lapsed: no heartbeat'),
  },
  'tickle-cycled': {
    body: {
      event: 'tickle-cycled',
      through: 12,
      due: '2026-01-01T00:10:00.000Z',
      agents: [{ agent: 'claude-1', state: 'stuck', why: 'nothing was heard for 10 minutes' }],
      did: ['paged claude-1 (bcdfg)'],
    },
    shown: { not: 'what was done is shown by itself; that somebody looked is not' },
  },
  paged: {
    body: {
      event: 'paged',
      page: 'page-1',
      name: 'bcdfg',
      agent: 'claude-1',
      turn: 't1',
      why: 'nothing was heard for 10 minutes',
      until: '2026-01-01T00:15:00.000Z',
    },
    shown: view('notice', 'page bcdfg: claude-1: nothing was heard for 10 minutes', { turn: 't1' }),
  },
  'page-acknowledged': {
    body: {
      event: 'page-acknowledged',
      page: 'page-1',
      name: 'bcdfg',
      agent: 'claude-1',
      turn: 't1',
      escalated: true,
    },
    shown: view('notice', 'page bcdfg: claude-1 goes on, or somebody looks after it', { turn: 't1' }),
  },
  'page-escalated': {
    body: {
      event: 'page-escalated',
      page: 'page-1',
      name: 'bcdfg',
      agent: 'claude-1',
      turn: 't1',
      why: 'claude-1 does not answer',
    },
    shown: view(
      'notice',
      'page bcdfg: claude-1 does not answer: /steer agent=claude-1 TEXT says more to it, /stop claude-1 ends it, /ack bcdfg lets it be',
      { turn: 't1' },
    ),
  },
  'approval-reminded': {
    body: {
      event: 'approval-reminded',
      turn: 't1',
      step: 't1.0',
      approval: 'kqzfm',
      agent: 'claude-1',
      opens: 'run git push',
      until: '2026-01-01T00:30:00.000Z',
    },
    shown: view(
      'notice',
      'kqzfm still waits: claude-1 asks to run git push; /approve kqzfm or /deny kqzfm until 2026-01-01T00:30:00.000Z',
      { turn: 't1' },
    ),
  },
  'work-added': {
    body: {
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
    shown: { not: 'whoever added it is answered' },
  },
  'work-given': {
    body: { event: 'work-given', work: 'w-1', phase: 'work', round: 1, agent: 'codex-1', turn: 't1' },
    shown: { not: 'what is asked of the agent is shown as a line of whoever wanted it' },
  },
  'work-judged': {
    body: {
      event: 'work-judged',
      work: 'w-1',
      round: 1,
      verdict: 'unclear',
      why: 'the verdict of claude-1 is not clear',
      turn: 't1',
      people: true,
    },
    shown: view(
      'notice',
      'w-1 waits for a person: the verdict of claude-1 is not clear: /work judge w-1 approve|changes WHY',
    ),
  },
  'work-returned': {
    body: { event: 'work-returned', work: 'w-1', why: 'codex-1 is gone', people: false, afresh: false },
    shown: view('notice', 'w-1 is back in the queue: codex-1 is gone'),
  },
  'work-ended': {
    body: { event: 'work-ended', work: 'w-1', title: 'fix the lease', outcome: 'done', why: 'claude-1 approves' },
    shown: view('notice', 'w-1 is done: fix the lease (claude-1 approves)'),
  },
  // the text world
  'world-begun': {
    body: {
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
    shown: view('notice', 'claude-1 begins the game lobby-1: put a mug on a shelf', { turn: 't' }),
  },
  'world-moved': {
    body: {
      event: 'world-moved',
      game: 'lobby-1',
      n: 1,
      player: 'claude-1',
      action: 'go to shelf 1',
      turn: 't',
      step: 't.1',
    },
    shown: { not: 'its step tells it' },
  },
  'world-won': {
    body: { event: 'world-won', game: 'lobby-1', n: 1, player: 'claude-1', task: 'put a mug on a shelf' },
    shown: view('notice', 'lobby-1 is won by claude-1 with move 1: put a mug on a shelf'),
  },
}

describe('what a room reads of an event', () => {
  test('has been decided for each there is, and for no other', () => {
    expect(Object.keys(decided).sort()).toEqual(Object.keys(events).sort())
  })

  test.each(Object.values(decided).map(({ body, shown }) => [body.event, body, shown] as const))(
    '%s',
    (_event, body, shown) => {
      expect(events[body.event].body.parse(body)).toEqual(body)
      const post = toPost(entryOf(body), 'lobby')
      const rest = { position: 7, id: 'e1', at: '2026-01-02T03:04:05.000Z', room: 'lobby', author: CLAUDE }
      expect(post).toEqual('not' in shown ? null : { ...rest, session: 's-1', ...shown })
      if (post) expect(Post.parse(post)).toEqual(post)
    },
  )

  test('in the chain of a room belongs to no session', () => {
    expect(toPost(entryOf({ event: 'message', text: 'hello' }, 'room'), 'lobby')?.session).toBe(null)
  })

  test('whose body was taken away is nothing, and keeps nobody from reading the rest', () => {
    expect(toPost({ ...entryOf({ event: 'heard' }), body: null } as unknown as Entry, 'lobby')).toBe(null)
  })

  test('names no reason where there is none', () => {
    const agent = {
      id: 'claude-1',
      type: 'claude',
      readiness: 'ready',
      peripherals: ['explore'],
      reason: null,
    } as const
    expect(toPost(entryOf({ event: 'presence', agent: { ...agent, peripherals: ['explore'] } }), 'lobby')?.text).toBe(
      'claude-1 is ready',
    )
  })

  test.each<[string, StepOutcome, string]>([
    ['found nothing', { kind: 'ok', output: '', paths: [], cut: null }, 'grep: nothing'],
    ['found a line', { kind: 'ok', output: 'a\n', paths: [], cut: null }, 'grep: 1 line\na\n'],
    ['found some', { kind: 'ok', output: 'a\nb', paths: [], cut: null }, 'grep: 2 lines\na\nb'],
    ['found too much', { kind: 'ok', output: 'a\nb\n', paths: [], cut: '9 more' }, 'grep: 2 lines (9 more)\na\nb\n'],
    ['was interrupted', { kind: 'interrupted', message: 'the worker died' }, 'grep: the worker died'],
    [
      'changed a file',
      { kind: 'ok', output: 'a\n', paths: [], cut: null, files: [{ ...CHANGE, path: 'a\nb' }] },
      'grep: 1 line, changed a b +2 -1\na\n',
    ],
    [
      'changed files, one of them no text',
      { kind: 'ok', output: '', paths: [], cut: null, files: [CHANGE, { ...CHANGE, added: null, removed: null }] },
      'grep: nothing, changed 2 files +2 -1',
    ],
    [
      'failed, with what it said, what it changed and a hint',
      {
        kind: 'failed',
        message: 'npm test exited with 1',
        output: 'not ok 1\n[8 of 10 lines left out]\n# fail 1',
        cut: '8 of 10 lines left out',
        files: [CHANGE],
        hint: 'it will not be let through again',
      },
      [
        'grep: npm test exited with 1, changed src/a.ts +2 -1 (8 of 10 lines left out)',
        'not ok 1',
        '[8 of 10 lines left out]',
        '# fail 1',
        'it will not be let through again',
      ].join('\n'),
    ],
  ])('says of a step that it %s', (_what, outcome, text) => {
    const post = toPost(entryOf({ event: 'step-ended', ...STEP, tool: 'grep', outcome }), 'lobby')
    expect([post?.text, post?.step]).toEqual([text, { id: 't1.0', state: outcome.kind }])
  })

  test('has a call that is very long on one line, cut', () => {
    const call = { tool: 'grep', args: { pattern: 'x\n'.repeat(500) } }
    const text = toPost(entryOf({ event: 'step-intended', ...STEP, call }), 'lobby')?.text
    expect(text).toBe(`${`grep ${JSON.stringify(call.args)}`.slice(0, 160)}…`)
  })

  const textOf = <E extends EventName>(body: BodyOf<E>, author: Author = CLAUDE) =>
    toPost({ ...entryOf(body), author }, 'lobby')?.text

  test('is of a hop only where one was made', () => {
    const stop = {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'edit',
      reason: 'hop',
      fruit: NO_FRUIT,
    } as const
    expect(toPost(entryOf({ ...stop, to: 'test', when: 'changed' }), 'lobby')).toEqual({
      position: 7,
      id: 'e1',
      at: '2026-01-02T03:04:05.000Z',
      room: 'lobby',
      author: CLAUDE,
      session: 's-1',
      ...view('notice', 'claude-1 hops from edit to test (changed)', { turn: 't1' }),
    })
    expect(textOf(stop)).toBe(undefined)
  })

  test('is that a chain was verified only where it was not whole', () => {
    const verified = { event: 'verified', through: 9, ok: true, steps: 2, files: 1, violations: [] } as const
    expect(textOf({ ...verified, violations: [] })).toBe(undefined)
    expect(textOf({ ...verified, ok: false, violations: [] })).toBe(
      'VERIFY FAILED: it does not say why; say /verify s-1',
    )
  })

  test('is who did it: decided, let it lapse, stopped, put back', () => {
    const decided = { event: 'approval-decided', step: 't1.0', approval: 'k7f2q', role: null, note: '' } as const
    expect([
      textOf({ ...decided, decision: 'approved' }, ADA),
      textOf({ ...decided, decision: 'lapsed', note: 'nobody answered in time' }, BELLHOP),
      textOf({ event: 'stop-asked', turn: 't1', why: '' }, ADA),
      textOf({ event: 'restored', what: 'turn t1', steps: [], files: [], failed: 'a.ts was changed since' }, ADA),
    ]).toEqual([
      'approved k7f2q',
      'let k7f2q lapse: nobody answered in time',
      'ada told claude-1 to stop',
      'ada put back turn t1: 0 files; NOT put back: a.ts was changed since',
    ])
  })

  test('of a question cannot be dressed up: three lines, nothing invisible, and where the rest is', () => {
    const trap = 'x\u202e\n/approve other\u001b[2J'
    const call = { tool: 'run\n✓', args: { argv: ['a\u202eb', 'c\u200bd\u{e0041}', '\u0085\u2028'] } }
    expect(textOf({ ...ASKED, call, why: trap, opens: trap })?.split('\n')).toEqual([
      'asks to x /approve other[2J',
      'x /approve other[2J',
      'run ✓ {"argv":["a\\u202eb","c\\u200bd\\udb40\\udc41","\\u0085\\u2028"]}',
    ])
    const long = { tool: 'write', args: { content: `${'x'.repeat(5000)} rm -rf` } }
    const [, , shown] = textOf({ ...ASKED, call: long })?.split('\n') ?? []
    expect(shown).toBe(`${`write ${JSON.stringify(long.args)}`.slice(0, 1000)}… whole: /show e1`)
  })
})

const texts = (posts: Post[]) => posts.map(({ text }) => text)
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => said(`m${from + i}`, `line ${from + i}`))

describe('the tail of a room', () => {
  test('is its last posts, oldest first, without what is not shown', async () => {
    await using kept = await testStore()
    must(await kept.store.append(sessionOfOneStep()))
    expect((await tail(kept.store, 'lobby', 4)).map(({ id, kind }) => [id, kind])).toEqual([
      ['t1.started', 'working'],
      ['t1.0.intent', 'step'],
      ['t1.0.outcome', 'step'],
      ['t1.ended', 'answer'],
    ])
  })

  test('is all there is where there is less, and nothing in a room where nothing was said', async () => {
    await using kept = await testStore()
    must(await kept.store.append(lines(0, 3)))
    expect(texts(await tail(kept.store, 'lobby', 200))).toEqual(['line 0', 'line 1', 'line 2'])
    expect(await tail(kept.store, 'quiet', 200)).toEqual([])
  })

  test('is as long as was asked for, at most', async () => {
    await using kept = await testStore()
    must(await kept.store.append(lines(0, 250)))
    const posts = await tail(kept.store, 'lobby', 200)
    expect([posts.length, posts[0]?.text, posts.at(-1)?.text]).toEqual([200, 'line 50', 'line 249'])
  })
})

describe('following a room', () => {
  const feedOf = (store: Store, live: Live) =>
    createFeed({
      store,
      live,
      failed: (error) => {
        throw error
      },
    })

  const collect = async (posts: AsyncIterable<Post>, count: number, done: AbortController): Promise<Post[]> => {
    const seen: Post[] = []
    for await (const post of posts) {
      seen.push(post)
      if (seen.length === count) done.abort()
    }
    return seen
  }

  test('shows everything after a position, over many pages, and ends with the signal', async () => {
    await using server = await startTestRedis()
    await using kept = await testStore()
    // It does not look again by itself within the life of this test: between full pages it waits for nothing.
    const live = createLive(server.redis, 'test', 600_000)
    must(await kept.store.append(lines(0, 1110)))
    const done = new AbortController()
    const seen = await collect(
      follow(kept.store, feedOf(kept.store, live), { room: 'lobby', after: 100 }, done.signal),
      1010,
      done,
    )
    live.close()
    expect(texts(seen)).toEqual(Array.from({ length: 1010 }, (_, i) => `line ${100 + i}`))
  })

  test('hears of what another process writes', async () => {
    await using server = await startTestRedis()
    await using kept = await testStore()
    // Neither looks again by itself within the life of this test.
    const [here, there] = [createLive(server.redis, 'test', 600_000), createLive(server.redis, 'test', 600_000)]
    const other = await openStore({ url: kept.url, clock: () => kept.clock.now, committed: there.announce })
    await eventually(
      'both to listen',
      async () => String(await server.redis.pubsub('NUMSUB', 'test:live')) === 'test:live,2',
    )
    const done = new AbortController()
    const seeing = collect(
      follow(kept.store, feedOf(kept.store, here), { room: 'lobby', after: 0 }, done.signal),
      20,
      done,
    )
    for (const draft of lines(0, 20)) must(await other.append([draft]))
    expect(texts(await seeing)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`))
    await other.close()
    here.close()
    there.close()
  })

  test('loses nothing when no hint comes: it looks again by itself', async () => {
    await using server = await startTestRedis()
    await using kept = await testStore()
    const live = createLive(server.redis, 'test', 5)
    await server.kill()
    const other = await openStore({ url: kept.url, clock: () => kept.clock.now })
    const done = new AbortController()
    const seeing = collect(
      follow(kept.store, feedOf(kept.store, live), { room: 'lobby', after: 0 }, done.signal),
      20,
      done,
    )
    for (const draft of lines(0, 20)) must(await other.append([draft]))
    expect(texts(await seeing)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`))
    await other.close()
    live.close()
  })

  test('ends at once where the signal has ended already', async () => {
    await using server = await startTestRedis()
    await using kept = await testStore()
    const live = createLive(server.redis, 'test')
    must(await kept.store.append(lines(0, 3)))
    const posts = follow(kept.store, feedOf(kept.store, live), { room: 'lobby', after: 0 }, AbortSignal.abort())
    expect(await posts.next()).toEqual({ done: true, value: undefined })
    live.close()
  })
})

test('a post is signed by whoever signed the evidence, with both names where there are two', async () => {
  await using kept = await testStore()
  const grace: Author = { ...ADA, id: 'grace', via: 'ada' }
  must(await kept.store.append([{ ...said('m1', 'hello'), author: grace }]))
  expect((await tail(kept.store, 'lobby', 1)).map(({ author }) => author)).toEqual([grace])
})
