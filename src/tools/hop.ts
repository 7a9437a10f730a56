import { z } from 'zod'
import { PeripheralId } from '../shapes/peripheral.ts'
import { ok } from '../shapes/result.ts'
import { defineTool } from './tool.ts'

export const hop = defineTool({
  args: z.strictObject({ to: PeripheralId }),
  help: 'hop {to}: leaves this peripheral for another, where what it left lets you',
  reach: () => ok({ alone: true }),
  run: ({ to }, bench) => bench.hop({ to }),
})
