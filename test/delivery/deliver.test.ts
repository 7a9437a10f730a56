import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Delivering } from '../../src/delivery/deliver.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { createNetwork, createWorld, type Network, STREAM } from './world.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const HOUR = 3_600_000

/** A world of its own whose stream is running. */
const running = async (given: Partial<Delivering> & { network?: Network } = {}) => {
  const world = createWorld({ redis: server.redis, prefix: `t-${randomUUID()}`, ...given })
  const run = world.start()
  await world.reached(0)
  return { ...world, run }
}

describe('what is said', () => {
  test('is every post after the stream began, piece after piece, in order and once', async () => {
    const { rooms, texts, reached, ledger, run, remarks } = await running()
    rooms.say('p1', { text: 'one\ntwo\nthree' })
    rooms.say('p2', { text: 'four' })
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['one', 'two', 'three', 'four'])
    expect(remarks()).toEqual([])
    expect(await ledger.standing(STREAM)).toEqual({ cursor: 2, doubt: 0, hand: null, flight: null })
  })

  test('goes on where it was left, by whoever comes next', async () => {
    const { rooms, texts, reached, start, run } = await running()
    rooms.say('p1')
    await reached(1)
    await run.stop()
    rooms.say('p2')
    rooms.say('p3')
    const next = start()
    await reached(3)
    await next.stop()
    expect(texts()).toEqual(['p1', 'p2', 'p3'])
  })

  test('begins with what is new where nothing was said before, or where the channel was bound', async () => {
    const { rooms, texts, reached, start } = createWorld({ redis: server.redis, prefix: `t-${randomUUID()}` })
    for (const id of ['p1', 'p2', 'p3']) rooms.say(id)
    const here = start()
    await reached(3)
    const elsewhere = { ...STREAM, channel: '#other' }
    const there = start(elsewhere, 2)
    await reached(3, elsewhere)
    rooms.say('p4')
    await reached(4)
    await reached(4, elsewhere)
    await here.stop()
    await there.stop()
    expect(texts().sort()).toEqual(['p3', 'p4', 'p4'])
  })

  test('is not what a channel missed while it was not bound', async () => {
    const { rooms, texts, reached, start, run } = await running()
    rooms.say('p1')
    await reached(1)
    await run.stop()
    for (const id of ['p2', 'p3', 'p4']) rooms.say(id)
    const next = start(STREAM, 3)
    await reached(4)
    await next.stop()
    expect(texts()).toEqual(['p1', 'p4'])
  })
})

