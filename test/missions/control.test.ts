import { expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { createControl } from '../../src/missions/control.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { ADA, CLAUDE, must, type TestStore, testStore } from '../support/store.ts'

/** A turn in a room, which waits for a person under a name. */
const ask = async ({ store, clock }: TestStore, approval: string, room: string, opens: string): Promise<void> => {
  const [turn, session, agent] = [`t-of-${approval}`, `s-${approval}`, 'claude-1']
  const draft = (id: string, author: typeof ADA, body: Body) => sessionDraft({ id, session, room, agent, author, body })
  const until = new Date(clock.now + 60_000).toISOString()
  const question = { turn, step: `${turn}.0`, approval, call: { tool: 'run', args: {} }, why: 'it asks', opens, until }
  must(
    await store.append([
      draft(`${session}.opened`, ADA, { event: 'session-opened', agent, room }),
      draft(turn, ADA, { event: 'accepted', agent, room, peripheral: 'edit', request: 'go' }),
      draft(`${turn}.started`, CLAUDE, { event: 'turn-started', turn }),
      draft(`${turn}.0.approval`, CLAUDE, { event: 'approval-asked', ...question }),
    ]),
  )
}

test('a room is told what is asked for in it, and of other rooms that something is', async () => {
  await using it = await testStore()
  using folder = scratch()
  await ask(it, 'kqzfm', 'lobby', 'run git push')
  await ask(it, 'bcdfg', 'den', 'run git push secret')
  const control = createControl({
    store: it.store,
    clock: () => it.clock.now,
    folders: ['missions'],
    who: async () => [],
    openTurns: async () => [],
    budgetsIn: async () => [],
    roomMode: async () => 'execute',
    obligationsOf: async () => null,
  })
  const workspace = await openWorkspace(folder.path, [])
  const place = { session: 's-1', agent: 'tickle-1', turn: 't-1', step: 't-1.0', author: CLAUDE, workspace }
  const textIn = (room: string) => control({ ...place, room, shows: () => true, keep: () => {} }).bulletinText()
  const told = (approvals: string[]): string =>
    [
      'Mission control: 2 sessions (0 active)',
      'Agents: none',
      'Queue: 0 running, 0 waiting',
      ...approvals,
      'Missions: 0',
    ].join('\n')
  const head = 'Approvals: 2 wait, 1 of them in other rooms'
  expect([await textIn('lobby'), await textIn('den'), await textIn('quiet')]).toEqual([
    told([head, '  kqzfm: claude-1 asks to run git push']),
    told([head, '  bcdfg: claude-1 asks to run git push secret']),
    told(['Approvals: 2 wait, 2 of them in other rooms']),
  ])
})
