import { z } from 'zod'
import { threadOf } from '../evidence/threads.ts'
import { parseJson } from '../lib/parse-json.ts'
import { ExitCondition, PeripheralSpec, type ToolCall } from '../shapes/peripheral.ts'
import { Role } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { Judged } from '../shapes/trial.ts'
import { callFrom } from './by-hand.ts'
import { defineOperation } from './operation.ts'

const Whole = z.strictObject({
  spec: PeripheralSpec,
  /** Its tools, each with a line of help, and what it takes as JSON Schema: null where nobody knows. */
  tools: z.array(
    z.strictObject({ name: z.string(), help: z.string(), takes: z.record(z.string(), z.unknown()).nullable() }),
  ),
  /** What must be true for each of the conditions that it is left on. */
  conditions: z.array(z.strictObject({ when: ExitCondition, says: z.string() })),
})

export const wall = defineOperation({
  name: 'wall',
  summary: 'one wall, whole: its spec, what its tools take, and when it may be left',
  example: 'wall edit',
  positional: ['peripheral'],
  input: z.strictObject({ peripheral: z.string().max(64) }),
  output: Whole,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ peripheral }, { specs, helpOf, gatehouse }) => {
    const spec = specs.get(peripheral)
    if (!spec) {
      const there = [...specs.keys()].join(', ')
      return refused(refusal('peripheral-unknown', `there is no peripheral ${peripheral}; there is ${there}`))
    }
    const tools = spec.tools.map(async (name) => ({ name, help: helpOf(name), takes: await gatehouse.takes(name) }))
    const left = [...new Set(spec.exit.map(({ when }) => when))]
    return ok({
      spec,
      tools: await Promise.all(tools),
      conditions: left.map((when) => ({ when, says: gatehouse.saysOf(when) })),
    })
  },
  render: ({ spec, tools }) =>
    [
      `${spec.id}: ${spec.purpose}`,
      ...tools.map(({ help }) => `  ${help}`),
      ...spec.examples.refused.map(({ tool, why }) => `  refused: ${tool}: ${why}`),
    ].join('\n'),
})

/** What a tool is given: JSON, or words for people who type. */
const Given = z.union([z.string().max(8192), z.record(z.string(), z.unknown())])

export const tryCall = defineOperation({
  name: 'try',
  files: true,
  summary: 'what the gate would say of a call behind a wall: nothing is run, held or written down',
  example: 'try explore read path=README.md',
  positional: ['peripheral', 'tool', 'args'],
  rest: 'args',
  input: z.strictObject({
    peripheral: z.string().min(1).max(64),
    tool: z.string().min(1).max(100),
    args: Given.default('').describe('what the tool takes: key=value, or JSON'),
    phase: z.string().max(64).optional().describe('in this phase; the first where none is named'),
    room: Name.optional().describe('as it would be in this room: its mode, and its profile'),
    role: Role.optional().describe('asked for by somebody with this role'),
  }),
  output: Judged,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ peripheral, tool, args, phase, room, role }, context) => {
    const { gatehouse, store, rooms } = context
    const isJson = typeof args === 'string' && args.trimStart().startsWith('{')
    const call = isJson ? fromJson(tool, args) : await callFrom(tool, args, gatehouse, context)
    if (!call.ok) return call
    if (room !== undefined && !rooms.some(({ id }) => id === room) && !(await threadOf(store, room))) {
      return refused(
        refusal('room-unknown', `there is no room ${room}; there is ${rooms.map(({ id }) => id).join(', ')}`),
      )
    }
    const [at, as] = [room ?? null, role ?? null]
    return gatehouse.judge({ peripheral, call: call.value, phase: phase ?? null, room: at, role: as })
  },
  render: ({ peripheral, tool, verdict, granted }) =>
    [`${tool} behind ${peripheral}: ${verdictText(verdict)}`, ...granted.map((one) => `  given that ${one}`)].join(
      '\n',
    ),
})

const fromJson = (tool: string, text: string): Result<ToolCall> => {
  const args = z.record(z.string(), z.unknown()).safeParse(parseJson(text))
  return args.success ? ok({ tool, args: args.data }) : refused(refusal('request-invalid', 'args: expected JSON'))
}

const verdictText = (verdict: Judged['verdict']): string => {
  if (verdict.kind === 'asks') return `a person is asked (rule 15): ${verdict.why}; a yes opens: ${verdict.opens}`
  if (verdict.kind === 'refused') {
    const rule = verdict.rule === null ? '' : ` (rule ${verdict.rule})`
    return `refused${rule} with ${verdict.code}: ${verdict.message}; ${verdict.remedy}`
  }
  const { reads, writes, sandbox } = verdict
  const touched = [...writes.map((path) => `changes ${path}`), ...reads.map((path) => `reads ${path}`)]
  return ['passes', ...touched, ...(sandbox === null ? [] : [`runs in the sandbox ${sandbox}`])].join(', ')
}
