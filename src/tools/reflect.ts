import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import { defineTool } from './tool.ts'

const Words = z.string().regex(/\S/, 'expected words').max(4000)

export const reflect = defineTool({
  args: z.strictObject({ worked: Words, didNot: Words, next: Words }),
  help: 'reflect {worked, didNot, next}: what went well in this session, what did not, and what comes next; kept with the facts of its evidence',
  reach: () => ok({ alone: true }),
  run: (words, bench) => bench.reflect(words),
})
