import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { postgresMissing } from '../support/postgres.ts'
import { type Chance, chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { type House, LEASE_MS, startHouse } from './house.ts'
import type { Between, Weather } from './proxy.ts'
import { nothingWrong } from './reckoning.ts'

const MINUTES = LONG ? 60 : 5

type Side = 'gateway' | 'worker'
type Far = 'redis' | 'postgres'

const between = (house: House, side: Side, far: Far): Between => {
  const net = house.nets[side][far]
  if (!net) throw new Error(`there is no network between ${side} and ${far}`)
  return net
}

/** A network that is like this for a while, and fine again after it. */
const weather =
  (side: Side, far: Far, kind: Weather, ms: (chance: Chance) => number): Fault =>
  async (house, chance) => {
    const net = between(house, side, far)
    net.weather(kind)
    // Who cannot reach Redis cannot keep anybody ready.
    const away = side === 'worker' && far === 'redis' && kind !== 'slow'
    if (away) for (const worker of house.workers) worker.goes()
    await setTimeout(ms(chance))
    if (away) for (const worker of house.workers) worker.isBack()
    net.weather('through')
  }

const reset =
  (side: Side, far: Far): Fault =>
  async (house) =>
    between(house, side, far).reset()

/** A machine that is gone without a word, and another one in its place. */
const strand =
  (side: Side, far: Far): Fault =>
  async (house) =>
    between(house, side, far).strand()

const shortly = (chance: Chance) => chance.between(100, 1500)
const forLong = () => LEASE_MS * 2

const faultsTo = (far: Far): Fault[] => [
  weather('worker', far, 'hole', forLong),
  weather('gateway', far, 'cut', shortly),
  weather('worker', far, 'slow', forLong),
  reset('worker', far),
  reset('gateway', far),
  weather('gateway', far, 'hole', forLong),
  weather('worker', far, 'cut', shortly),
]

describe('a network', () => {
  test(
    'to Redis that is cut, swallows everything, is slow or breaks connections costs time, and no work',
    async () => {
      const chance = chanceOf()
      await using house = await startHouse({ chance, proxied: true })
      const kinds = faultsTo('redis')
      const faults = LONG ? Array.from({ length: times(0, 100) }, () => chance.pick(kinds)) : kinds.slice(0, 4)
      const { reckoning } = await drillHouse(house, { drill: 'network to Redis', chance, faults, patienceMs: 1500 })
      expect(reckoning).toEqual(nothingWrong(reckoning))
    },
    MINUTES * 60_000,
  )

  test.skipIf(postgresMissing)(
    'to PostgreSQL that does the same costs time, and no work',
    async () => {
      const chance = chanceOf()
      await using house = await startHouse({ chance, proxied: true, evidence: 'postgres' })
      const kinds = [strand('worker', 'postgres'), ...faultsTo('postgres'), strand('gateway', 'postgres')]
      const faults = LONG ? Array.from({ length: times(0, 100) }, () => chance.pick(kinds)) : kinds.slice(0, 6)
      const { reckoning } = await drillHouse(house, {
        drill: 'network to PostgreSQL',
        chance,
        faults,
        patienceMs: 1500,
      })
      expect(reckoning).toEqual(nothingWrong(reckoning))
    },
    MINUTES * 60_000,
  )
})
