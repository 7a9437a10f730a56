import { expect, test } from 'vitest'
import { openPages } from '../../src/tickle/pages.ts'
import { must } from '../support/store.ts'
import { MINUTE, openStage, type Stage } from './stage.ts'

const TURN = 'm1.codex-1'

/** Ada asks codex-1 for something, which it begins. */
const atWork = async (stage: Stage): Promise<void> => {
  must(await stage.says('/edit @codex-1 fix it'))
  await stage.starts(TURN)
  await stage.tick()
}

/** What the room was told of pages, and what the agent was told. */
const toldOf = async (stage: Stage) => ({
  room: (await stage.posts()).filter((post) => post.includes('page ')),
  agent: (await stage.entries('steered')).map(({ body }) => (body.event === 'steered' ? body.text : '')),
})

const NAME = async (stage: Stage): Promise<string> => {
  const [paged] = await stage.entries('paged')
  return paged?.body.event === 'paged' ? paged.body.name : ''
}

test('an agent that is silent for too long is paged once: it is told, and so is the room', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(9)
  expect(await toldOf(stage)).toEqual({ room: [], agent: [] })
  await stage.pass(3)
  const name = await NAME(stage)
  expect(await toldOf(stage)).toEqual({
    room: [`03:14 tickle-1: page ${name}: codex-1: nothing was heard for 10 minutes`],
    agent: ['nothing was heard for 10 minutes. Say in a line where you are, then go on.'],
  })
})

test('whoever has nothing to do, waits in line, or is Tickle itself, is never paged', async () => {
  await using stage = await openStage()
  must(await stage.says('/explore @claude-1 look'))
  must(await stage.says('/mission-control @tickle-1 look'))
  await stage.starts('m2.tickle-1')
  await stage.pass(120)
  expect(await stage.count('paged')).toBe(0)
})

test('what the agent does next answers the page, and then nobody is asked', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(11)
  await stage.does(TURN, 'still at it')
  await stage.pass(7)
  const [ack] = await stage.entries('page-acknowledged')
  expect(ack).toMatchObject({ author: { kind: 'house', id: 'tickle-1' }, body: { agent: 'codex-1', escalated: false } })
  expect([await stage.count('page-acknowledged'), await stage.count('page-escalated')]).toEqual([1, 0])
  expect(await openPages(stage.store)).toEqual([])
})

test('one that waits for others is silent only from the end of its wait on, and is paged when it does not go on then', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.parks(TURN, 30)
  await stage.pass(39)
  expect(await toldOf(stage)).toEqual({ room: [], agent: [] })
  await stage.pass(3)
  const name = await NAME(stage)
  expect((await toldOf(stage)).room).toEqual([
    `03:44 tickle-1: page ${name}: codex-1: nothing was heard for 10 minutes`,
  ])
})

test('one that goes on before the end of its wait, and falls silent, is paged', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.parks(TURN, 600)
  await stage.pass(20)
  await stage.goesOn(TURN)
  await stage.pass(12)
  const name = await NAME(stage)
  expect((await toldOf(stage)).room).toEqual([
    `03:34 tickle-1: page ${name}: codex-1: nothing was heard for 10 minutes, at: park`,
  ])
})

test('the end of the turn answers the page, too', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(10)
  await stage.ends(TURN, 'done')
  await stage.pass(60)
  expect([await stage.count('page-acknowledged'), await stage.count('page-escalated')]).toEqual([1, 0])
})

test('where nobody answers, the people of the room are asked, once, with what they can do', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(120)
  const name = await NAME(stage)
  expect((await toldOf(stage)).room).toEqual([
    `03:14 tickle-1: page ${name}: codex-1: nothing was heard for 10 minutes`,
    `03:19 tickle-1: page ${name}: codex-1 does not answer, and ada asked it for something (nothing was heard for 15 minutes): ` +
      `/steer agent=codex-1 TEXT says more to it, /stop codex-1 ends it, /ack ${name} lets it be`,
  ])
  await stage.does(TURN, 'here I am')
  await stage.pass(1)
  expect((await toldOf(stage)).room.at(-1)).toBe(
    `05:05 tickle-1: page ${name}: codex-1 goes on, or somebody looks after it`,
  )
})

test('a person can answer it instead, whoever is first; then this silence is nobody’s concern any more', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(10)
  const name = await NAME(stage)
  expect(must(await stage.says('/pages')).answer).toBe(
    `${name}: codex-1 in lobby since 2026-01-02T03:14:05.000Z: nothing was heard for 10 minutes`,
  )
  expect(must(await stage.says(`/ack ${name.toUpperCase()}`)).answer).toBe(
    `${name} is answered: codex-1 is yours to look after`,
  )
  expect(await stage.says(`/ack ${name}`)).toMatchObject({ refusal: { code: 'page-closed' } })
  expect(await stage.says('/ack zzzzz')).toMatchObject({ refusal: { code: 'page-unknown' } })
  await stage.pass(240)
  expect([
    await stage.count('paged'),
    await stage.count('page-acknowledged'),
    await stage.count('page-escalated'),
  ]).toEqual([1, 1, 0])
  expect(must(await stage.says('/pages')).answer).toBe('nobody is paged')
})

test('a person and the agent may answer at the same moment: one of them has', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(10)
  const name = await NAME(stage)
  await stage.does(TURN, 'here')
  const [said] = await Promise.all([stage.says(`/ack ${name}`), stage.tick()])
  const acks = await stage.entries('page-acknowledged')
  expect(acks.length).toBe(1)
  expect(acks[0]?.author.id).toBe(said.ok ? 'ada' : 'tickle-1')
})