describe('what does not come through', () => {
  test('is tried again, later each time or when the network says, and nothing overtakes it', async () => {
    const { rooms, texts, reached, ledger, network, time, run, remarks } = await running()
    const wait = async () => ({ kind: 'later', why: 'slow down', afterMs: 7 }) as const
    network.answers.push('later', 'later', 'later', wait)
    rooms.say('p1')
    rooms.say('p2')
    await time.pass(1000)
    await time.pass(2000)
    await eventually('it to be known that nothing is in flight', async () => time.slept.includes(4000))
    expect(await ledger.standing(STREAM)).toEqual({ cursor: 0, doubt: 0, hand: null, flight: null })
    await time.pass(4000)
    await time.pass(7)
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['p1', 'p2'])
    expect(remarks()).toEqual([])
  })

  test('waits a minute at most, and never as long as all others', async () => {
    const { rooms, reached, network, time, run } = await running({ random: () => 0 })
    network.answers.push(...Array.from({ length: 9 }, () => 'later' as const))
    rooms.say('p1')
    const waits = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]
    for (const ms of waits) await time.pass(ms)
    await reached(1)
    await run.stop()
    expect(time.slept.filter((ms) => waits.includes(ms))).toEqual(waits)
  })

  test('is marked and noted once where it may have been said already', async () => {
    const { rooms, texts, reached, network, time, run, remarks } = await running()
    network.answers.push('said-unsure', 'unsure', 'later')
    rooms.say('p1', { text: 'one\ntwo' })
    for (const ms of [1000, 2000, 4000]) await time.pass(ms)
    await reached(1)
    await run.stop()
    expect(texts()).toEqual(['one', 'one (again)', 'two'])
    expect(network.tried.map(({ again }) => again)).toEqual([false, true, true, true, false])
    expect(remarks()).toEqual([['again', 'p1', 'nobody knew whether it had been said']])
  })

  test('and never can is noted and left, and the next one is said', async () => {
    const { rooms, texts, reached, network, run, remarks } = await running()
    network.answers.push('sent', 'never')
    rooms.say('p1', { text: 'one\ntwo\nthree' })
    rooms.say('p2')
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['one', 'p2'])
    expect(remarks()).toEqual([['failed', 'p1', 'it was never']])
  })

  test('is given up when it is too old, and was tried for a while', async () => {
    const { rooms, texts, reached, network, time, run, remarks } = await running({ giveUpMs: HOUR })
    const wait = async () => ({ kind: 'later', why: 'the network is away', afterMs: HOUR }) as const
    network.answers.push(wait, wait, 'later')
    rooms.say('p1')
    rooms.say('p2')
    await time.pass(HOUR)
    // By now the second is as old: it has its tries all the same.
    await time.pass(1000)
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['p2'])
    expect(remarks()).toEqual([['failed', 'p1', 'the network is away']])
  })

  test('is not given up at once because the clock was set forward by a day', async () => {
    const { rooms, texts, reached, network, time, run, remarks } = await running()
    network.answers.push('later', 'later')
    rooms.say('p1')
    await eventually('it to be tried', () => time.slept.includes(1000))
    time.ahead = 24 * HOUR
    await time.pass(1000)
    await time.pass(2000)
    await reached(1)
    await run.stop()
    expect([texts(), remarks()]).toEqual([['p1'], []])
  })

  test('because the outlet broke may have been said', async () => {
    const { rooms, texts, reached, network, time, run, remarks } = await running()
    network.answers.push(() => Promise.reject(new Error('it broke')))
    rooms.say('p1')
    await time.pass(1000)
    await reached(1)
    await run.stop()
    expect(texts()).toEqual(['p1 (again)'])
    expect(remarks()).toEqual([['again', 'p1', 'nobody knew whether it had been said']])
  })

  test('because it cannot be translated is noted, and keeps nothing else back', async () => {
    const network = createNetwork()
    const { pieces } = network.outlet
    const strict: typeof pieces = (post, spot) => {
      if (post.id === 'p1') throw new Error('no such letter')
      return pieces(post, spot)
    }
    const { rooms, texts, reached, run, remarks } = await running({
      network,
      outlet: { ...network.outlet, pieces: strict },
    })
    rooms.say('p1')
    rooms.say('p2')
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['p2'])
    expect(remarks()).toEqual([['failed', 'p1', 'it could not be put into words: no such letter']])
  })
})

describe('a message that has a name', () => {
  test('is changed where it was said, and said anew where it is gone', async () => {
    const { rooms, texts, reached, network, run, remarks } = await running()
    rooms.say('p1', { text: 'step=running' })
    rooms.say('p2', { text: 'step=done' })
    await reached(2)
    network.editAnswers.push('gone')
    rooms.say('p3', { text: 'step=done for good' })
    rooms.say('p4', { text: 'step=really' })
    await reached(4)
    await run.stop()
    expect(texts()).toEqual(['running', 'done for good'])
    expect(network.edits).toEqual([
      { ref: 'r1', text: 'done' },
      { ref: 'r2', text: 'really' },
    ])
    expect(remarks()).toEqual([])
  })

  test('can be changed twice without harm: a change that nobody knows of is no repetition', async () => {
    const { rooms, texts, reached, network, time, run, remarks } = await running()
    rooms.say('p1', { text: 'step=running' })
    await reached(1)
    network.editAnswers.push('said-unsure')
    rooms.say('p2', { text: 'step=done' })
    await time.pass(1000)
    await reached(2)
    await run.stop()
    expect(texts()).toEqual(['running'])
    expect(network.edits.map(({ text }) => text)).toEqual(['done', 'done'])
    expect(remarks()).toEqual([])
  })
})

