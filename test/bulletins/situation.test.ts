import { expect, test } from 'vitest'
import { gatherSituation, type Sources } from '../../src/bulletins/situation.ts'
import type { OpenApproval } from '../../src/evidence/approvals.ts'
import { BELLHOP, houseDraft } from '../../src/evidence/drafts.ts'
import { startDraft } from '../../src/evidence/threads.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { inSession } from '../evidence/history.ts'
import { ready } from '../support/social.ts'
import { ADA, CLAUDE, must, sessionOfOneStep, type TestStore, testStore } from '../support/store.ts'

const NOON = Date.parse('2026-01-02T12:00:00.000Z')

const turn = (part: Partial<TurnView>): TurnView => ({
  turn: 't9',
  session: 's-9',
  room: 'lobby',
  agent: 'claude-1',
  peripheral: 'explore',
  by: 'ada',
  request: 'look\naround',
  state: 'running',
  detail: '',
  ahead: 0,
  steps: { taken: 0, failed: 0, refused: 0 },
  approval: null,
  accepted: '2026-01-02T11:50:00.000Z',
  started: null,
  ended: null,
  ...part,
})

const ASKED: OpenApproval = {
  turn: 't9',
  step: 't9.0',
  approval: 'kqzfm',
  call: { tool: 'run', args: {} },
  why: '',
  opens: 'run git push',
  until: '2026-01-02T12:10:00.000Z',
  session: 's-9',
  room: 'lobby',
  agent: 'claude-1',
}

const sources = ({ store }: TestStore, part: Partial<Sources> = {}): Sources => ({
  store,
  who: async () => [ready('claude-1'), { ...ready('codex-1'), readiness: 'lapsed' }],
  turns: async () => [],
  approvals: async () => [],
  standings: async () => [],
  missions: async () => [],
  agents: ['claude-1', 'codex-1'],
  now: () => NOON,
  ...part,
})

test('what stands is gathered for a room and its threads, and nothing of what is done elsewhere', async () => {
  await using it = await testStore()
  const begun = { thread: 't-1', agent: 'codex-1', name: '', room: 'lobby', mode: 'execute', from: null } as const
  must(await it.store.append([startDraft(begun, ADA), ...sessionOfOneStep()]))
  const asked = { event: 'approval-asked', ...ASKED } as const
  const { session: _s, room: _r, agent: _a, ...body } = asked
  it.clock.now = Date.parse('2026-01-02T11:40:00.000Z')
  must(await it.store.append([inSession('s-1', 'lobby', 'claude-1')('t9.0.approval', CLAUDE, body)]))
  const standing = { of: 'day', unit: 'tokens', limit: 1000, unpriced: 0 } as const
  const situation = await gatherSituation(
    sources(it, {
      turns: async () => [
        turn({}),
        turn({ turn: 't10', state: 'queued' }),
        turn({ turn: 't11', room: 't-1', agent: 'codex-1', state: 'parked' }),
        turn({ turn: 't12', room: 'den', agent: 'codex-1' }),
      ],
      approvals: async () => [ASKED, { ...ASKED, approval: 'other', room: 'den' }],
      standings: async (agent) =>
        agent === 'claude-1'
          ? [
              { ...standing, used: 850 },
              { ...standing, of: 'turn', used: 1000 },
            ]
          : [{ ...standing, used: 799 }],
      missions: async () => [
        { id: 'm-1', title: 'The\nretries', status: 'in-progress' },
        { id: 'm-0', title: 'Before', status: 'complete' },
        { id: 'm-2', title: 'Never', status: 'deferred' },
      ],
    }),
    { room: 'lobby', since: '2026-01-02T00:00:00.000Z', budgetNear: 0.8 },
  )
  expect(situation).toEqual({
    room: 'lobby',
    at: '2026-01-02T12:00:00.000Z',
    agents: [
      { id: 'claude-1', readiness: 'ready', doing: 'look around', waiting: 0, gone: false },
      { id: 'codex-1', readiness: 'lapsed', doing: null, waiting: 1, gone: true },
    ],
    work: { running: 1, queued: 1, waiting: 0, stuck: 1 },
    approvals: [
      {
        approval: 'kqzfm',
        agent: 'claude-1',
        opens: 'run git push',
        asked: '2026-01-02T11:40:00.000Z',
        until: '2026-01-02T12:10:00.000Z',
        late: true,
      },
    ],
    budgets: [
      {
        agent: 'claude-1',
        of: 'day',
        unit: 'tokens',
        state: 'near',
        says: 'claude-1 has used 850 of the 1,000 tokens of its day',
      },
    ],
    missions: { open: [{ id: 'm-1', title: 'The retries', status: 'in-progress' }], done: ['m-0'] },
    ended: { since: '2026-01-02T00:00:00.000Z', done: 1, failed: 0, cancelled: 0 },
    more: { agents: 0, approvals: 0, budgets: 0, missions: 0 },
  })
})

test('an agent is gone once it has been away for minutes and work has waited as long', async () => {
  await using it = await testStore()
  const lost = { ...ready('codex-1'), readiness: 'lapsed' } as const
  it.clock.now = NOON - 60_000
  must(await it.store.append([houseDraft('p1', { event: 'presence', agent: lost }, ['lobby'], BELLHOP)]))
  const waiting = turn({ agent: 'codex-1', state: 'interrupted', accepted: '2026-01-02T11:00:00.000Z' })
  const goneAt = async (now: number, turns: TurnView[]) =>
    (
      await gatherSituation(sources(it, { turns: async () => turns, now: () => now }), {
        room: 'lobby',
        since: null,
        budgetNear: 0.8,
      })
    ).agents.map(({ gone }) => gone)
  expect([
    await goneAt(NOON, [waiting]),
    await goneAt(NOON + 120_000, [waiting]),
    await goneAt(NOON + 120_000, []),
    await goneAt(NOON + 120_000, [{ ...waiting, accepted: '2026-01-02T12:01:00.000Z' }]),
  ]).toEqual([
    [false, false],
    [false, true],
    [false, false],
    [false, false],
  ])
})
