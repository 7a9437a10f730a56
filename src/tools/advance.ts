import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import { Outputs } from '../shapes/undertaking.ts'
import { moved } from './cycle.ts'
import { defineTool } from './tool.ts'

export const advance = defineTool({
  args: z.strictObject({
    outputs: Outputs.refine((outputs) => Object.keys(outputs).length <= 20, 'expected at most 20 outputs'),
  }),
  help: 'advance {outputs}: on to the next phase, with what this one was to bring',
  // In a cycle, what is brought is held against what files really are.
  reach: (_args, spec) => ok(spec.cycle === undefined ? { alone: true } : { reads: ['.'], alone: true }),
  run: ({ outputs }, bench) =>
    bench.spec.cycle === undefined ? bench.advance(outputs) : moved(bench.desk.advance(outputs), bench),
})
