import { afterEach, beforeEach, expect, test } from 'vitest'
import { boardOf } from '../../../adapters/discord/board.ts'
import type { Body } from '../../../adapters/discord/body.ts'
import type { Outlet } from '../../../src/chat/outlet.ts'
import { createDelivery } from '../../../src/delivery/deliver.ts'
import { createLedger } from '../../../src/delivery/ledger.ts'
import type { Post } from '../../../src/shapes/post.ts'
import type { BulletinKind, Situation } from '../../../src/shapes/situation.ts'
import { agent, approval, budget, calm } from '../../bulletins/situations.ts'
import { eventually } from '../../support/poll.ts'
import { startTestRedis, type TestRedis } from '../../support/redis.ts'
import { openStage, type Stage, spotOf, start } from './stage.ts'

let stage: Stage
let server: TestRedis
beforeEach(async () => {
  stage = await openStage()
  server = await startTestRedis()
  stage.discord.allow(stage.channel, 'PIN_MESSAGES')
})
afterEach(async () => {
  await stage.close()
  await server[Symbol.asyncDispose]()
})

const bulletin = (position: number, kind: BulletinKind, text: string, part: Partial<Situation> = {}): Post => ({
  position,
  id: `lobby.bulletin-${position}`,
  at: new Date().toISOString(),
  room: 'lobby',
  kind: 'notice',
  author: { kind: 'house', id: 'bellhop', face: 'house', via: null },
  text,
  session: null,
  turn: null,
  step: null,
  approval: null,
  bulletin: { kind, situation: calm(part) },
})

/** Says posts in the channel as the bridge does, through a ledger that outlives it. */
const deliver = async (posts: Post[], { outlet = stage.outlet as Outlet, prefix = 'board' } = {}): Promise<void> => {
  const ledger = createLedger({ redis: server.redis, prefix })
  const stream = { network: 'discord', channel: stage.channel, room: 'lobby' }
  await ledger.begin(stream, 0, 0)
  const over = new AbortController()
  const last = posts.at(-1)?.position ?? 0
  const running = createDelivery({
    ledger,
    outlet,
    spotOf: () => spotOf(stage.channel),
    posts: async function* (_room, after) {
      yield* posts.filter(({ position }) => position > after)
    },
    note: async () => {},
    lastThrough: async () => null,
    newest: async () => 0,
    clock: Date.now,
    now: () => performance.now(),
    sleep: async (ms, signal) => {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          done()
        })
      })
    },
    random: () => 0,
  }).run(stream, over.signal)
  await eventually('all to be said', async () => ((await ledger.standing(stream)).cursor ?? 0) >= last)
  over.abort()
  await running
}

const boards = () =>
  stage.discord.messages(stage.channel).filter(({ embeds }) => embeds[0]?.title?.includes('stand in'))
const texts = () =>
  stage.discord.messages(stage.channel).map(({ type, content }) => (type === 6 ? '(pinned)' : content))
const worksOf = (message: ReturnType<typeof boards>[number] | undefined) =>
  message?.embeds[0]?.fields?.find(({ name }) => name === 'Work')?.value

const BUSY = { work: { running: 1, queued: 0, waiting: 0, stuck: 0 } }

test('a board has what the situation has, in fields and a colour, and nothing in it that Discord would obey', () => {
  const situation = calm({
    agents: [agent('claude-1', { doing: 'say **@everyone**' }), agent('codex-1', { readiness: 'lapsed', waiting: 2 })],
    work: { running: 1, queued: 2, waiting: 1, stuck: 2 },
    approvals: [approval()],
    budgets: [budget()],
    missions: { open: [{ id: 'm-1', title: 'The retries', status: 'in-progress' }], done: [] },
    ended: { since: null, done: 5, failed: 1, cancelled: 0 },
    more: { agents: 1, approvals: 0, budgets: 0, missions: 0 },
  })
  expect(boardOf(situation).embed).toEqual({
    title: 'How things stand in lobby',
    color: 0xf0b232,
    fields: [
      {
        name: 'Agents',
        value:
          '**claude-1** at work: say \\*\\*@\u200beveryone\\*\\*\n**codex-1** lapsed · 2 waiting for it\nand 1 more',
        inline: false,
      },
      { name: 'Work', value: '1 at work, 2 in line, 1 waiting, 2 stuck', inline: true },
      { name: 'Turns that ended', value: '5 done, 1 failed, 0 cancelled', inline: true },
      {
        name: 'Waiting for a person',
        value: '**kqzfm** codex-1: run git push, until <t:1767345600:R>',
        inline: false,
      },
      { name: 'Missions', value: 'The retries · in-progress', inline: false },
      {
        name: 'Budgets',
        value: '**near**: claude-1 has used 850 of the 1,000 tokens of its day',
        inline: false,
      },
    ],
    footer: { text: 'board of lobby' },
    timestamp: '2026-01-02T09:00:00.000Z',
  })
})

