import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLedger, type Flight } from '../../src/delivery/ledger.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { STREAM } from './world.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const open = () => {
  const prefix = `t-${randomUUID()}`
  return { prefix, ledger: createLedger({ redis: server.redis, prefix }) }
}

const flightOf = (position: number, piece = 0): Flight => ({ position, post: `p${position}`, piece, key: `k${piece}` })

test('a stream stands where it was left: begun, in flight, settled piece by piece, landed', async () => {
  const { ledger } = open()
  const seen = [await ledger.standing(STREAM)]
  await ledger.begin(STREAM, 4, 9)
  await ledger.begin(STREAM, 7, 0)
  seen.push(await ledger.standing(STREAM))
  expect(await ledger.fly(STREAM, flightOf(5))).toBe(true)
  seen.push(await ledger.standing(STREAM))
  await ledger.settle(STREAM, flightOf(5), null)
  await ledger.fly(STREAM, flightOf(5, 1))
  await ledger.lift(STREAM)
  seen.push(await ledger.standing(STREAM))
  await ledger.land(STREAM, 5, 9)
  seen.push(await ledger.standing(STREAM))
  await ledger.land(STREAM, 9, 9)
  seen.push(await ledger.standing(STREAM))
  const none = { hand: null, flight: null }
  expect(seen).toEqual([
    { cursor: null, doubt: 0, ...none },
    { cursor: 4, doubt: 9, ...none },
    { cursor: 4, doubt: 9, hand: null, flight: flightOf(5) },
    { cursor: 4, doubt: 9, hand: { position: 5, settled: 1 }, flight: null },
    { cursor: 5, doubt: 9, ...none },
    { cursor: 9, doubt: 0, ...none },
  ])
})

test('whoever comes late does not take anything back', async () => {
  const { ledger } = open()
  await ledger.begin(STREAM, 0, 0)
  await ledger.land(STREAM, 6, 0)
  await ledger.fly(STREAM, flightOf(7))
  expect(await ledger.fly(STREAM, flightOf(5))).toBe(false)
  await ledger.settle(STREAM, flightOf(5), null)
  await ledger.land(STREAM, 5, 0)
  expect(await ledger.standing(STREAM)).toEqual({ cursor: 6, doubt: 0, hand: null, flight: flightOf(7) })
})

test('a stream goes back only from where it was seen to stand, and all of it does', async () => {
  const { ledger } = open()
  await ledger.begin(STREAM, 0, 0)
  await ledger.land(STREAM, 6, 0)
  await ledger.fly(STREAM, flightOf(7))
  await ledger.goBack(STREAM, 5, 2, 3)
  const seen = [await ledger.standing(STREAM)]
  await ledger.goBack(STREAM, 6, 2, 3)
  seen.push(await ledger.standing(STREAM))
  expect(seen).toEqual([
    { cursor: 6, doubt: 0, hand: null, flight: flightOf(7) },
    { cursor: 2, doubt: 3, hand: null, flight: null },
  ])
})

test('streams, and the cards in them, do not know each other', async () => {
  const { ledger } = open()
  const others = [
    { ...STREAM, network: 'web' },
    { ...STREAM, channel: '#other' },
    { ...STREAM, room: 'lounge' },
  ]
  await ledger.begin(STREAM, 3, 0)
  await ledger.settle(STREAM, flightOf(4), { name: 'turn/t1', ref: 'r1', opens: { turn: 't1', session: 's-1' } })
  expect(await ledger.ref(STREAM, 'turn/t1')).toBe('r1')
  expect(await ledger.openCards(STREAM)).toEqual([{ turn: 't1', session: 's-1' }])
  for (const other of others) {
    expect((await ledger.standing(other)).cursor).toBe(null)
    expect(await ledger.ref(other, 'turn/t1')).toBe(null)
    expect(await ledger.openCards(other)).toEqual([])
  }
  await ledger.closeCard(STREAM, 't1')
  expect(await ledger.openCards(STREAM)).toEqual([])
  expect(await ledger.ref(STREAM, 'turn/t1')).toBe('r1')
})

test('what networks want to know again is kept for each, for a month; the refs of cards for a week', async () => {
  const { ledger, prefix } = open()
  await ledger.remember('net', 'last/#team', '17')
  expect(await ledger.recall('net', 'last/#team')).toBe('17')
  expect(await ledger.recall('web', 'last/#team')).toBe(null)
  await ledger.settle(STREAM, flightOf(4), { name: 'step', ref: 'r1', opens: null })
  const lasting = async (part: string) => {
    const [key = ''] = await server.redis.keys(`${prefix}*${part}*`)
    return Math.ceil((await server.redis.pttl(key)) / 86_400_000)
  }
  expect([await lasting('memory'), await lasting('card:')]).toEqual([30, 7])
  expect(await ledger.openCards(STREAM)).toEqual([])
})
