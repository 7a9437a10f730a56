import { z } from 'zod'
import { Act, BELL_TEXT } from '../shapes/bell.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId } from '../shapes/peripheral.ts'
import { ok } from '../shapes/result.ts'
import { defineTool } from './tool.ts'

/** What is said by ringing: to an agent by its id or its type, as which act, and about which bell. */
export const rings = {
  to: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected an agent such as "codex-1"'),
  text: z.string().regex(/\S/, 'expected words').max(BELL_TEXT),
  act: Act.optional(),
  ref: Id.optional(),
  peripheral: PeripheralId.optional(),
}

export const bell = defineTool({
  args: z.strictObject(rings),
  help: `bell {to, text, act?, ref?, peripheral?}: asks another agent for something, or tells it, and goes on at once; answers with the job, and what comes of it is rung back to you; act is one of ${Act.options.join(', ')}, and an answer names the bell it answers with ref`,
  reach: () => ok({}),
  run: (ring, bench) => bench.ring({ way: 'bell', ...ring }),
})
