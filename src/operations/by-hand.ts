import { z } from 'zod'
import { AnyTool, type ToolCall } from '../shapes/peripheral.ts'
import { ok, type Result } from '../shapes/result.ts'
import { type Context, defineOperation, type SeatDoor } from './operation.ts'
import { words } from './parse.ts'
import { doorOf } from './seat.ts'
import { argsFrom } from './step-words.ts'
import { Taken, takenText, takeStep } from './taken.ts'

/** What a tool is given: as it takes it, or as words for people who type. */
const Given = z.union([z.string().max(16_384), z.array(z.string()).max(200), z.record(z.string(), z.unknown())])

export const step = defineOperation({
  name: 'step',
  summary: 'take a step by hand: one tool call, behind the wall that /start put up here',
  example: 'step read path=README.md',
  positional: ['tool', 'args'],
  rest: 'args',
  // Each for itself: what is run is run word by word.
  words: true,
  input: z.strictObject({
    tool: z.string().min(1).max(100),
    args: Given.default([]).describe('what the tool takes: key=value, or the words of a command'),
  }),
  output: Taken,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ tool, args }, context) => {
    const door = doorOf(context)
    if (!door.ok) return door
    const call = await callFrom(tool, args, door.value, context)
    return call.ok ? takeStep(call.value, door.value, context) : call
  },
  render: takenText,
})

/** A call from what was given for it: as it is, or by words. */
export const callFrom = async (
  tool: string,
  given: string | string[] | Record<string, unknown>,
  { takes }: Pick<SeatDoor, 'takes'>,
  { helpOf }: Pick<Context, 'helpOf'>,
): Promise<Result<ToolCall>> => {
  if (typeof given === 'object' && !Array.isArray(given)) return ok({ tool, args: given })
  const schema = await takes(tool)
  const known = AnyTool.safeParse(tool)
  // What no tool is, the gate refuses, and says which there are.
  if (schema === null || !known.success) return ok({ tool, args: {} })
  const list = typeof given === 'string' ? words(given) : given
  const args = argsFrom(list, { tool, schema, help: helpOf(known.data) })
  return args.ok ? ok({ tool, args: args.value }) : args
}
