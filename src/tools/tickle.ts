import { z } from 'zod'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { shown } from './shown.ts'
import { type Bench, defineTool, failed, type Reach } from './tool.ts'

/** How everybody stands is what the evidence of all says: it is for a wall that opens that. */
const reach = (_args: unknown, { id, scope }: PeripheralSpec): Result<Reach> =>
  scope.evidence === 'all' ? ok({}) : refused(refusal('out-of-scope', `${id} may not ask for everybody's evidence`))

const told = async (said: Promise<Result<string>>, bench: Bench) => {
  const answer = await said
  if (!answer.ok) return failed(answer.refusal.message)
  return { kind: 'ok' as const, paths: [], ...(await shown(answer.value, bench, 1)) }
}

export const tickleScan = defineTool({
  args: z.strictObject({}),
  help: 'tickle-scan {}: how every agent stands: idle, queued, parked, thinking, waiting, stuck or gone, and why',
  reach,
  run: (_args, bench) => told(bench.tickle.scan(), bench),
})

export const ticklePage = defineTool({
  args: z.strictObject({ agent: Name, why: z.string().regex(/\S/, 'expected words').max(300) }),
  help: 'tickle-page {agent, why}: page an agent that is at work: it is told, and the room is',
  reach,
  run: ({ agent, why }, bench) => told(bench.tickle.page(agent, why), bench),
})

export const tickleCycle = defineTool({
  args: z.strictObject({}),
  help: 'tickle-cycle {}: look at everybody now, page whoever is stuck, and go on with the work queue',
  reach,
  run: (_args, bench) => told(bench.tickle.cycle(), bench),
})
