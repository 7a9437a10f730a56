import { type PeripheralSpec, type ToolCall, ToolName } from '../shapes/peripheral.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { inside, type Workspace } from './paths.ts'
import { read } from './read.ts'
import type { Bench, Tool } from './tool.ts'

export const tools: Record<ToolName, Tool> = { read, glob, grep }

/** What the gate looks at besides the call itself. */
export type Standing = {
  /** The wall that is up; null when no peripheral is active. */
  spec: PeripheralSpec | null
  mode: RoomMode
  /** Steps this turn has taken before this one. */
  taken: number
  workspace: Workspace
}

/** A call that may run: the only way to a tool. */
export type Passed = { run: (bench: Omit<Bench, 'workspace' | 'limits'>) => Promise<StepOutcome> }

/**
 * The one gate: every tool call of every agent passes here, in this order, and is refused by the first rule it breaks.
 *   1 a peripheral is active  2 it has the tool  3 the arguments are the tool's  4 the room's mode opens it
 *   5 the turn has steps left  6 the path, resolved, is in scope
 * It refuses by default, and a gate that fails refuses.
 */
export const gate = async (call: ToolCall, standing: Standing): Promise<Result<Passed>> => {
  try {
    return await judge(call, standing)
  } catch (error) {
    return no('gate-failed', `the gate could not judge ${call.tool}: ${(error as Error).message}`)
  }
}

const judge = async (call: ToolCall, { spec, mode, taken, workspace }: Standing): Promise<Result<Passed>> => {
  if (!spec) return no('peripheral-inactive', `no peripheral is active, so there is no tool ${call.tool}`)

  const name = ToolName.safeParse(call.tool).data
  if (!name || !spec.tools.includes(name)) {
    return no('tool-not-allowed', `${spec.id} has no tool ${call.tool}; it has ${spec.tools.join(', ')}`)
  }
  const tool = tools[name]
  const args = tool.args.safeParse(call.args)
  if (!args.success) {
    const [issue] = args.error.issues
    return no(
      'arguments-invalid',
      `${name}: ${issue?.path.join('.') || 'arguments'}: ${issue?.message}; usage: ${tool.help}`,
    )
  }
  if (!spec.modes.includes(mode)) {
    return no('mode-forbids', `the room is in ${mode}; ${spec.id} needs ${spec.modes.join(' or ')}`)
  }
  const { limits } = spec
  if (taken >= limits.stepsPerTurn) {
    return no('budget-spent', `this turn has used its ${limits.stepsPerTurn} steps`)
  }
  const asked = tool.pathOf(args.data)
  const target = await inside(workspace, asked)
  if (!target) return no('out-of-scope', `${asked} is outside of what ${spec.id} may touch: the workspace`)

  return ok({ run: (bench) => tool.run(args.data, target, { ...bench, workspace, limits }) })
}

const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))
