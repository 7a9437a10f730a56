import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TurnRecord } from '../../src/evidence/unfinished.ts'
import { createPlaces } from '../../src/house/places.ts'
import { createAlone } from '../../src/registry/alone.ts'
import type { Checkouts } from '../../src/workspace/checkouts.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { checkoutHouse } from '../workspace/checkout-folders.ts'

const AGENT = 'codex-1'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => server.redis.flushall())

/** A workspace, and workers that share all there is of it: the folder, Redis and which turns run. */
const openWorkers = async () => {
  const it = await checkoutHouse({ 'README.md': 'one' })
  const running: string[] = []
  const worker = (holder: string, { refresh, waits = () => {} }: Partial<Watch> = {}) => {
    const checkouts = it.open()
    const wait = (ms: number) => {
      waits()
      return setTimeout(ms)
    }
    return createPlaces({
      home: { workspace: it.workspace, shadow: it.shadow, of: null },
      apart: [AGENT],
      checkouts: { ...checkouts, ...(refresh && { refresh: refresh(checkouts) }) },
      alone: createAlone({ redis: server.redis, prefix: 'p', holder, ms: 3000, sleep: wait }),
      store: { unfinishedTurns: async () => running.map((id) => ({ id, status: 'running' }) as TurnRecord) },
      log: { warn: (message) => void it.logged.push(message) },
    })
  }
  const commit = async (text: string) => {
    it.put('README.md', text)
    await it.commit(text)
  }
  const root = await it.rootOf(AGENT)
  return { ...it, running, worker, commit, checkedOut: () => readFileSync(join(root, 'README.md'), 'utf8') }
}

/** What a test sees of a worker: that it brings a checkout up to date, and that it waits for another one. */
type Watch = { refresh: (real: Checkouts) => Checkouts['refresh']; waits: () => void }

const gate = () => {
  let open = () => {}
  const passed = new Promise<void>((done) => {
    open = done
  })
  return { open: () => open(), passed }
}

test('whoever begins a turn in a checkout waits until another worker has brought it up to date', async () => {
  using it = await openWorkers()
  const order: string[] = []
  const begun = gate()
  const goOn = gate()
  const first = it.worker('first', {
    refresh:
      (real) =>
      async (...given) => {
        begun.open()
        await goOn.passed
        const refreshed = await real.refresh(...given)
        order.push(`first: ${refreshed.kind}`)
        return refreshed
      },
  })
  const second = it.worker('second', {
    refresh: () => async () => {
      throw new Error('another turn is at work in it')
    },
    waits: () => order.push('second waits'),
  })
  await it.commit('two')
  it.running.push('one.codex-1')
  const one = first.inTurn(AGENT, 'one.codex-1')
  await begun.passed
  it.running.push('two.codex-1')
  const other = second.inTurn(AGENT, 'two.codex-1').then(() => order.push(`second is in: ${it.checkedOut()}`))
  await eventually('the second to wait', () => order.includes('second waits'))
  goOn.open()
  await Promise.all([one, other])
  expect([...new Set(order)]).toEqual(['second waits', 'first: brought', 'second is in: two'])
  expect(it.logged).toEqual([])
})

test('a checkout is brought up to date at the beginning of a turn, and not where another worker does a part of it later', async () => {
  using it = await openWorkers()
  const workers = [it.worker('first'), it.worker('second'), it.worker('third')] as const
  const seen: string[] = []
  const see = async (worker: 0 | 1 | 2, turn: string) => {
    await workers[worker].inTurn(AGENT, turn)
    seen.push(`${turn}: ${it.checkedOut()}`)
  }
  it.running.push('one')
  await see(0, 'one')
  it.running.push('two')
  await see(1, 'two')
  await it.commit('two')
  await see(1, 'one')
  // The other turn is over: this one goes on where it was.
  it.running.splice(1, 1)
  await see(2, 'one')
  it.running.splice(0, 1, 'three')
  await see(1, 'three')
  expect(seen).toEqual(['one: one', 'two: one', 'one: one', 'one: one', 'three: two'])
})

test('where nobody can tell whether another worker is at it, a turn does not begin; it does when Redis is back', async () => {
  using it = await openWorkers()
  const places = it.worker('first')
  await server.kill()
  await expect(places.inTurn(AGENT, 'one')).rejects.toThrow('no answer within')
  await server.start()
  expect((await places.inTurn(AGENT, 'one')).of).toBe(AGENT)
})
