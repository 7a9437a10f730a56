import { expect, test } from 'vitest'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Result } from '../../src/shapes/result.ts'
import { begin } from '../../src/world/game.ts'
import { MOVES } from '../../src/world/server.ts'
import { nameOf } from '../../src/world/telling.ts'
import { must, reopened, testStore } from '../support/store.ts'
import { openGames } from './games.ts'
import { planOf, playAll } from './planner.ts'

const KIND = 'clean-then-place'
const SEED = 11
const PLAN = planOf(begin(KIND, SEED))

const why = (result: Result<unknown>): string => (result.ok ? 'it was done' : result.refusal.message)

/** The moves of a game, as its chain has them. */
const movesIn = async (store: Store, game = 'lobby-1'): Promise<[number, string, string][]> =>
  (await store.chain(`world-${game}`)).flatMap(({ body }) =>
    body.event === 'world-moved' ? [[body.n, body.player, body.action]] : [],
  )

test('a game is its chain: begun, every move in its place with its player, and won once', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  expect(must(await games.reset('claude-1', { kind: KIND, seed: SEED }))).toMatch(
    /^lobby-1 is begun \(clean-then-place, seed 11\)\.\nYou are in the middle of the room\..*clean an apple and put it on a sidetable\.$/,
  )
  const players = ['claude-1', 'codex-1'] as const
  // What one opens, the other finds open; but each has a hand and a place of its own.
  expect(must(await games.act('codex-1', 'go to cabinet 1')).world).toEqual({
    game: 'lobby-1',
    n: 1,
    changed: true,
    score: 0,
    won: false,
  })
  for (const action of PLAN.slice(0, -1)) must(await games.act(players[0], action))
  expect(must(await games.act(players[0], PLAN.at(-1) ?? ''))).toEqual({
    text: 'You put the apple 1 on the sidetable 1. The task is done.',
    world: { game: 'lobby-1', n: PLAN.length + 1, changed: true, score: 1, won: true },
  })
  expect(why(await games.act('codex-1', 'look'))).toBe(
    `lobby-1 was won by claude-1 with move ${PLAN.length + 1}; world-reset {} begins another`,
  )
  const chain = await kept.store.chain('world-lobby-1')
  expect(chain.map(({ id, author, body: { event } }) => [id, author.id, event])).toEqual([
    ['world-lobby-1.0', 'claude-1', 'world-begun'],
    ['world-lobby-1.1', 'codex-1', 'world-moved'],
    ...PLAN.map((_, i) => [`world-lobby-1.${i + 2}`, 'claude-1', 'world-moved']),
    ['world-lobby-1.0.won', 'bellhop', 'world-won'],
  ])
  expect((await verifyChain(kept.store, 'world-lobby-1')).violations).toEqual([])
})

test('a room has one game at a time: another is begun once it is won, or given up on purpose', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  expect([why(await games.act('claude-1', 'look')), why(await games.state('claude-1'))]).toEqual([
    'no game is under way here; world-reset {} begins one',
    'no game is under way here; world-reset {} begins one',
  ])
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  expect(why(await games.reset('codex-1'))).toBe(
    'lobby-1 is under way here: clean an apple and put it on a sidetable; play on, or give it up with {"again": true}',
  )
  must(await games.reset('codex-1', { kind: KIND, seed: 12, again: true }))
  expect((await games.list()).map(({ game, state, seed, by }) => [game, state, seed, by])).toEqual([
    ['lobby-2', 'playing', 12, 'codex-1'],
    ['lobby-1', 'left', 11, 'claude-1'],
  ])
})

test('of several who begin at the same moment one does, and the others are told of it', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  const begun = await Promise.all(['claude-1', 'codex-1', 'tickle-1'].map((agent) => games.reset(agent)))
  expect([begun.filter(({ ok }) => ok).length, (await games.list()).length]).toEqual([1, 1])
  expect(begun.filter(({ ok }) => !ok).map(why)).toEqual([
    expect.stringContaining('lobby-1 is under way here'),
    expect.stringContaining('lobby-1 is under way here'),
  ])
})

