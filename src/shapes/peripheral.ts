import { z } from 'zod'
import { Role } from './person.ts'
import { RoomMode } from './room.ts'

export const PeripheralId = z.string().regex(/^[a-z][a-z-]{0,31}$/, 'expected a peripheral such as "explore"')
export type PeripheralId = z.infer<typeof PeripheralId>

export const ToolName = z.enum(['read', 'glob', 'grep'])
export type ToolName = z.infer<typeof ToolName>

/** A tool call as an agent makes it: nothing in it is trusted before the gate has passed it. */
export const ToolCall = z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) })
export type ToolCall = z.infer<typeof ToolCall>

/** A call a spec must let through, or must refuse; tried against the real gate when the spec is loaded. */
const Example = ToolCall.extend({ why: z.string() })

/** A wall as data: exactly the tools the job needs, where they reach, and how much of them. */
export const PeripheralSpec = z.strictObject({
  id: PeripheralId,
  purpose: z.string(),
  tools: z.array(ToolName).min(1),
  /** What paths may be touched: the workspace, resolved, and nothing beside it. */
  scope: z.enum(['workspace']),
  /** The room modes that open it, and the role a person needs to start it. */
  modes: z.array(RoomMode).min(1),
  role: Role,
  limits: z.strictObject({
    stepsPerTurn: z.int().positive(),
    outputBytes: z.int().positive(),
    outputLines: z.int().positive(),
    seconds: z.int().positive(),
  }),
  examples: z.strictObject({ allowed: z.array(Example).min(1), refused: z.array(Example).min(1) }),
})
export type PeripheralSpec = z.infer<typeof PeripheralSpec>
