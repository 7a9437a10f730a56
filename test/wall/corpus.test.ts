// Every attempt of the corpus, through the steps of a real worker: a real store, Redis, shadow repository and sandbox.
// What is asked of each is the same: nothing was read, written or run outside, and nobody outside noticed anything.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import type { Attempt } from './attempt.ts'
import { CORPUS, HOLES, turnsOf } from './corpus.ts'
import { type Aftermath, raiseSiege, type Siege, UNHARMED } from './siege.ts'
import { wallsUnderSiege } from './walls.ts'

/** Of those that run programs, a sample, by a seed that the title tells; all of them with BELLHOP_LONG. */
const LONG = Boolean(process.env['BELLHOP_LONG'])
const SEED = Number(process.env['BELLHOP_SEED'] ?? Date.now() % 100_000)
const SAMPLE = 10
const MOST_IN_A_TURN = 40

const shuffled = <T>(all: readonly T[], seed: number): T[] => {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state
  }
  return all
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

const slow = CORPUS.filter((attempt) => attempt.slow)
const sample = new Set(LONG ? slow : shuffled(slow, SEED).slice(0, SAMPLE))
const tried = CORPUS.filter((attempt) => !attempt.slow || sample.has(attempt))
const limits = new Map(wallsUnderSiege().map(({ id, limits }) => [id, limits.stepsPerTurn]))
const turns = turnsOf(tried, (peripheral) => Math.min(MOST_IN_A_TURN, limits.get(peripheral) ?? 0))

const titled = (attempts: readonly Attempt[]): [string, readonly Attempt[]] => {
  const [first] = attempts
  const others = attempts.length === 1 ? '' : `, and ${attempts.length - 1} more from ${first?.peripheral}`
  return [`${first?.id}${others}`, attempts]
}

/** Refused in the way that is certain, where one is; in any case nothing happened. */
const expectedOf = (attempts: readonly Attempt[], { refused }: Aftermath): Aftermath => ({
  ...UNHARMED,
  refused: Object.fromEntries(attempts.map(({ id, expect: code }) => [id, code ?? refused[id] ?? null])),
})

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

test('the corpus has at least 320 attempts, of which at least 250 are always tried', () => {
  const ids = CORPUS.map(({ id }) => id)
  expect([ids.length >= 320, tried.length >= 250, new Set(ids).size]).toEqual([true, true, ids.length])
})

describe(`with the seed ${SEED}, nothing gets out`, () => {
  let siege: Siege
  beforeAll(async () => {
    siege = await raiseSiege(server)
  })
  afterAll(() => siege[Symbol.asyncDispose]())

  test.each(turns.map(titled))('%s', async (_title, attempts) => {
    const came = await siege.undergo(...attempts)
    expect(came).toEqual(expectedOf(attempts, came))
  })

  test('all of it is evidence, and within its walls: a refused attempt is no violation', async () => {
    await siege.it.verdicts.settled()
    expect(await siege.it.verdict()).toEqual({ ok: true, violations: [] })
    expect(siege.it.warned).toEqual([])
  })

  test('what the house keeps for itself has no secret in it either', async () => {
    expect(await siege.kept()).toEqual([])
  })
})

describe.runIf(HOLES.length > 0)('what is known to be open, until it is closed and joins the others', () => {
  test.each(HOLES.map((hole) => [hole.id, hole.hole, hole] as const))('%s (%s)', async (_id, _hole, attempt) => {
    await using siege = await raiseSiege(server)
    const came = await siege.undergo(attempt)
    expect(came).not.toEqual(expectedOf([attempt], came))
  })
})
