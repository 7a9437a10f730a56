import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { postgresMissing } from '../support/postgres.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { LEASE_MS, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

const MINUTES = LONG ? 180 : 5

const worker: Fault = async (house, chance) => {
  const one = chance.pick(house.workers)
  await one.kill()
  await one.startAtLast()
}

/** It stays away for longer than its agents are ready without it: that shows. */
const workerForLong: Fault = async (house, chance) => {
  const one = chance.pick(house.workers)
  await one.kill()
  await setTimeout(2 * LEASE_MS)
  await one.startAtLast()
}

const gateway: Fault = async (house, chance) => {
  const one = chance.pick(house.gateways)
  await one.kill()
  await one.startAtLast()
}

const redis: Fault = async (house) => {
  await house.redis.kill()
  await house.redis.start()
}

const postgres: Fault = async (house) => {
  await house.postgres?.restart()
}

/** Everything at once, and back in any order. */
const everything: Fault = async (house, chance) => {
  const dying = [...house.members.map((member) => member.kill()), house.redis.kill(), house.postgres?.kill()]
  await Promise.all(dying)
  const back = [() => house.redis.start(), ...(house.postgres ? [() => house.postgres?.restart()] : [])]
  for (const one of chance.between(0, 1) === 0 ? back : back.reverse()) await one()
  await Promise.all(house.members.map((member) => member.startAtLast()))
}

describe.each(['sqlite', 'postgres'] as const)('killed outright at any moment, with the evidence on %s', (evidence) => {
  test.skipIf(evidence === 'postgres' && postgresMissing)(
    'workers, gateways, Redis and the store lose nothing and double nothing',
    async () => {
      const chance = chanceOf()
      await using house = await startHouse({ evidence, chance })
      const kinds = [worker, gateway, redis, everything, evidence === 'postgres' ? postgres : workerForLong]
      const faults = LONG ? Array.from({ length: times(0, 400) }, () => chance.pick(kinds)) : kinds
      const { reckoning } = await drillHouse(house, { drill: `kill -9, ${evidence}`, chance, faults })
      expect(reckoning).toEqual(nothingWrong(reckoning))
    },
    MINUTES * 60_000,
  )
})
