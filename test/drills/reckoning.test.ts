import { expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ADA, CLAUDE, must, said, testStore } from '../support/store.ts'
import { nothingWrong, reckon } from './reckoning.ts'
import type { Sent } from './senders.ts'
import { drillWorkspace } from './work.ts'

const TURN = 'm1.codex-1'
const ASKED = { id: 'm1', sender: 'ada', room: 'lobby', agent: 'codex-1', steps: ['m1.0'], said: 1, passing: [] }
const assignment = { turn: TURN, session: 's-1', agent: 'codex-1', peripheral: 'edit' }
const ACCEPTED: Sent = {
  ...ASKED,
  kind: 'accepted',
  receipt: { message: 'm1', room: 'lobby', mode: 'action', assignments: [assignment], answer: null },
}

type Came = { steps?: Body[]; left?: string; sent?: Sent }

/** What a drill would count where one line came to this. */
const counted = async ({ steps = [], left = '', sent = ACCEPTED }: Came) => {
  await using kept = await testStore()
  using folder = drillWorkspace()
  folder.write('tally/log', left)
  const draft = (id: string, body: Body) =>
    sessionDraft({ session: 's-1', room: 'lobby', agent: 'codex-1', id, author: CLAUDE, body, inReplyTo: 'm1' })
  const asked = { agent: 'codex-1', room: 'lobby', peripheral: 'edit', request: 'run it' }
  if (sent.kind === 'accepted')
    must(
      await kept.store.append([
        said('m1', '@codex-1 run it'),
        { ...draft('s-1.opened', { event: 'session-opened', agent: 'codex-1', room: 'lobby' }), author: ADA },
        { ...draft(TURN, { event: 'accepted', ...asked }), author: ADA },
        ...steps.map((body, i) => draft(`${TURN}.${i}`, body)),
        draft(`${TURN}.ended`, { event: 'turn-ended', turn: TURN, outcome: 'done', answer: 'it is done' }),
      ]),
    )
  const house = { store: kept.url, workspace: folder.path, verify: async () => true }
  return await reckon(house, { drill: 'none', seed: 0, faults: 0, sent: [sent], lies: [], byWord: false })
}

test('a turn that did what it was asked for counts as done', async () => {
  const reckoning = await counted({ left: 'begun m1.0\ndone m1.0\n' })
  expect(reckoning).toEqual(nothingWrong(reckoning))
  expect([reckoning.done, reckoning.lost]).toEqual([1, 0])
})

test('a turn that is said to be done without a step that it was asked for has lost it', async () => {
  const reckoning = await counted({})
  expect([reckoning.done, reckoning.lost]).toEqual([0, 1])
})

test('where a step was refused that shows why; but a drill in which nothing at all was done has shown nothing', async () => {
  const why = { call: { tool: 'run', args: {} }, refusal: refusal('tool-not-allowed', 'there is no run here') }
  const reckoning = await counted({ steps: [{ event: 'step-refused', turn: TURN, step: `${TURN}.0`, ...why }] })
  expect([reckoning.done, reckoning.lost]).toEqual([0, 0])
  expect(reckoning).not.toEqual(nothingWrong(reckoning))
})

test('a drill in which everybody was refused has shown nothing', async () => {
  const reckoning = await counted({ sent: { ...ASKED, kind: 'refused', code: 'agent-not-ready' } })
  expect(reckoning).not.toEqual(nothingWrong(reckoning))
})