test.each([
  ['of their own', false],
  ['in common', true],
] as const)(
  'two workers with a world %s play one game: no move is lost or made twice, and both see the same world',
  async (_what, common) => {
    await using kept = await testStore()
    await using other = await reopened(kept.url)
    await using here = await openGames(kept.store)
    await using there = await openGames(other.store, common ? here.url : undefined)
    must(await here.reset('claude-1', { kind: KIND, seed: SEED }))
    const wanders = ['go to shelf 1', 'go to desk 1', 'go to fridge 1', 'open fridge 1', 'close fridge 1', 'look']
    const rounds = process.env['BELLHOP_LONG'] ? 20 : 3
    const made: string[] = []
    for (let round = 0; round < rounds; round++) {
      const acts = wanders.flatMap((action) => [
        here.act('claude-1', action),
        there.act('codex-1', action),
        there.act('tickle-1', action),
      ])
      for (const acted of await Promise.all(acts)) made.push(`${must(acted).world.n} ${must(acted).text}`)
      await here.restart()
    }
    const moves = await movesIn(kept.store)
    const replayed = playAll(
      begin(KIND, SEED),
      moves.map(([, player, action]) => [player, action] as const),
    )
    // What each was told is what that very move came to, in the one order that there is.
    expect(made.toSorted()).toEqual(replayed.moves.map(({ saw }, i) => `${i + 1} ${saw.observation}`).toSorted())
    const looks = [await here.look('lobby-1'), await there.look('lobby-1')]
    expect(looks[0]).toEqual(looks[1])
    expect((await verifyChain(kept.store, 'world-lobby-1')).violations).toEqual([])
  },
)

test('a game has an end, also where nobody wins it', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  must(await games.act('claude-1', 'look'))
  const last = (await kept.store.chain('world-lobby-1')).at(-1)
  if (last?.body.event !== 'world-moved') throw new Error('there is no move')
  const { session, subject, author, tags, inReplyTo, body } = last
  const rest = Array.from({ length: MOVES - 1 }, (_, i) => i + 2)
  const copies = rest.map((n) => ({
    session,
    subject,
    author,
    tags,
    inReplyTo,
    id: `world-lobby-1.${n}`,
    body: { ...body, n },
  }))
  must(await kept.store.append(copies))
  expect(why(await games.act('claude-1', 'look'))).toBe(
    `lobby-1 has had its ${MOVES} moves; world-reset {} begins another`,
  )
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  expect((await games.list()).map(({ game, state, moves }) => [game, state, moves])).toEqual([
    ['lobby-2', 'playing', 0],
    ['lobby-1', 'left', MOVES],
  ])
})

test('a server that was started again in the middle of a game is told all of it', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  for (const [i, action] of PLAN.entries()) {
    const acted = must(await games.act('claude-1', action))
    expect(acted.world).toMatchObject({ n: i + 1, changed: true, won: i === PLAN.length - 1 })
    await games.restart()
  }
  expect(await games.look('lobby-1')).toMatchObject({ game: { state: 'won', moves: PLAN.length }, score: 1 })
})

test('a move that the server did not hear of is made: it is told later, and not repeated', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  await games.stop()
  expect(why(await games.act('claude-1', 'go to cabinet 1'))).toBe(
    "the world's server cannot be spoken with: ECONNREFUSED; it is written down as move 1, and told later: do not repeat it",
  )
  expect(await games.look('lobby-1')).toMatchObject({
    score: null,
    map: null,
    log: [{ n: 1, action: 'go to cabinet 1' }],
  })
  await games.restart()
  expect(must(await games.state('claude-1'))).toBe(
    [
      'lobby-1 (clean-then-place, seed 11): clean an apple and put it on a sidetable',
      '1 move, score 0 of 100',
      'You are at the cabinet 1, and hold nothing.',
    ].join('\n'),
  )
  expect(await movesIn(kept.store)).toEqual([[1, 'claude-1', 'go to cabinet 1']])
})

test('a server that knows other moves of a game than were written down begins it anew', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  must(await games.act('claude-1', 'go to cabinet 1'))
  const begun = (await kept.store.chain('world-lobby-1'))[0]?.body
  const step = begun?.event === 'world-begun' ? begun.step : ''
  await fetch(`${games.url()}/step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: nameOf({ game: 'lobby-1', step }), player: 'mallory', action: 'open cabinet 1' }),
  })
  expect(must(await games.act('claude-1', 'look')).text).toBe('You are at the cabinet 1. The cabinet 1 is closed.')
  expect((await games.look('lobby-1'))?.map?.players).toEqual([{ player: 'claude-1', at: 'cabinet 1', holds: null }])
})

test('a game that was won by somebody who could not say so any more is found to be won by whoever looks next', async () => {
  await using kept = await testStore()
  await using games = await openGames(kept.store)
  must(await games.reset('claude-1', { kind: KIND, seed: SEED }))
  for (const action of PLAN.slice(0, -1)) must(await games.act('claude-1', action))
  await games.stop()
  expect((await games.act('claude-1', PLAN.at(-1) ?? '')).ok).toBe(false)
  await games.restart()
  expect((await games.list())[0]).toMatchObject({ state: 'playing', won: null })
  expect(must(await games.act('codex-1', 'look'))).toEqual({
    text: 'The task is done: nothing more happens here.',
    world: { game: 'lobby-1', n: PLAN.length + 1, changed: false, score: 1, won: false },
  })
  expect((await games.list())[0]).toMatchObject({ state: 'won', won: { n: PLAN.length, player: 'claude-1' } })
  expect((await verifyChain(kept.store, 'world-lobby-1')).violations).toEqual([])
})