test('the colour says whether all is well', () => {
  const colours = [
    calm(),
    calm(BUSY),
    calm({ approvals: [approval()] }),
    calm({ budgets: [budget({ state: 'spent' })] }),
  ]
  expect(colours.map((situation) => boardOf(situation).embed?.color)).toEqual([0x23a55a, 0x5865f2, 0xf0b232, 0xf23f43])
})

test('there is one, pinned once and changed in its place; what changed is said as well, and a digest', async () => {
  await deliver([
    bulletin(1, 'scheduled', 'lobby: no work'),
    bulletin(2, 'scheduled', 'lobby: 1 turn at work', BUSY),
    bulletin(3, 'change', 'mission done: m-1', BUSY),
    bulletin(4, 'digest', 'while lobby was not to be disturbed:\nbudget near'),
  ])
  expect([
    boards().length,
    boards()[0]?.history.length,
    stage.discord.pinned(stage.channel).map(({ id }) => id),
  ]).toEqual([1, 3, [boards()[0]?.id]])
  expect(texts()).toEqual([
    '',
    '(pinned)',
    '-# mission done: m-1',
    '-# while lobby was not to be disturbed:\n-# budget near',
  ])
  expect(stage.house.drops.filter(({ code }) => code !== 'own-echo')).toEqual([])
})

test('after a restart it is the same one, also where Redis was lost', async () => {
  await deliver([bulletin(1, 'scheduled', 'a')])
  await stage.stop()
  const again = await start(stage.discord, stage.house)
  const outlet = again.adapter.outlet as Outlet
  await deliver([bulletin(2, 'scheduled', 'b', BUSY)], { outlet })
  expect([boards().length, worksOf(boards()[0])]).toEqual([1, '1 at work, 0 in line, 0 waiting, 0 stuck'])
  // Nothing is remembered of it, and the channel still has it among its pins.
  stage.house.memory.clear()
  await deliver([bulletin(3, 'scheduled', 'c')], { outlet, prefix: 'forgotten' })
  expect([boards().length, worksOf(boards()[0]), texts()]).toEqual([
    1,
    '0 at work, 0 in line, 0 waiting, 0 stuck',
    ['', '(pinned)'],
  ])
  await again.stop()
})

test('one that somebody deletes is said and pinned anew; one that somebody unpins stays unpinned, and changes', async () => {
  const { discord, channel, grace } = stage
  discord.allow(channel, 'MANAGE_MESSAGES', grace)
  discord.allow(channel, 'PIN_MESSAGES', grace)
  await deliver([bulletin(1, 'scheduled', 'a')])
  const first = boards()[0]?.id ?? ''
  grace.deletes(first)
  await deliver([bulletin(2, 'scheduled', 'b')])
  const second = boards()[0]?.id ?? ''
  expect([boards().length, second === first, discord.pinned(channel).map(({ id }) => id)]).toEqual([1, false, [second]])
  grace.unpins(second)
  await deliver([bulletin(3, 'scheduled', 'c', BUSY)])
  expect([boards().map(({ id }) => id), worksOf(boards()[0]), discord.pinned(channel)]).toEqual([
    [second],
    '1 at work, 0 in line, 0 waiting, 0 stuck',
    [],
  ])
})

test('without the right to pin it is said and changed all the same, and the log says so once', async () => {
  const { discord, channel, house } = stage
  discord.deny(channel, 'PIN_MESSAGES')
  await deliver([bulletin(1, 'scheduled', 'a'), bulletin(2, 'scheduled', 'b', BUSY), bulletin(3, 'scheduled', 'c')])
  expect([boards().length, boards()[0]?.history.length, discord.pinned(channel)]).toEqual([1, 2, []])
  expect(house.logs.filter((log) => log.includes('is not pinned'))).toEqual([
    'the board of a channel of Discord is not pinned',
  ])
  expect(house.states.filter(({ detail }) => detail.includes('may not write'))).toEqual([])
})

test('a channel that only watches the room reads the words, and has no board of it', () => {
  const pieces = (stage.outlet as Outlet<Body>).pieces(
    bulletin(1, 'scheduled', 'lobby: no work'),
    spotOf(stage.other, { watched: true }),
  )
  expect(pieces.map(({ card, body }) => [card, body.content, body.loud])).toEqual([
    [null, '-# [lobby] lobby: no work', false],
  ])
})
