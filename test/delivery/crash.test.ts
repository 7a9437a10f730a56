import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Sent } from '../../src/chat/outlet.ts'
import { createDelivery } from '../../src/delivery/deliver.ts'
import { createLedger, type Ledger } from '../../src/delivery/ledger.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { must, reopened, said } from '../support/store.ts'
import { createNetwork, createRooms, type Network, type Noted, STREAM, throughOf } from './world.ts'

const LONG = process.env['BELLHOP_LONG'] !== undefined

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

type Fate = {
  /** Before or after which of its moves the process dies; it lives on where that is never reached. */
  diesAt: number
  /** At which of them Redis forgets everything. */
  forgetsAt: number
}

const UNHARMED: Fate = { diesAt: Number.POSITIVE_INFINITY, forgetsAt: Number.POSITIVE_INFINITY }

/** A house whose deliveries can die at any move: between two of them, everything outside stays as it is. */
const createHouse = (network: Network) => {
  const prefix = `t-${randomUUID()}`
  const ledger = createLedger({ redis: server.redis, prefix })
  const clock = { now: Date.parse('2026-01-02T03:04:05.000Z') }
  const rooms = createRooms(() => clock.now)
  const notes: Noted[] = []

  const forget = async (): Promise<void> => {
    const keys = await server.redis.keys(`${prefix}*`)
    if (keys.length > 0) await server.redis.del(...keys)
  }

  /** Runs until everything is said, or it dies; answers how many moves that took. */
  const live = async (fate: Fate): Promise<number> => {
    let moves = 0
    let dead = false
    const over = new AbortController()
    const step = async (): Promise<void> => {
      if (moves === fate.forgetsAt) await forget()
      dead ||= moves >= fate.diesAt
      if (dead) throw new Error('dead')
      moves += 1
    }
    const mortal =
      <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await step()
        const result = await act(...args)
        await step()
        return result
      }
    /** How far it has come, as it knows itself: Redis may forget that at any time. */
    let reached = -1
    const counting: Ledger = {
      ...ledger,
      standing: async (stream) => {
        const standing = await ledger.standing(stream)
        reached = standing.cursor ?? reached
        return standing
      },
      begin: async (stream, cursor, doubt) => {
        await ledger.begin(stream, cursor, doubt)
        reached = cursor
      },
      land: async (stream, position, doubt) => {
        await ledger.land(stream, position, doubt)
        reached = position
      },
    }
    const acts = Object.entries(counting).map(([name, act]) => [name, mortal(act as () => Promise<unknown>)])
    const { outlet } = network
    const delivery = createDelivery({
      ledger: Object.fromEntries(acts) as Ledger,
      outlet: { ...outlet, send: mortal(outlet.send), edit: mortal(outlet.edit as NonNullable<typeof outlet.edit>) },
      spotOf: ({ channel, room }) => ({ channel, room, watched: false, show: 'normal' }),
      posts: rooms.posts,
      note: mortal(async (noted: Noted) => void notes.push(noted)),
      lastThrough: async (stream) => throughOf(notes, stream),
      newest: rooms.newest,
      clock: () => clock.now,
      now: () => clock.now,
      sleep: async (ms, signal) => {
        await new Promise(setImmediate)
        if (!signal.aborted) clock.now += ms
      },
      random: Math.random,
    })
    const run = delivery.run(STREAM, over.signal).catch(() => {})
    const last = await rooms.newest()
    await eventually('all to be said, or its death', () => dead || reached === last)
    over.abort()
    await run
    return moves
  }
  return { live, rooms, notes }
}

/** What is wrong with what a network was told of some posts: nothing may be missing, twice unmarked, or out of order. */
const wrongs = (network: Network, notes: readonly Noted[], posts: readonly string[][]): string[] => {
  const about = (kind: Noted['about']) => new Set(notes.flatMap(({ about, post }) => (about === kind ? [post] : [])))
  const [failed, again] = [about('failed'), about('again')]
  const first = new Map<string, number>()
  const repeated: string[] = []
  for (const [i, { text, again: marked }] of network.said.entries()) {
    const post = text.split('.')[0] ?? ''
    // Of one that died over it and could not say it any more afterwards, the evidence says that.
    const noted = again.has(post) || failed.has(post)
    if (first.has(text) && !(marked && noted)) repeated.push(`${text} came twice, unmarked`)
    if (!first.has(text)) first.set(text, i)
  }
  const missing = posts.flat().filter((text) => !first.has(text) && !failed.has(text.split('.')[0] ?? ''))
  // One that was given up may be said late, marked, when all was forgotten.
  const order = posts.flatMap(([text = '', ...more]) =>
    failed.has(text.split('.')[0] ?? '') ? [] : [text, ...more].flatMap((one) => first.get(one) ?? []),
  )
  const mixed = order.some((at, i) => i > 0 && at < (order[i - 1] ?? 0))
  return [...repeated, ...missing.map((text) => `${text} is missing`), ...(mixed ? ['the order is another'] : [])]
}

const tell = ({ rooms }: ReturnType<typeof createHouse>, sizes: readonly number[], from = 0): string[][] =>
  sizes.map((size, i) => {
    const lines = Array.from({ length: size }, (_, piece) => `p${from + i}.${piece}`)
    rooms.say(`p${from + i}`, { text: lines.join('\n') })
    return lines
  })