test('two rooms that lead to one channel speak there one at a time, each post whole', async () => {
  const world = createWorld({ redis: server.redis, prefix: `t-${randomUUID()}` })
  const other = { ...STREAM, room: 'lounge' }
  const first = world.start()
  await world.reached(0)
  const over = new AbortController()
  const second = first.delivery.run(other, over.signal)
  await world.reached(0, other)
  for (let n = 1; n <= 10; n++)
    world.rooms.say(`p${n}`, { room: n % 2 ? 'lobby' : 'lounge', text: `${n}a\n${n}b\n${n}c` })
  await world.reached(9)
  await world.reached(10, other)
  over.abort()
  await second
  await first.stop()
  const numbers = world.network.said.map(({ text }) => Number.parseInt(text, 10))
  expect(world.network.most()).toBe(1)
  expect(world.network.said.map(({ text }) => text.at(-1)).join('')).toBe('abc'.repeat(10))
  expect(numbers.filter((n) => n % 2)).toEqual([1, 1, 1, 3, 3, 3, 5, 5, 5, 7, 7, 7, 9, 9, 9])
  expect(numbers.filter((n) => n % 2 === 0)).toEqual([2, 2, 2, 4, 4, 4, 6, 6, 6, 8, 8, 8, 10, 10, 10])
})

describe('a delivery that is ended', () => {
  /** A send that does not end before it is told to. */
  const slow = () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const answer = async () => {
      await ended
      return { kind: 'sent', ref: 'slow' } as const
    }
    return { end: () => end(), answer }
  }

  test('waits for what is being sent, which is then not sent again', async () => {
    const { rooms, texts, reached, network, start, run, remarks } = await running()
    const { end, answer } = slow()
    network.answers.push(answer)
    rooms.say('p1')
    rooms.say('p2')
    await eventually('the send', () => network.tried.length === 1)
    const stopped = run.stop()
    end()
    await stopped
    const next = start()
    await reached(2)
    await next.stop()
    expect(texts()).toEqual(['p2'])
    expect(remarks()).toEqual([])
  })

  test('does not wait for ever: what it leaves in flight is sent again, marked as such', async () => {
    const { rooms, texts, reached, ledger, network, time, start, run, remarks } = await running()
    network.answers.push(slow().answer)
    rooms.say('p1')
    await eventually('the send', () => network.tried.length === 1)
    const stopped = run.stop()
    await time.pass(5000)
    await stopped
    expect((await ledger.standing(STREAM)).flight).toEqual({
      position: 1,
      post: 'p1',
      piece: 0,
      key: '#team/lobby/p1/0',
    })
    const next = start()
    await reached(1)
    await next.stop()
    expect(texts()).toEqual(['p1 (again)'])
    expect(remarks()).toEqual([['again', 'p1', 'nobody knew whether it had been said']])
  })
})

