import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { LEASE_MS, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'
import { tallyIn } from './work.ts'

const MINUTES = LONG ? 60 : 3

/** Frozen while a step runs; another one comes, takes over and goes on; and then the first one is there again. */
const workerInAStep: Fault = async (house) => {
  const frozen = house.workers.at(-1)
  const steps = () => {
    const { begun, done } = tallyIn(house.workspace)
    return { under: begun.filter((step) => !done.includes(step)), ended: done.length }
  }
  // Of a program that is started in the very moment nothing can be said: all that was begun is under way.
  await eventually('what was begun to be under way', async () => {
    const open = await openSteps(house.store)
    return open > 0 && steps().under.length === open
  })
  const [step = ''] = steps().under
  await frozen?.freeze()
  const before = tallyIn(house.workspace).begun.length
  await house.addWorker()
  // The one that took over has begun something else, which the frozen one knows nothing of.
  await eventually('another worker to go on', () => tallyIn(house.workspace).begun.length > before + 1, 60_000)
  expect(tallyIn(house.workspace).begun.filter((one) => one === step)).toEqual([step])
  frozen?.thaw()
}

/** How many steps were begun, by the evidence, and have not ended. */
const openSteps = async (url: string): Promise<number> => {
  const store = await openStore({ url, clock: systemClock, readonly: true })
  try {
    return must(await store.count({ event: 'step-intended' })) - must(await store.count({ event: 'step-ended' }))
  } finally {
    await store.close()
  }
}

const gateway: Fault = async (house, chance) => {
  const frozen = chance.pick(house.gateways)
  await frozen.freeze()
  await setTimeout(2 * LEASE_MS)
  frozen.thaw()
}

test(
  'a worker that was frozen in the middle of a step comes back to a house that has gone on, and is fenced off',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({ chance })
    const faults = Array.from({ length: times(1, 20) }, () => workerInAStep)
    const { reckoning } = await drillHouse(house, { drill: 'a frozen worker', chance, faults, stepMs: 700 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
    // What it had begun was seen to be cut off, although it was done in the end: that came too late to count.
    expect(reckoning.interrupted).toBeGreaterThanOrEqual(faults.length)
  },
  MINUTES * 60_000,
)

test(
  'a gateway that was frozen with lines in its hands answers them once, however often they were said meanwhile',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({ chance, gateways: 2 })
    const faults = Array.from({ length: times(2, 20) }, () => gateway)
    const { reckoning, sent } = await drillHouse(house, { drill: 'a frozen gateway', chance, faults, patienceMs: 500 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
    expect(sent.some(({ said }) => said > 1)).toBe(true)
  },
  MINUTES * 60_000,
)
