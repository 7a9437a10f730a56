import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { begin } from '../../src/world/game.ts'
import { startWorldServer } from '../../src/world/server.ts'
import { must } from '../support/store.ts'
import { planOf } from '../world/planner.ts'
import { startBellHouse, use } from './bells-house.ts'

const act = (action: string): string => use('world-act', { action })

const started = async (config = '') => {
  const house = await startBellHouse({ config: `loops: { hops: 20, named: 5 }\n${config}` })
  return {
    ...house,
    /** What a line is answered by the agent that it went to. */
    ask: async (text: string, room = 'lobby'): Promise<string> => {
      const { replies } = must(await converse(house.client, { room, text }, AbortSignal.timeout(60_000)))
      return replies.map((reply) => reply.text).join('\n')
    },
    moves: async (): Promise<string[]> =>
      (await house.bodiesOf('world-moved')).map(({ n, player, action }) => `${n} ${player}: ${action}`),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

test('three agents play one task together, with bells and a whistle: each action is evidence, and all of it verifies', async () => {
  await using house = await started()
  const first = await house.turnOf(
    `/alfworld @claude ${[
      use('world-reset', { kind: 'clean-then-place', seed: 11 }),
      act('go to cabinet 1'),
      act('open cabinet 1'),
      use('bell', {
        to: 'codex-1',
        peripheral: 'alfworld',
        text: [
          act('go to cabinet 1'),
          act('take apple 1 from cabinet 1'),
          act('go to sinkbasin 1'),
          act('clean apple 1 with sinkbasin 1'),
        ].join(', then '),
      }),
    ].join(', then ')}`,
  )
  await house.endOf(first)
  await house.settled()

  const second = await house.turnOf(
    `/alfworld @codex ${[
      act('go to sidetable 1'),
      use('whistle', {
        to: 'tickle-1',
        peripheral: 'alfworld',
        seconds: 30,
        text: `${act('go to sidetable 1')}, then use world-state`,
      }),
      act('put apple 1 on sidetable 1'),
      use('hop', { to: 'reflect' }),
    ].join(', then ')}`,
  )
  const { answer } = await house.endOf(second)
  await house.settled()

  expect(answer).toContain('codex-1 is at the sidetable 1, and holds apple 1.')
  expect(answer).toContain('You put the apple 1 on the sidetable 1. The task is done.')
  expect(await house.moves()).toEqual([
    '1 claude-1: go to cabinet 1',
    '2 claude-1: open cabinet 1',
    '3 codex-1: go to cabinet 1',
    '4 codex-1: take apple 1 from cabinet 1',
    '5 codex-1: go to sinkbasin 1',
    '6 codex-1: clean apple 1 with sinkbasin 1',
    '7 codex-1: go to sidetable 1',
    '8 tickle-1: go to sidetable 1',
    '9 codex-1: put apple 1 on sidetable 1',
  ])
  // Each move is a step of the agent that made it, with the outcome of that very move.
  for (const { body, author, inReplyTo } of await house.entriesOf('world-moved')) {
    if (body.event !== 'world-moved') throw new Error('it is no move')
    const intent = await house.store.get(inReplyTo ?? '')
    const outcome = await house.store.get(`${body.step}.outcome`)
    expect([author.id, intent?.author.id, intent?.body, outcome?.body]).toEqual([
      body.player,
      body.player,
      expect.objectContaining({ step: body.step, call: { tool: 'world-act', args: { action: body.action } } }),
      expect.objectContaining({
        outcome: expect.objectContaining({
          kind: 'ok',
          world: expect.objectContaining({ game: 'lobby-1', n: body.n }),
        }),
      }),
    ])
  }
  expect((await house.bodiesOf('bell-rung')).map(({ from, to, way }) => [from, to, way])).toEqual([
    ['claude-1', 'codex-1', 'bell'],
    ['codex-1', 'claude-1', 'bell'],
    ['codex-1', 'tickle-1', 'whistle'],
  ])
  expect(await house.bodiesOf('world-won')).toEqual([
    { event: 'world-won', game: 'lobby-1', n: 9, player: 'codex-1', task: 'clean an apple and put it on a sidetable' },
  ])
  const stops = (await house.bodiesOf('peripheral-stopped')).filter(({ turn }) => turn === second)
  expect(stops[0]).toMatchObject({
    peripheral: 'alfworld',
    to: 'reflect',
    when: 'won',
    fruit: { steps: 3, world: { moves: 2, won: ['lobby-1'], score: 1, idle: 0 } },
  })
  expect(await house.violations()).toEqual([])
})

test('a person plays by /world, and sees the games with what is where by /worlds, also as data', async () => {
  await using house = await started()
  expect(await house.ask('/world')).toBe('no game is under way here; world-reset {} begins one')
  expect(await house.ask('/world new clean-then-place 11')).toMatch(
    /^lobby-1 is begun \(clean-then-place, seed 11\)\.\nYou are in the middle of the room\./,
  )
  expect([
    await house.ask('/world act go to cabinet 1'),
    await house.ask('/world act Open  Cabinet 1'),
    await house.ask('/world act dance'),
    await house.ask('/world act'),
    await house.ask('/world new soon'),
    await house.ask('/world show'),
  ]).toEqual([
    'You go to the cabinet 1. The cabinet 1 is closed.',
    'You open the cabinet 1. The cabinet 1 is open. In the cabinet 1, there is an apple 1, a bowl 1, an egg 4.',
    expect.stringMatching(/^.*expected one of: go to fridge 1, take mug 1 from shelf 1, .*inventory, look/),
    expect.stringContaining('I do not understand "world act"; say /world new'),
    expect.stringContaining('I do not understand "world new soon"; say /world new'),
    [
      'lobby-1 (clean-then-place, seed 11): clean an apple and put it on a sidetable',
      '2 moves, score 0 of 100',
      'You are at the cabinet 1, and hold nothing.',
    ].join('\n'),
  ])
  expect(await house.moves()).toEqual(['1 tickle-1: go to cabinet 1', '2 tickle-1: open cabinet 1'])

  const game = {
    game: 'lobby-1',
    room: 'lobby',
    kind: 'clean-then-place',
    seed: 11,
    task: 'clean an apple and put it on a sidetable',
    by: 'tickle-1',
    at: expect.any(String),
    state: 'playing',
    moves: 2,
    players: [{ player: 'tickle-1', moves: 2 }],
    won: null,
  }
  expect(must(await house.client.ask('worlds', {}))).toEqual({ games: [game], look: null })
  const { look } = must(await house.client.ask('worlds', { game: 'lobby-1' }))
  expect(look).toEqual({
    game,
    log: [
      { n: 1, player: 'tickle-1', action: 'go to cabinet 1', at: expect.any(String) },
      { n: 2, player: 'tickle-1', action: 'open cabinet 1', at: expect.any(String) },
    ],
    score: 0,
    map: {
      players: [{ player: 'tickle-1', at: 'cabinet 1', holds: null }],
      places: expect.arrayContaining([
        { place: 'cabinet 1', open: true, things: ['apple 1', 'bowl 1', 'egg 4'].map((thing) => ({ thing, is: [] })) },
      ]),
    },
  })
  const { answer } = must(await house.client.say({ room: 'lobby', text: '/worlds' }))
  expect(answer).toBe(
    'lobby-1 playing, clean-then-place: clean an apple and put it on a sidetable; 2 moves (tickle-1 2)',
  )
  must(await house.client.say({ room: 'lobby', text: '/start alfworld' }))
  const byHand = must(await house.client.say({ room: 'lobby', text: '/step world-act go to cabinet 1' }))
  expect(byHand.answer).toContain('tickle-1 is here, and holds nothing.')
  must(await house.client.say({ room: 'lobby', text: '/leave' }))
  expect((await house.moves()).at(-1)).toBe('3 by-hand: go to cabinet 1')
  const unknown = await house.client.ask('worlds', { game: 'nowhere-1' })
  expect(unknown.ok ? null : unknown.refusal).toMatchObject({
    code: 'game-unknown',
    message: 'there is no game nowhere-1',
  })
  expect(await house.violations()).toEqual([])
})

test('a game goes on after the worker was started again, on a world that has to hear of it anew', async () => {
  await using house = await started()
  const plan = planOf(begin('pick-and-place', 3))
  await house.ask('/world new pick-and-place 3')
  for (const [i, action] of plan.entries()) {
    if (i === 2) {
      await house.stopWorker()
      await house.startWorker()
    }
    await house.ask(`/world act ${action}`)
  }
  expect(await house.moves()).toEqual(plan.map((action, i) => `${i + 1} tickle-1: ${action}`))
  expect(await house.bodiesOf('world-won')).toMatchObject([{ game: 'lobby-1', n: plan.length, player: 'tickle-1' }])
  expect(await house.violations()).toEqual([])
})

test('an agent whose moves change nothing can leave because it is stuck', async () => {
  await using house = await started()
  await house.ask('/world new pick-and-place 3')
  const turn = await house.turnOf(
    `/alfworld @claude ${[...Array.from({ length: 5 }, () => act('inventory')), use('hop', { to: 'chat' })].join(', then ')}`,
  )
  await house.endOf(turn)
  const stops = (await house.bodiesOf('peripheral-stopped')).filter((stop) => stop.turn === turn)
  expect(stops[0]).toMatchObject({ to: 'chat', when: 'stuck', fruit: { world: { moves: 5, idle: 5, won: [] } } })
  expect(await house.violations()).toEqual([])
})

test('the server can be another one, as the config says', async () => {
  const server = await startWorldServer()
  await using house = await started(`world: { server: "${server.url}" }\n`)
  await house.ask('/world new clean-then-place 11')
  expect(await house.ask('/world act go to cabinet 1')).toBe('You go to the cabinet 1. The cabinet 1 is closed.')
  await server.close()
  expect(await house.ask('/world act open cabinet 1')).toBe(
    "the world's server cannot be spoken with: ECONNREFUSED; it is written down as move 2, and told later: do not repeat it",
  )
  expect(must(await house.client.ask('worlds', { game: 'lobby-1' })).look).toMatchObject({ score: null, map: null })
  expect(await house.violations()).toEqual([])
})