describe('how far a stream has come', () => {
  test('is in the evidence from its beginning, once a minute while something is said, and when it ends', async () => {
    const { rooms, reached, notes, time, run } = await running()
    rooms.say('p1')
    rooms.say('p2')
    await reached(2)
    expect(notes.map(({ about, position }) => [about, position])).toEqual([['through', 0]])
    await time.pass(60_000)
    await eventually('the note', () => notes.length === 2)
    rooms.say('p3')
    await reached(3)
    await run.stop()
    expect(notes.map(({ about, position }) => [about, position])).toEqual([
      ['through', 0],
      ['through', 2],
      ['through', 3],
    ])
  })

  test('is where it goes on when Redis is lost: what nobody knows of is said again, marked, and what is new is not', async () => {
    const prefix = `t-${randomUUID()}`
    const world = createWorld({ redis: server.redis, prefix })
    const { rooms, notes, reached, start, network } = world
    const first = start()
    await reached(0)
    rooms.say('p1')
    await reached(1)
    await world.time.pass(60_000)
    await eventually('the note', () => notes.length === 2)
    rooms.say('p2')
    await reached(2)
    // Killed, and Redis with it: what it would still have written is not there.
    await first.stop()
    notes.length = 2
    await server.redis.del(...(await server.redis.keys(`${prefix}*`)))
    rooms.say('p3')
    const next = start()
    await reached(3)
    rooms.say('p4')
    await reached(4)
    await next.stop()
    expect(world.texts()).toEqual(['p1', 'p2', 'p2 (again)', 'p3 (again)', 'p4'])
    expect(world.remarks().map(([about, post]) => [about, post])).toEqual([
      ['again', 'p2'],
      ['again', 'p3'],
    ])
    expect(network.tried.length).toBe(5)
  })

  test('is where it goes on when Redis comes back as it was before: what that has forgotten is said again, marked', async () => {
    const prefix = `t-${randomUUID()}`
    const { rooms, reached, start, texts, ledger } = createWorld({ redis: server.redis, prefix })
    const first = start()
    await reached(0)
    rooms.say('p1')
    await reached(1)
    await first.stop()
    const [key = ''] = await server.redis.keys(`${prefix}*standing`)
    const before = await server.redis.hgetall(key)
    const second = start()
    for (const id of ['p2', 'p3']) rooms.say(id)
    await reached(3)
    await second.stop()
    rooms.say('p4')
    await server.redis.del(key)
    await server.redis.hset(key, before)
    const third = start()
    await reached(4)
    rooms.say('p5')
    await reached(5)
    await third.stop()
    expect(texts()).toEqual(['p1', 'p2', 'p3', 'p4 (again)', 'p5'])
    expect(await ledger.standing(STREAM)).toEqual({ cursor: 5, doubt: 0, hand: null, flight: null })
  })

  test('is where it goes on when the evidence is that of a backup, and Redis knows of more than there is', async () => {
    const prefix = `t-${randomUUID()}`
    const old = createWorld({ redis: server.redis, prefix })
    const first = old.start()
    await old.reached(0)
    for (const id of ['p1', 'p2', 'p3', 'p4', 'p5']) old.rooms.say(id)
    await old.reached(5)
    await first.stop()
    // The backup was made when three posts were there, and the stream was known to be past the first.
    const { rooms, notes, reached, start, texts, ledger } = createWorld({ redis: server.redis, prefix })
    for (const id of ['p1', 'p2', 'p3']) rooms.say(id)
    notes.push({ ...STREAM, about: 'through', post: null, position: 1, text: '' })
    const second = start()
    await reached(3)
    for (const id of ['q4', 'q5', 'q6']) rooms.say(id)
    await reached(6)
    await second.stop()
    expect(texts()).toEqual(['p2 (again)', 'p3 (again)', 'q4', 'q5', 'q6'])
    expect(await ledger.standing(STREAM)).toEqual({ cursor: 6, doubt: 0, hand: null, flight: null })
  })

  test('is where the evidence ends when a backup knows nothing of it, and no piece of a post that is gone counts', async () => {
    for (const cursor of [9, 3]) {
      const prefix = `t-${randomUUID()}`
      const { rooms, notes, reached, start, texts, ledger } = createWorld({ redis: server.redis, prefix })
      await ledger.begin(STREAM, cursor, 0)
      await ledger.settle(STREAM, { position: cursor + 1, post: 'gone', piece: 0, key: 'k' }, null)
      for (const id of ['p1', 'p2', 'p3']) rooms.say(id)
      const run = start()
      await eventually('it to be written down', () => notes.length === 1)
      rooms.say('q4', { text: 'one\ntwo' })
      await reached(4)
      await run.stop()
      expect(texts()).toEqual(['one', 'two'])
      expect(notes.map(({ about, position }) => [about, position])).toEqual([
        ['through', 3],
        ['through', 4],
      ])
    }
  })

  test('stays in doubt until all that is in doubt was said, though Redis forgets that, too', async () => {
    const prefix = `t-${randomUUID()}`
    const { rooms, notes, reached, start, network, texts, time } = createWorld({ redis: server.redis, prefix })
    const forget = async () => server.redis.del(...(await server.redis.keys(`${prefix}*`)))
    const first = start()
    await reached(0)
    for (const id of ['p1', 'p2', 'p3']) rooms.say(id)
    await reached(3)
    await first.stop()
    notes.length = 1
    await forget()
    network.answers.push(
      async () => {
        await forget()
        return { kind: 'sent', ref: null }
      },
      () => new Promise(() => {}),
    )
    const second = start()
    await eventually('the send that never ends', () => network.tried.length === 5)
    const stopped = second.stop()
    await time.pass(5000)
    await stopped
    const third = start()
    await reached(3)
    rooms.say('p4')
    await reached(4)
    await third.stop()
    expect(texts()).toEqual(['p1', 'p2', 'p3', 'p2 (again)', 'p3 (again)', 'p4'])
  })

  test('survives a Redis that forgets everything in the middle of it', async () => {
    const prefix = `t-${randomUUID()}`
    const { rooms, reached, start, texts } = createWorld({ redis: server.redis, prefix })
    const run = start()
    await reached(0)
    rooms.say('p1')
    await reached(1)
    await server.redis.del(...(await server.redis.keys(`${prefix}*`)))
    rooms.say('p2')
    await reached(2)
    await run.stop()
    rooms.say('p3')
    const next = start()
    await reached(3)
    await next.stop()
    expect(texts()).toEqual(['p1', 'p2', 'p3'])
  })
})
