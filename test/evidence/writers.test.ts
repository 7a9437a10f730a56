import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/evidence/store.ts'
import { verifyStore } from '../../src/evidence/verify-store.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing, startPostgres } from '../support/postgres.ts'
import { idsOf, reopened, said } from '../support/store.ts'
import { engines } from './engines.ts'
import { verdictsOf } from './file.ts'
import { startWriter } from './writers.ts'

const LONG = process.env['BELLHOP_LONG'] !== undefined
const KILLS = LONG ? 300 : 3
const POWER_CUTS = LONG ? 50 : 3
const AT_ONCE = 3
const ENDLESS = 1_000_000

/** Fails unless the store has every one of these calls, whole, in one unbroken chain, and nothing else is wrong. */
const expectAll = async (store: Store, acknowledged: string[]): Promise<string[]> => {
  const chain = await store.chain('room-lobby')
  const calls = callsIn(idsOf(chain))
  const kept = new Set(calls)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  const whole = {
    session: 'room-lobby',
    ok: true,
    entries: chain.length,
    steps: 0,
    dropped: 0,
    violations: [],
    more: 0,
  }
  expect(await verdictsOf(store)).toEqual([{ ...whole, head: chain.at(-1)?.hash }])
  const { ok, position, violations } = await verifyStore(store, UNSIGNED)
  expect({ ok, position, violations }).toEqual({ ok: true, position: chain.length, violations: [] })
  return calls
}

const UNSIGNED = { head: null, ours: false, expected: false, kept: null, progress: () => {} }

/** The ids of the calls that are in the store; fails where only one of a call's two entries is. */
const callsIn = (ids: string[]): string[] => {
  const calls = ids.filter((id) => !id.endsWith('.receipt'))
  expect(ids.filter((id) => id.endsWith('.receipt')).sort()).toEqual(calls.map((id) => `${id}.receipt`).sort())
  return calls
}

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`)

describe.each(engines)('several processes, on $name', ({ newUrl }) => {
  test('that open a new store and write one session at once keep one unbroken chain, and lose nothing', async () => {
    await using place = await newUrl()
    const names = ['ann', 'ben', 'cat']
    const writers = await Promise.all(names.map((name) => startWriter(place.url, name, 25)))
    for (const { go } of writers) go()
    const ends = await Promise.all(writers.map(({ ended }) => ended()))
    expect(ends).toEqual(names.map(() => ({ exitCode: 0, signal: undefined, stderr: '' })))

    const everything = names.flatMap((name) => numbered(name, 25)).sort()
    expect(writers.flatMap(({ acknowledged }) => acknowledged()).sort()).toEqual(everything)
    await using after = await reopened(place.url)
    expect((await expectAll(after.store, everything)).sort()).toEqual(everything)
  })

  test(`killed in the middle of their writes, ${KILLS} of them, have lost nothing that was acknowledged, and harmed nobody`, async () => {
    await using place = await newUrl()
    const acknowledged: string[] = []
    for (let killed = 0; killed < KILLS; killed += AT_ONCE) {
      const names = numbered('victim', KILLS).slice(killed, killed + AT_ONCE)
      const [bystander, ...victims] = await Promise.all([
        startWriter(place.url, `bystander${killed}`, 20),
        ...names.map((name) => startWriter(place.url, name, ENDLESS)),
      ])
      for (const { go } of [bystander, ...victims]) go()
      await Promise.all(
        victims.map(async (victim, i) => {
          await eventually('writes to be acknowledged', () => victim.acknowledged().length > ((killed + i) * 7) % 23)
          victim.kill()
          expect(await victim.ended()).toEqual({ exitCode: undefined, signal: 'SIGKILL', stderr: '' })
        }),
      )
      expect(await bystander.ended()).toEqual({ exitCode: 0, signal: undefined, stderr: '' })
      expect(bystander.acknowledged().length).toBe(20)
      acknowledged.push(...[bystander, ...victims].flatMap((writer) => writer.acknowledged()))
    }
    await using after = await reopened(place.url)
    await expectAll(after.store, acknowledged)
  }, 3_600_000)
})

describe.skipIf(postgresMissing)('a server whose power is cut', () => {
  test(`in the middle of writes, ${POWER_CUTS} times, has lost nothing that was acknowledged, and is written to again once it is back`, async () => {
    await using server = await startPostgres()
    const url = await server.database()
    const acknowledged: string[] = []
    const refusals = new Set<string>()
    let over = false
    /** Writes call after call; what is refused is sent again, until it is taken. */
    const storm = async (name: string): Promise<void> => {
      await using writer = await reopened(url)
      for (let n = 0; !over; n++) {
        const id = `${name}-${n}`
        await eventually(`${id} to be taken`, async () => {
          const answer = await writer.store.append([said(id, `line ${id}`), said(`${id}.receipt`, '', id)])
          if (!answer.ok) refusals.add(answer.refusal.code)
          return answer.ok
        })
        acknowledged.push(id)
      }
    }
    const storms = Promise.all(['ann', 'ben', 'cat'].map(storm))
    for (let cuts = 1; cuts <= POWER_CUTS; cuts++) {
      const before = acknowledged.length
      await eventually('writes to be acknowledged', () => acknowledged.length > before + ((cuts * 7) % 23))
      await server.kill()
      await server.restart()
    }
    const before = acknowledged.length
    await eventually('writes after the last cut', () => acknowledged.length > before)
    over = true
    await storms
    await using after = await reopened(url)
    expect((await expectAll(after.store, acknowledged)).sort()).toEqual(acknowledged.toSorted())
    expect([...refusals]).toEqual(['store-failed'])
  }, 3_600_000)
})