/** The stream is known from before: nothing of what follows is older than it. */
const begun = async (network = createNetwork()) => {
  const house = createHouse(network)
  await house.live(UNHARMED)
  return { ...house, network }
}

test('killed at every single move, it loses nothing, doubles nothing unmarked, and marks one piece at most', async () => {
  const whole = await begun()
  const posts = tell(whole, [2, 1])
  const moves = await whole.live(UNHARMED)
  expect(wrongs(whole.network, whole.notes, posts)).toEqual([])
  expect(moves).toBeGreaterThan(20)
  const marked: number[] = []
  for (let diesAt = 0; diesAt < moves; diesAt++) {
    const house = await begun()
    tell(house, [2, 1])
    await house.live({ ...UNHARMED, diesAt })
    await house.live(UNHARMED)
    const found = wrongs(house.network, house.notes, posts)
    expect({ diesAt, found }).toEqual({ diesAt, found: [] })
    marked.push(house.network.said.filter(({ again }) => again).length)
  }
  expect(Math.max(...marked)).toBe(1)
  // Where nothing was in flight, nothing is marked.
  expect(marked).toContain(0)
})

const ANSWERS = ['sent', 'sent', 'sent', 'later', 'unsure', 'said-unsure', 'never'] as const satisfies (
  | Sent['kind']
  | 'said-unsure'
)[]

test('killed again and again while the network falters and Redis forgets, it loses nothing and doubles nothing unmarked', async () => {
  const fate = fc.record({
    diesAt: fc.integer({ min: 0, max: 40 }),
    forgetsAt: fc.oneof(fc.constant(UNHARMED.forgetsAt), fc.integer({ min: 0, max: 40 })),
    posts: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    answers: fc.array(fc.constantFrom(...ANSWERS), { maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 4 }), async (fates) => {
      const house = await begun()
      const posts: string[][] = []
      for (const { posts: sizes, answers, ...fate } of fates) {
        posts.push(
          ...tell(
            house,
            sizes.map((size) => size + 1),
            posts.length,
          ),
        )
        house.network.answers.push(...answers)
        await house.live(fate)
      }
      await house.live(UNHARMED)
      expect(wrongs(house.network, house.notes, posts)).toEqual([])
    }),
    { numRuns: LONG ? 1000 : 40, endOnFailure: true },
  )
}, 600_000)

const children: { kill: (signal: 'SIGKILL') => boolean }[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Delivers in a process of its own, and stands still at its nth send, before or after the network has it. */
const startDeliverer = (store: string, log: string, prefix: string, halt: string) => {
  const script = join(import.meta.dirname, 'deliverer.ts')
  const args = [store, server.address, log, prefix, halt]
  const child = execa(process.execPath, ['--import', 'tsx', script, ...args], { reject: false })
  children.push(child)
  let heard = ''
  child.stdout.on('data', (text) => {
    heard += text
  })
  return {
    says: (word: string) => eventually(`the deliverer to say ${word}`, () => heard.includes(`${word}\n`)),
    kill: async () => {
      child.kill('SIGKILL')
      return (await child).signal
    },
  }
}

test('a process that is killed between what was accepted and what was sent leaves nothing unsaid', async () => {
  using folder = scratch()
  const url = join(folder.path, 'evidence.db')
  const log = join(folder.path, 'network.log')
  const prefix = `t-${randomUUID()}`
  await using place = await reopened(url)
  await createLedger({ redis: server.redis, prefix }).begin(STREAM, 0, 0)

  /** What should be in the log, and be noted: a piece that was in flight when its process died is said again. */
  const [expected, noted]: [string[], string[]] = [[], []]
  let left: { id: string; again: boolean }[] = []
  const deliver = (count: number, isNoted = true) => {
    for (const { id, again } of left.slice(0, count)) {
      expected.push(again ? `${id} (again)` : id)
      if (again && isNoted) noted.push(id)
    }
    left = left.slice(count)
  }
  for (let n = 0; n < (LONG ? 24 : 2); n++) {
    const [stage, nth] = [n % 2 === 0 ? 'before' : 'after', (n * 7 + 1) % 3]
    const lines = [0, 1].map((i) => `m${n}-${i}`)
    must(await place.store.append(lines.map((id) => said(id, `line ${id}`))))
    left.push(...lines.map((id) => ({ id, again: false })))
    const deliverer = startDeliverer(url, log, prefix, `${stage}-${nth}`)
    await deliverer.says('halted')
    expect(await deliverer.kill()).toBe('SIGKILL')
    deliver(nth)
    const [inFlight, ...others] = left
    if (stage === 'after') deliver(1, false)
    left = [{ id: inFlight?.id ?? '', again: true }, ...others]
  }
  const last = startDeliverer(url, log, prefix, 'never')
  await last.says(`settled ${left.at(-1)?.id}`)
  expect(await last.kill()).toBe('SIGKILL')
  deliver(left.length)

  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(expected)
  const found = must(await place.store.query({ event: 'delivery-noted', order: 'oldest', limit: 1000 })).entries
  const notes = found.flatMap(({ body }) => (body?.event === 'delivery-noted' ? [[body.about, body.post]] : []))
  expect(notes).toEqual(noted.map((id) => ['again', id]))
}, 600_000)
