import { eventually } from '../support/poll.ts'
import { startHouse } from './programs-house.ts'
import type { Model } from './programs-model.ts'

/** Nothing that is idle is kept: at its next look, after seconds, the worker lets it go. */
const CONFIG = 'runners: { idleMinutes: 0.001 }\n'
const GONE_MS = 60_000

/** A turn of an agent that was idle for so long that its process was ended, against the turn right after it. */
export const idleAgent = async (count: number, program: string, model: Model): Promise<string> => {
  await using house = await startHouse({ agents: [{ name: 'claude', program, model }], config: CONFIG })
  const speak = await house.inLobby('claude-1')
  await model.time(speak)
  const took: { resumed: number[]; warm: number[] } = { resumed: [], warm: [] }
  for (let i = 0; i < count; i++) {
    await eventually('the idle agent to be let go', async () => (await house.pids(program)).length === 0, GONE_MS)
    took.resumed.push((await model.time(speak)).whole)
    took.warm.push((await model.time(speak)).whole)
  }
  const [resumed, warm] = [middle(took.resumed), middle(took.warm)]
  return [
    `A turn of claude that was idle, ended and is resumed (p50 of ${count}; printed, no target)`,
    `  warm               ${warm.toFixed(0)} ms`,
    `  resumed            ${resumed.toFixed(0)} ms, ${(resumed / warm).toFixed(1)} times as long`,
    '',
  ].join('\n')
}

const middle = (took: readonly number[]): number => [...took].sort((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
