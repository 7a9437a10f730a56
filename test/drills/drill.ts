import { setTimeout } from 'node:timers/promises'
import { type Chance, LONG } from './chance.ts'
import type { House } from './house.ts'
import { type Reckoning, reckon } from './reckoning.ts'
import { type Sent, send } from './senders.ts'
import { watch } from './watch.ts'

/** Something that is done to a house; it is over when everything is there again. */
export type Fault = (house: House, chance: Chance) => Promise<void>

type Options = {
  drill: string
  chance: Chance
  faults: readonly Fault[]
  /** How much is said meanwhile: so many senders, so many lines each; where there are many faults, until they are over. */
  senders?: number
  lines?: number
  steps?: number
  stepMs?: number
  pauseMs?: number
  /** How long a sender waits for an answer before it says its line again. */
  patienceMs?: number
  /** The longest pause between two faults. */
  restMs?: number
  /** Whether the word of an agent is all there is: a model may say that it has done what it has not. */
  byWord?: boolean
}

const PLENTY = 1_000_000
/** Those who talk for as long as it takes say no more than a house that is hurt all the time can do. */
const SLOWLY_MS = 5000

/** Lets people talk to a house while it is hurt again and again, waits until it has caught up, and counts. */
export const drillHouse = async (house: House, options: Options): Promise<{ reckoning: Reckoning; sent: Sent[] }> => {
  const { drill, chance, faults, senders = 4, lines = 4, restMs = 900, byWord = false, ...rest } = options
  const watching = watch(house)
  const over = new AbortController()
  const said = send(house, {
    count: senders,
    lines: LONG && faults.length > 0 ? PLENTY : lines,
    ...{ steps: 2, stepMs: 20, pauseMs: LONG ? SLOWLY_MS : 300, ...rest, chance, over: over.signal },
  })
  for (const fault of faults) {
    await setTimeout(chance.between(0, restMs))
    await fault(house, chance)
  }
  if (faults.length > 0) over.abort()
  const sent = await said
  await house.untilQuiet()
  const lies = await watching.stop()
  const given = { drill, seed: chance.seed, faults: faults.length, sent, lies, byWord }
  return { reckoning: await reckon(house, given), sent }
}
