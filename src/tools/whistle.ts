import { z } from 'zod'
import { MOST_SECONDS } from '../shapes/bell.ts'
import { ok } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { rings } from './bell.ts'
import { shown } from './shown.ts'
import { type Bench, defineTool } from './tool.ts'

const SECONDS = 60

/** How long is waited; what goes on by then goes on all the same. */
export const Seconds = z.int().min(1).max(MOST_SECONDS)

export const whistle = defineTool({
  args: z.strictObject({ ...rings, seconds: Seconds.default(SECONDS) }),
  help: `whistle {to, text, act?, ref?, peripheral?, seconds?}: asks another agent and waits for what comes of it, ${SECONDS} seconds where nothing else is said; when they are over, the work goes on, and is rung back to you`,
  reach: ({ seconds, ...ring }) => ok({ waits: { seconds, jobs: null, ring: { way: 'whistle', ...ring } } }),
  run: (_args, bench) => joined(bench),
})

/** What came of all that was waited for, as far as it can be shown. */
export const joined = async (bench: Bench): Promise<StepOutcome> => {
  const outcome = await bench.joined()
  return outcome.kind === 'ok' ? { ...outcome, ...(await shown(outcome.output, bench, 1)) } : outcome
}
