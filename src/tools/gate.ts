import {
  AnyTool,
  type CommandRule,
  isOwnTool,
  type PeripheralSpec,
  type SandboxMode,
  type SourceTool,
  type ToolCall,
} from '../shapes/peripheral.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import { type Refusal, type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { type Inside, inside, type Workspace } from '../workspace/paths.ts'
import { denier, type Reaching, reachOf } from '../workspace/scope.ts'
import { type Sourced, sourceTool } from './source.ts'
import { tools } from './table.ts'
import { isKept } from './target.ts'
import type { Bench, Reach, Tool, Waits } from './tool.ts'

/** What was decided of a call that a person was asked about. */
export type Decision = { kind: 'none' } | { kind: 'approved'; entry: string } | { kind: 'denied'; why: string }

/** What the gate looks at besides the call itself: all of it follows from evidence, config and the disk. */
export type Standing = {
  /** The wall that is up; null when no peripheral is active. */
  spec: PeripheralSpec | null
  phase: string | null
  /** The mode of the room, and the role of the person who asked for the turn. */
  mode: RoomMode
  role: Role
  /** Whether a person has stopped the turn. */
  stopped: boolean
  spent: { steps: number; sessionSteps: number; seconds: number; output: number }
  /** How often a call just like this one has failed since anything was changed. */
  alike: number
  workspace: Workspace
  /** Where an output that was kept for this session lies; null where there is none. */
  kept: (path: string) => Inside | null
  /** What is missing for programs to run in a sandbox; null where it works. */
  sandboxless: () => Promise<string | null>
  /** Takes a hold of paths for this session; answers who has one of them, where somebody else has. */
  hold: (names: readonly string[]) => Promise<string | null>
  /** Why a hop there cannot be; null where it can. */
  hopless: (to: string) => Promise<string | null>
  /** What a tool of another server is, where it is what was accepted. */
  source: (name: SourceTool, spec: PeripheralSpec) => Promise<Result<Sourced>>
  decision: Decision
}

/** What a tool is given by whoever runs it; the gate adds the rest. */
export type Given = Omit<Bench, 'workspace' | 'limits' | 'spec' | 'targets' | 'shows'>

/** A call that may run: the only way to a tool. */
export type Passed = {
  kind: 'passed'
  /** The wall as it stands for this call. */
  spec: PeripheralSpec
  reads: string[]
  writes: string[]
  /** Whether these are held no longer than it runs. */
  brief: boolean
  /** What lets it run, where it is a command. */
  command: CommandRule | null
  /** The sandbox that a program of it runs in; null where it runs none. */
  sandbox: SandboxMode | null
  /** The entry that accepted what it is, where it is a tool of another server. */
  pin: string | null
  /** What it waits for before it is begun; null where it waits for nothing. */
  waits: Waits | null
  run: (given: Given) => Promise<StepOutcome>
}

/** A call that may run once a person has said so: why one is asked, and what a yes opens. */
export type Asks = { kind: 'asks'; why: string; opens: string; writes: string[] }

/** How often the same call may fail, with nothing changed in between, before it is not let through any more. */
export const ALIKE = 3

/**
 * The one gate: every tool call of every agent passes here, in this order, and is refused by the first rule it breaks.
 *   1 a peripheral is active   2 it has the tool   3 its phase has it   4 the arguments are the tool's, and it is
 *   what was accepted where it is another server's, who is not asked before nothing else is in the way
 *   5 nobody stopped the turn   6 who asked has the role   7 the room's mode opens it   8 there is budget left
 *   9 it did not fail in just this way again and again   10 the command, address or question is one that the spec opens,
 *   or its ceiling where it asks for more
 *   11 every path, resolved, is in scope   12 a hop leads where it may   13 there is a sandbox where one is needed
 *   14 the paths are free   15 a person has approved it where one must
 * It refuses by default, and a gate that fails refuses. `docs/peripherals.md` has the codes.
 */
export const gate = async (call: ToolCall, standing: Standing): Promise<Result<Passed | Asks>> => {
  try {
    return await judge(call, standing)
  } catch (error) {
    return no('gate-failed', `the gate could not judge ${call.tool}: ${(error as Error).message}`)
  }
}

const judge = async (call: ToolCall, standing: Standing): Promise<Result<Passed | Asks>> => {
  const known = await knownCall(call, standing)
  if (!known.ok) return known
  const objection = standingObjection(known.value.spec, standing)
  if (objection) return refused(objection)

  const { tool, args, name, pin, raise } = known.value
  const spec = opened(known.value.spec, raise !== null, standing.phase)
  if (!spec.ok) return spec
  const reach = tool.reach(args, spec.value)
  if (!reach.ok) return reach

  const scope = reachOf(spec.value.scope, raise === null ? undefined : spec.value.ceiling?.write)
  const resolved = await resolve(reach.value, scope, standing, spec.value.id)
  if (!resolved.ok) return resolved
  const { targets, reads, writes } = resolved.value

  const obstacle = await obstacleTo({ name, args, raise, reach: reach.value, writes }, standing)
  if (obstacle) return refused(obstacle)

  const asked = approvalFor({ name, args, raise, reach: reach.value, writes }, spec.value, standing.decision)
  if (!asked.ok) return asked
  if (asked.value) return ok({ ...asked.value, writes })

  const { limits } = spec.value
  const bench = { workspace: standing.workspace, spec: spec.value, limits, targets, shows: scope.mayRead }
  return ok({
    kind: 'passed',
    spec: spec.value,
    reads,
    writes,
    brief: reach.value.brief === true,
    command: reach.value.command ?? null,
    sandbox: reach.value.sandbox ?? null,
    pin,
    waits: reach.value.waits ?? null,
    // Made for this call alone: it is completed, not copied, and what is in it is made when it is asked for.
    run: (given) => tool.run(args, Object.assign(given, bench)),
  })
}

