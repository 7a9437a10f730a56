import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import { defineTool } from './tool.ts'

const Output = z.string().regex(/\S/, 'expected words').max(4000)

export const advance = defineTool({
  args: z.strictObject({
    outputs: z
      .record(z.string().min(1).max(64), Output)
      .refine((outputs) => Object.keys(outputs).length <= 20, 'expected at most 20 outputs'),
  }),
  help: 'advance {outputs}: on to the next phase, with what this one was to bring',
  reach: () => ok({ alone: true }),
  run: ({ outputs }, bench) => bench.advance(outputs),
})
