import { expect, test } from 'vitest'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

const MINUTES = LONG ? 60 : 3

const comesBack: Fault = async (house) => {
  await house.redis.kill()
  await house.redis.start()
}

const forgets: Fault = async (house) => {
  await house.redis.kill()
  await house.redis.start({ forgets: true })
}

test(
  'a Redis that is started again in the middle of work, with its file and without it, costs time and no work',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({ chance })
    const faults = LONG
      ? Array.from({ length: times(0, 100) }, () => chance.pick([comesBack, forgets]))
      : [forgets, comesBack, forgets]
    const { reckoning } = await drillHouse(house, { drill: 'Redis restarted', chance, faults })
    expect(reckoning).toEqual(nothingWrong(reckoning))
  },
  MINUTES * 60_000,
)
