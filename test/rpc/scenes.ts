/** What is recorded: what a client says, and the message it waits for before it goes on. */
export type Scene = { name: string; role: 'admin' | 'operator'; lines: ({ say: object } | { until: string })[] }

const INITIALIZE = {
  say: { id: 1, method: 'initialize', params: { clientInfo: { name: 'editor', title: 'An editor', version: '1.0' } } },
}
const INITIALIZED = { say: { method: 'initialized' } }
const START = { say: { id: 2, method: 'thread/start', params: { agent: 'codex-1', name: 'a thread' } } }
const turn = (id: number, text: string, more: object = {}) => ({
  say: { id, method: 'turn/start', params: { threadId: '<thread-1>', input: [{ type: 'text', text }], ...more } },
})
const of = (id: number, method: string, more: object = {}) => ({
  say: { id, method, params: { threadId: '<thread-1>', ...more } },
})
const ASKS = 'use write {"path": "note.txt", "text": "hi\\n", "escalate": {"why": "a note"}}'
const BEGUN = [INITIALIZE, INITIALIZED, START, { until: 'thread/started' }]

/** One conversation for each thing that clients rely on. */
export const SCENES: Scene[] = [
  {
    name: 'a-turn',
    role: 'operator',
    lines: [
      ...BEGUN,
      turn(3, 'read README.md'),
      { until: 'turn/completed' },
      turn(4, 'replace "It pours." with "It boils." in README.md', { peripheral: 'edit' }),
      { until: 'turn/completed' },
      of(5, 'thread/resume'),
      of(6, 'thread/read', { limit: 1 }),
    ],
  },
  {
    name: 'what-is-there',
    role: 'operator',
    lines: [
      INITIALIZE,
      INITIALIZED,
      { say: { id: 2, method: 'model/list', params: {} } },
      { say: { id: 3, method: 'thread/list' } },
      { say: { id: 4, method: 'thread/burn' } },
      { say: { id: 5, method: 'thread/list', params: { colour: 'red' } } },
      { say: { id: 6, method: 'thread/resume', params: { threadId: 't-1' } } },
    ],
  },
  {
    name: 'approved',
    role: 'admin',
    lines: [
      ...BEGUN,
      turn(3, ASKS),
      { until: 'item/fileChange/requestApproval' },
      { say: { id: 'approval-1', result: { decision: 'accept' } } },
      { until: 'turn/completed' },
    ],
  },
  {
    name: 'declined',
    role: 'admin',
    lines: [
      ...BEGUN,
      turn(3, ASKS),
      { until: 'item/fileChange/requestApproval' },
      { say: { id: 'approval-1', result: { decision: 'decline', note: 'not today' } } },
      { until: 'turn/completed' },
    ],
  },
  {
    name: 'steered',
    role: 'admin',
    lines: [
      ...BEGUN,
      turn(3, ASKS),
      { until: 'item/fileChange/requestApproval' },
      of(4, 'turn/steer', { input: [{ type: 'text', text: 'how many lines does note.txt have?' }] }),
      { until: 'item/completed' },
      { say: { id: 'approval-1', result: { decision: 'accept' } } },
      { until: 'turn/completed' },
    ],
  },
  {
    name: 'interrupted',
    role: 'admin',
    lines: [
      ...BEGUN,
      turn(3, ASKS),
      { until: 'item/fileChange/requestApproval' },
      of(4, 'turn/interrupt'),
      { until: 'serverRequest/resolved' },
    ],
  },
  {
    name: 'forked-and-archived',
    role: 'operator',
    lines: [
      ...BEGUN,
      turn(3, 'help', { agent: 'claude-1', peripheral: 'chat' }),
      { until: 'turn/completed' },
      of(4, 'thread/fork', { name: 'another way' }),
      { until: 'thread/started' },
      { say: { id: 5, method: 'thread/read', params: { threadId: '<thread-2>' } } },
      of(6, 'thread/archive'),
      { until: 'thread/archived' },
      turn(7, 'help'),
      of(8, 'thread/unarchive'),
      { until: 'thread/unarchived' },
      { say: { id: 9, method: 'thread/list', params: { limit: 2 } } },
    ],
  },
]