test('it is not paged again for a while, and for another silence only', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(10)
  await stage.does(TURN, 'here')
  await stage.pass(14)
  expect(await stage.count('paged')).toBe(1)
  await stage.pass(1)
  const pages = (await stage.entries('paged')).map(({ at, id }) => [at.slice(11, 16), id])
  expect(pages.map(([at]) => at)).toEqual(['03:14', '03:29'])
  expect(new Set(pages.map(([, id]) => id)).size).toBe(2)
})

test('a restart loses no page, and pages nobody twice', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(10)
  stage.restart()
  await stage.pass(2)
  stage.restart()
  await stage.pass(3)
  stage.restart()
  await stage.pass(30)
  expect([await stage.count('paged'), await stage.count('page-escalated'), await stage.count('steered')]).toEqual([
    1, 1, 1,
  ])
})

test('a process that ends when it has written a page, and before it has written down that it looked, loses nothing', async () => {
  await using stage = await openStage()
  await atWork(stage)
  stage.clock.now += 10 * MINUTE
  const { append } = stage.store
  let writes = 0
  const dies: typeof append = async (drafts, ...rest) => {
    if (drafts.some(({ body }) => body.event === 'tickle-cycled') && writes++ === 0) throw new Error('killed')
    return append(drafts, ...rest)
  }
  stage.store.append = dies
  await expect(stage.rounds().tick()).rejects.toThrow('killed')
  stage.store.append = append
  stage.restart()
  await stage.pass(6)
  expect([await stage.count('paged'), await stage.count('steered'), await stage.count('page-escalated')]).toEqual([
    1, 1, 1,
  ])
})

test('what the agent is told and what the room is told are one write: a process that ends in between leaves neither', async () => {
  await using stage = await openStage()
  await atWork(stage)
  stage.clock.now += 10 * MINUTE
  const { append } = stage.store
  const calls: string[][] = []
  stage.store.append = async (drafts, ...rest) => {
    calls.push(drafts.map(({ body }) => body.event))
    if (calls.length === 1) throw new Error('killed')
    return append(drafts, ...rest)
  }
  await expect(stage.rounds().tick()).rejects.toThrow('killed')
  expect([await stage.count('paged'), await stage.count('steered')]).toEqual([0, 0])
  stage.restart()
  await stage.tick()
  stage.store.append = append
  expect(calls.slice(0, 2)).toEqual([
    ['paged', 'steered'],
    ['paged', 'steered'],
  ])
})

test('a line that a person adds at the same moment is not lost, and neither is the page', async () => {
  await using stage = await openStage()
  await atWork(stage)
  stage.clock.now += 10 * MINUTE
  const { append } = stage.store
  let first = true
  stage.store.append = async (drafts, ...rest) => {
    if (first && drafts.some(({ body }) => body.event === 'paged')) {
      first = false
      must(await stage.says('/steer and the tests'))
    }
    return append(drafts, ...rest)
  }
  await stage.tick()
  stage.store.append = append
  const steers = (await stage.entries('steered')).map(({ id, body }) => [id, body.event === 'steered' && body.text])
  expect(steers).toEqual([
    [`${TURN}.steer-0`, 'and the tests'],
    [`${TURN}.steer-1`, 'nothing was heard for 10 minutes. Say in a line where you are, then go on.'],
  ])
})

test('whoever waits for a person is not paged; the room is reminded once, when half the time is over', async () => {
  await using stage = await openStage()
  await atWork(stage)
  const turn = await stage.store.turn(TURN)
  const step = `${TURN}.0`
  must(
    await stage.store.append([
      {
        id: `${step}.approval`,
        session: turn?.session ?? '',
        subject: { type: 'session', id: turn?.session ?? '' },
        author: { kind: 'agent', id: 'codex-1', face: 'rehearsal', via: null },
        tags: ['room/lobby', 'agent/codex-1'],
        inReplyTo: TURN,
        body: {
          event: 'approval-asked',
          turn: TURN,
          step,
          approval: 'kqzfm',
          call: { tool: 'run', args: { argv: ['git', 'push'] } },
          why: 'to push it',
          opens: 'run git push',
          until: new Date(stage.clock.now + 30 * MINUTE).toISOString(),
        },
      },
    ]),
  )
  await stage.pass(29)
  expect(await stage.count('paged')).toBe(0)
  expect((await stage.posts()).filter((post) => post.includes('still waits'))).toEqual([
    '03:19 tickle-1: kqzfm still waits: codex-1 asks to run git push; /approve kqzfm or /deny kqzfm until 2026-01-02T03:34:05.000Z',
  ])
})

test('a page by hand is for one that is at work, and for nobody else', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(3)
  const paged = must(await stage.rounds().page('codex-1', 'are you there'))
  expect(paged).toMatch(/^[a-z]{5}$/)
  const again = [
    await stage.rounds().page('codex-1', 'once more'),
    await stage.rounds().page('claude-1', 'and you'),
    await stage.rounds().page('tickle-1', 'and I'),
  ]
  expect(again.map((one) => (one.ok ? one.value : one.refusal.message))).toEqual([
    'codex-1 was paged for this silence already',
    'claude-1 is idle',
    'tickle-1 is not one that can be paged',
  ])
  await stage.pass(30)
  expect(await stage.count('page-escalated')).toBe(1)
})

test('one that is gone is neither paged nor asked about: the rooms were told by its presence', async () => {
  await using stage = await openStage()
  await atWork(stage)
  await stage.pass(5)
  await stage.becomes('codex-1', 'lapsed')
  await stage.pass(60)
  expect([await stage.count('paged'), await stage.count('page-escalated'), await stage.count('presence')]).toEqual([
    0, 0, 1,
  ])
})