/** A call whose tool is known; `raise` is what it asks for more with, where it does. */
type Known = {
  spec: PeripheralSpec
  name: AnyTool
  tool: Tool
  args: unknown
  pin: string | null
  raise: { why: string } | null
}

/** Rules 1 to 4: there is such a tool here, now, and these are its arguments. */
const knownCall = async (call: ToolCall, standing: Standing): Promise<Result<Known>> => {
  const named = namedTool(call, standing)
  if (!named.ok) return named
  const { spec, name } = named.value
  const found = isOwnTool(name) ? ok({ tool: tools[name], pin: null }) : await foreignTool(name, spec, standing)
  if (!found.ok) return found
  const { tool, pin } = found.value
  const args = tool.args.safeParse(call.args)
  // What another server calls so is a matter of its own.
  if (args.success)
    return ok({ spec, name, tool, args: args.data, pin, raise: isOwnTool(name) ? raiseIn(args.data) : null })
  const [issue] = args.error.issues
  const where = issue?.path.join('.') || 'arguments'
  return no('arguments-invalid', `${name}: ${where}: ${issue?.message}; usage: ${tool.help}`)
}

/** A tool of another server, as it was accepted. The server is not even asked where something else is in the way. */
const foreignTool = async (
  name: SourceTool,
  spec: PeripheralSpec,
  standing: Standing,
): Promise<Result<{ tool: Tool; pin: string }>> => {
  const objection = standingObjection(spec, standing) ?? (await unsandboxed(standing))
  if (objection) return refused(objection)
  const found = await standing.source(name, spec)
  return found.ok ? ok({ tool: sourceTool(name, found.value), pin: found.value.pin }) : found
}

const raiseIn = (args: unknown): { why: string } | null => (args as { escalate?: { why: string } }).escalate ?? null

/** Rules 1 to 3: there is such a tool here, and now. */
const namedTool = (call: ToolCall, { spec, phase }: Standing): Result<Pick<Known, 'spec' | 'name'>> => {
  if (!spec) return no('peripheral-inactive', `no peripheral is active, so there is no tool ${call.tool}`)
  const name = AnyTool.safeParse(call.tool).data
  if (!name || !spec.tools.includes(name)) {
    return no('tool-not-allowed', `${spec.id} has no tool ${call.tool}; it has ${spec.tools.join(', ')}`)
  }
  const here = spec.phases.find(({ id }) => id === phase)
  if (spec.phases.length > 0 && !here?.tools.includes(name)) {
    const has = here ? `${here.id} has ${here.tools.join(', ')}` : 'it is in none of its phases'
    return no('phase-forbids', `${name} is not for this phase of ${spec.id}; ${has}`)
  }
  return ok({ spec, name })
}

/** Rules 5 to 9: what is true of the turn, whatever the call is. */
const standingObjection = (spec: PeripheralSpec, standing: Standing): Refusal | null => {
  const { stopped, alike } = standing
  if (stopped) return refusal('turn-stopped', 'a person has stopped this turn')
  const closed = closedTo(spec, standing)
  if (closed) return closed
  const spent = spentOf(spec, standing)
  if (spent !== null) return refusal('budget-spent', spent)
  if (alike < ALIKE) return null
  return refusal('looping', `this very call has failed ${alike} times, with nothing changed in between`)
}

/** Rules 6 and 7, which hold for a start and for a hop too: why a wall is closed to who asked, in this room. */
export const closedTo = (spec: PeripheralSpec, { role, mode }: Pick<Standing, 'role' | 'mode'>): Refusal | null => {
  if (!mayAct(role, spec.role))
    return refusal('role-too-low', `${spec.id} needs the role ${spec.role}; who asked is ${role}`)
  if (spec.modes.includes(mode)) return null
  return refusal('mode-forbids', `the room is in ${mode}; ${spec.id} needs ${spec.modes.join(' or ')}`)
}

const spentOf = ({ limits }: PeripheralSpec, { spent }: Standing): string | null => {
  if (spent.steps >= limits.stepsPerTurn) return `this turn has used its ${limits.stepsPerTurn} steps`
  if (spent.sessionSteps >= limits.stepsPerSession) return `this session has used its ${limits.stepsPerSession} steps`
  if (spent.seconds >= limits.secondsPerTurn) return `this turn has used its ${limits.secondsPerTurn} seconds`
  if (spent.output >= limits.outputPerTurn) return `this turn has used its ${limits.outputPerTurn} bytes of output`
  return null
}

