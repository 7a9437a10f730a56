import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { Body } from '../shapes/evidence.ts'
import { type AnyTool, isOwnTool, type PeripheralSpec, type ToolName } from '../shapes/peripheral.ts'
import { tools } from '../tools/table.ts'
import type { McpHouse } from './house.ts'
import { StepResult } from './step.ts'

type JsonSchema = Listed['inputSchema']

const schemas = new Map<z.ZodType, JsonSchema>()

/** A schema as clients read it; made once, since it never changes. */
export const schemaOf = (type: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const known = schemas.get(type)
  if (known) return known
  const { $schema: _dialect, ...made } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    // All that can happen, with all that is said of it, would be most of the list.
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === Body) for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
    },
  })
  const schema = { ...made, type: 'object' } as JsonSchema
  schemas.set(type, schema)
  return schema
}

/** The tools behind a wall, in the order its spec has them: these, and no others. */
export const toolsBehind = (spec: PeripheralSpec, { sourceTool }: Pick<McpHouse, 'sourceTool'>): Promise<Listed[]> =>
  Promise.all(
    spec.tools.map(async (name) => ({
      name,
      title: titleOf(name),
      ...(isOwnTool(name) ? ownTool(name) : ((await sourceTool(name)) ?? UNKNOWN)),
      outputSchema: schemaOf(StepResult, 'output'),
      annotations: annotationsOf(name, spec),
    })),
  )

const titleOf = (name: string): string => {
  const words = name.replaceAll(/[-_.]/g, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const ownTool = (name: ToolName) => ({
  description: tools[name].help,
  inputSchema: schemaOf(tools[name].args, 'input'),
})

/** A tool of another server that nobody has seen yet: the gate says why it is not called. */
const UNKNOWN = {
  description: 'a tool of another server, which has not said yet what it is',
  inputSchema: { type: 'object' } as JsonSchema,
}

/** What a call can do to the world at most, as the spec has it. */
const annotationsOf = (name: AnyTool, spec: PeripheralSpec): ToolAnnotations => {
  if (!isOwnTool(name)) return { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
  const writes = canWrite[name](spec)
  const looks = LOOKS.has(name)
  return {
    readOnlyHint: looks && !writes,
    // Only of what is not read-only does it say anything.
    ...(looks && !writes ? {} : { destructiveHint: writes }),
    openWorldHint: name === 'web-fetch' || (RUNS.has(name) && hasNetwork(spec)),
  }
}

/** What leaves everything as it is, unless it can write. */
const LOOKS: ReadonlySet<ToolName> = new Set<ToolName>(['read', 'list', 'glob', 'grep', 'evidence', 'web-fetch', 'run'])
const RUNS: ReadonlySet<ToolName> = new Set<ToolName>(['run', 'terminal'])

const opensPaths = ({ scope, ceiling }: PeripheralSpec): boolean =>
  scope.write.length > 0 || (ceiling?.write.length ?? 0) > 0

const runsWriting = ({ sandbox, commands, ceiling }: PeripheralSpec): boolean =>
  (commands.length > 0 && sandbox !== 'read-only') || (ceiling !== null && ceiling.sandbox !== 'read-only')

const hasNetwork = ({ commands, ceiling }: PeripheralSpec): boolean =>
  commands.some(({ network }) => network) || ceiling?.network === true

const never = (): boolean => false

const canWrite: Record<ToolName, (spec: PeripheralSpec) => boolean> = {
  read: never,
  list: never,
  glob: never,
  grep: never,
  edit: opensPaths,
  'multi-edit': opensPaths,
  'apply-patch': opensPaths,
  write: opensPaths,
  run: runsWriting,
  terminal: runsWriting,
  'web-fetch': never,
  evidence: never,
  reflect: never,
  advance: never,
  hop: never,
}
