import { expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { focusDraft } from '../../src/evidence/focus.ts'
import { createBook, usageDraft } from '../../src/evidence/usage.ts'
import { createOutlook } from '../../src/missions/outlook.ts'
import { scanMissions } from '../../src/missions/scan.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { Snapshot } from '../../src/shapes/mission.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { ADA, CLAUDE, must, testStore } from '../support/store.ts'

const DAY = 86_400_000
const SESSION = { session: 's-1', room: 'lobby', agent: 'claude-1' }

const open = async () => {
  const kept = await testStore()
  const folder = scratch()
  const { store, clock } = kept
  const workspace = await openWorkspace(folder.path, [])
  const scan = () => scanMissions({ workspace, folders: ['missions'], shows: () => true })
  const book = createBook({ store, clock: () => clock.now })
  const write = (name: string, text: string) => folder.write(`missions/${name}.md`, `# ${name}: ${name}\n\n${text}`)

  /** A turn as the product writes it: of a mission or of none, with so many steps, and what it took. */
  const turn = async (id: string, mission: string | null, how: { outcome: 'done' | 'failed'; usd: number }) => {
    const tags = ['peripheral/edit', ...(mission === null ? [] : [`mission/${mission}`])]
    const asked = { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'edit', request: 'go' } as const
    const outcome = { kind: 'ok' as const, output: '', paths: [], cut: null }
    const ended = { event: 'step-ended', turn: id, step: `${id}.0`, tool: 'read', outcome } satisfies Body
    const fruit = { steps: 1, found: [] }
    must(await store.append([sessionDraft({ ...SESSION, id, author: ADA, body: asked, tags })]))
    const record = await store.turn(id)
    if (!record) throw new Error('the turn is there')
    const usage = { input: 1000, cached: 0, written: 0, output: 10, reasoning: 0 }
    must(
      await store.append([
        usageDraft(record, 0, { person: 'ada', model: 'm', usage, usd: how.usd }),
        sessionDraft({ ...SESSION, id: `${id}.0.ended`, author: CLAUDE, body: ended, inReplyTo: id }),
        sessionDraft({
          ...SESSION,
          id: `${id}.stopped`,
          author: CLAUDE,
          body: { event: 'peripheral-stopped', turn: id, peripheral: 'edit', reason: 'hop', fruit },
        }),
        sessionDraft({
          ...SESSION,
          id: `${id}.ended`,
          author: CLAUDE,
          body: { event: 'turn-ended', turn: id, outcome: how.outcome, answer: '' },
        }),
      ]),
    )
  }
  const review = async (id: string, snapshot: Snapshot) => {
    const body = { event: 'portfolio-reviewed', turn: 't', step: 't.0', snapshot } as const
    must(await store.append([sessionDraft({ ...SESSION, id, author: CLAUDE, body })]))
  }
  return {
    ...kept,
    write,
    turn,
    review,
    outlook: createOutlook({ store, book, clock: () => clock.now, scan }),
    [Symbol.asyncDispose]: async () => {
      folder[Symbol.dispose]()
      await kept[Symbol.asyncDispose]()
    },
  }
}

test('the portfolio has what files say, what the evidence shows, where both drift apart, and who is focused on it', async () => {
  await using it = await open()
  it.write('M-tea', 'Status: ready\nOwner: ada\n\n- [x] boil\n- [ ] pour\n')
  const focus = { id: 'f1', room: 'lobby', author: ADA, by: 'ada', mission: 'M-tea', inReplyTo: 'f0' }
  must(await it.store.append([{ ...focusDraft(focus), inReplyTo: null }]))
  await it.turn('t1', 'M-tea', { outcome: 'done', usd: 0.5 })
  expect(await it.outlook.portfolio(['lobby', 'den'])).toEqual({
    missions: [
      {
        id: 'M-tea',
        title: 'M-tea',
        path: 'missions/M-tea.md',
        status: 'ready',
        says: 'ready',
        line: 3,
        owner: 'ada',
        blockedBy: [],
        phases: [],
        boxes: { done: 1, total: 2 },
        complaints: [],
        coverage: {
          turns: 1,
          done: 1,
          failed: 0,
          steps: 1,
          files: 0,
          tests: 'none',
          failures: 0,
          last: '2026-01-02T03:04:05.000Z',
        },
        drift: ['says ready, and 1 turn went into it'],
        rooms: ['lobby'],
      },
    ],
    complaints: [],
    counts: [{ status: 'ready', missions: 1 }],
    covered: 1,
    changes: [],
  })
})

test('what changed is told since the last review, and from the one before it', async () => {
  await using it = await open()
  it.write('M-tea', 'Status: complete\n\n- [x] boil\n')
  const tea = (status: 'ready' | 'in-progress') => ({
    id: 'M-tea',
    status,
    boxes: { done: 0, total: 1 },
    turns: 0,
    drift: [],
  })
  await it.review('r1', { missions: [tea('ready'), { ...tea('ready'), id: 'M-milk' }], complaints: 0 })
  it.clock.now += DAY
  await it.review('r2', { missions: [tea('in-progress')], complaints: 0 })
  const { changes } = await it.outlook.portfolio([])
  expect(changes).toEqual([
    {
      from: '2026-01-03T03:04:05.000Z',
      to: null,
      rows: [
        {
          kind: 'changed',
          id: 'M-tea',
          from: 'in-progress',
          to: 'complete',
          boxes: { from: { done: 0, total: 1 }, to: { done: 1, total: 1 } },
        },
      ],
      was: 1,
      is: 1,
    },
    {
      from: '2026-01-02T03:04:05.000Z',
      to: '2026-01-03T03:04:05.000Z',
      rows: [
        { kind: 'removed', id: 'M-milk', status: 'ready' },
        { kind: 'changed', id: 'M-tea', from: 'ready', to: 'in-progress', boxes: null },
      ],
      was: 2,
      is: 1,
    },
  ])
})

test('what next is ranked with its reasons, as mission control says it', async () => {
  await using it = await open()
  it.write('M-tea', 'Status: in-progress\n')
  it.write('M-milk', 'Status: ready\nBlocked by: M-tea\n')
  expect(await it.outlook.next()).toEqual([
    {
      id: 'M-tea',
      status: 'in-progress',
      score: 16,
      reasons: [
        { counts: 10, why: 'unlocks 1 mission' },
        { counts: 6, why: 'is begun' },
      ],
    },
  ])
})

test('activity is told day by day up to today, of everything and of one mission', async () => {
  await using it = await open()
  it.write('M-tea', 'Status: ready\n')
  await it.turn('t1', 'M-tea', { outcome: 'failed', usd: 0.25 })
  await it.turn('t2', null, { outcome: 'done', usd: 0.5 })
  it.clock.now += 2 * DAY
  await it.turn('t3', 'M-tea', { outcome: 'done', usd: 1 })
  const none = { turns: 0, failed: 0, steps: 0, tokens: 0, usd: 0, unpriced: 0 }
  const some = (turns: number, failed: number, usd: number) => ({
    turns,
    failed,
    steps: turns,
    tokens: 1010 * turns,
    usd,
    unpriced: 0,
  })
  expect(await it.outlook.activity(null, 4)).toEqual({
    mission: null,
    days: [
      { day: '2026-01-01', ...none },
      { day: '2026-01-02', ...some(2, 1, 0.75) },
      { day: '2026-01-03', ...none },
      { day: '2026-01-04', ...some(1, 0, 1) },
    ],
  })
  expect(await it.outlook.activity('M-tea', 3)).toEqual({
    mission: 'M-tea',
    days: [
      { day: '2026-01-02', ...some(1, 1, 0.25) },
      { day: '2026-01-03', ...none },
      { day: '2026-01-04', ...some(1, 0, 1) },
    ],
  })
})

test('a mission is found in whatever case it is named', async () => {
  await using it = await open()
  it.write('M-Tea', 'Status: ready\n')
  expect([await it.outlook.named('m-tea'), await it.outlook.named('M-milk')]).toEqual(['M-Tea', null])
})