/** The spec as it stands for this call: the commands of the phase, and where it asks for more, what the ceiling has. */
const opened = (spec: PeripheralSpec, raised: boolean, phase: string | null): Result<PeripheralSpec> => {
  const here = (rule: CommandRule) => phase === null || (rule.phases?.includes(phase) ?? true)
  const { ceiling } = spec
  if (!raised) return ok({ ...spec, commands: spec.commands.filter(here) })
  if (!ceiling) return no('approval-required', `${spec.id} has no ceiling: nobody can open more than it has`)
  const wider = (rule: CommandRule): CommandRule => ({
    ...rule,
    sandbox: ceiling.sandbox,
    network: rule.network || ceiling.network,
  })
  const commands = [...spec.commands.map(wider), ...ceiling.commands].filter(here)
  return ok({ ...spec, sandbox: ceiling.sandbox, commands })
}

type Resolved = { targets: Map<string, Inside>; reads: string[]; writes: string[] }

/** Rule 11: what the paths really are, each in the part of the workspace that the spec opens. */
const resolve = async (reach: Reach, scope: Reaching, standing: Standing, id: string): Promise<Result<Resolved>> => {
  const resolved: Resolved = { targets: new Map(), reads: [], writes: [] }
  const wanted = [
    ...(reach.writes ?? []).map((path) => ({ path, verb: 'write' as const })),
    ...(reach.reads ?? []).map((path) => ({ path, verb: 'read' as const })),
  ]
  for (const { path, verb } of wanted) {
    const target = await targetOf(path, verb, standing)
    if (!target) return no('out-of-scope', `${path} is outside of what ${id} may touch: the workspace`)
    resolved.targets.set(path, target)
    if (isKept(path)) continue
    const may = verb === 'read' ? scope.mayRead : scope.mayWrite
    if (!may(target.name)) return no('out-of-scope', outOfScope(target.name, id, verb))
    resolved[`${verb}s`].push(target.name)
  }
  return ok(resolved)
}

const isClosed = denier([])

const outOfScope = (name: string, id: string, verb: string): string =>
  isClosed(name)
    ? `${name} is closed to everybody: it is git's own, or may hold secrets`
    : `${name} is not among what ${id} may ${verb}`

/** What a path stands for: a file of the workspace, or what is kept beside it, which can only be read. */
const targetOf = async (path: string, verb: 'read' | 'write', standing: Standing): Promise<Inside | null> => {
  if (!isKept(path)) return inside(standing.workspace, path)
  return verb === 'read' ? standing.kept(path) : null
}

type Wanted = Pick<Known, 'name' | 'args' | 'raise'> & { reach: Reach; writes: string[] }

/** Rules 12 to 14: a hop that cannot be, a sandbox that is not there, a path that somebody else holds. */
const obstacleTo = async ({ name, args, reach, writes }: Wanted, standing: Standing): Promise<Refusal | null> => {
  if (name === 'hop') {
    const hopless = await standing.hopless((args as { to: string }).to)
    if (hopless !== null) return refusal('hop-refused', hopless)
  }
  const missing = reach.sandbox === undefined ? null : await unsandboxed(standing)
  if (missing) return missing
  const holder = writes.length > 0 ? await standing.hold(writes) : null
  return holder === null ? null : refusal('path-held', holder)
}

const unsandboxed = async ({ sandboxless }: Standing): Promise<Refusal | null> => {
  const missing = await sandboxless()
  return missing === null ? null : refusal('sandbox-missing', missing)
}

/** Rule 15: whether a person must be asked, and what was said. Null where the call may go on. */
const approvalFor = (wanted: Wanted, spec: PeripheralSpec, decision: Decision): Result<Omit<Asks, 'writes'> | null> => {
  const why = whyAsk(wanted, spec)
  if (why === null || decision.kind === 'approved') return ok(null)
  if (decision.kind === 'denied') return no('approval-denied', decision.why)
  if (spec.approval.policy === 'never') return no('approval-required', `${why}, and ${spec.id} asks for no approvals`)
  return ok({ kind: 'asks', why, opens: opensOf(wanted, spec) })
}

const whyAsk = ({ name, raise, reach, writes }: Wanted, { id, approval }: PeripheralSpec): string | null => {
  if (raise) return `it asks for more than ${id} opens by itself: ${raise.why}`
  if (reach.ask) return reach.ask
  if (approval.tools.includes(name)) return `${id} asks before each ${name}`
  const changes = writes.length > 0 || reach.sandbox !== undefined
  return approval.policy === 'always' && changes ? `${id} asks before anything is changed or run` : null
}

const opensOf = ({ name, args, reach, writes }: Wanted, { sandbox }: PeripheralSpec): string => {
  if (!reach.command) return writes.length > 0 ? `change ${writes.join(', ')} with ${name}` : name
  const { argv } = args as { argv: string[] }
  const network = reach.command.network ? ', with the network' : ''
  return `run ${argv.join(' ')}, in the sandbox ${reach.command.sandbox ?? sandbox}${network}`
}

const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))
