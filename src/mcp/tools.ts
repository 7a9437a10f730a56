import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { Body } from '../shapes/evidence.ts'
import { jsonSchemaOf, singleTyped, type Way } from '../shapes/json-schema.ts'
import { type AnyTool, isOwnTool, type PeripheralSpec, type ToolName } from '../shapes/peripheral.ts'
import type { McpHouse } from './house.ts'
import { StepResult } from './step.ts'

type JsonSchema = Listed['inputSchema']

const schemas = new Map<z.ZodType, JsonSchema>()

/** A schema as clients read it; made once, since it never changes. */
export const schemaOf = (shape: z.ZodType, way: Way): JsonSchema => {
  const known = schemas.get(shape)
  if (known) return known
  const schema = { ...singleTyped(jsonSchemaOf(shape, way, { adjust: withoutBodies })), type: 'object' } as JsonSchema
  schemas.set(shape, schema)
  return schema
}

/** All that can happen, with all that is said of it, would be most of the list. */
const withoutBodies = (schema: Record<string, unknown>, shape: unknown): void => {
  if (shape === Body) for (const key of Object.keys(schema)) delete schema[key]
}

/** The tools behind a wall, in the order its spec has them: these, and no others. */
export const toolsBehind = (
  spec: PeripheralSpec,
  { describe, toolsOnly = false }: Pick<McpHouse, 'describe' | 'toolsOnly'>,
): Promise<Listed[]> =>
  Promise.all(
    spec.tools.map(async (name) => {
      const { help, schema } = (await describe(name)) ?? UNKNOWN
      return {
        name,
        title: titleOf(name),
        description: help,
        inputSchema: { ...schema, type: 'object' },
        ...(toolsOnly ? { _meta: WHOLE } : { outputSchema: schemaOf(StepResult, 'output') }),
        annotations: annotationsOf(name, spec),
      }
    }),
  )

/** What a tool answers is cut by us: a program that cuts it again would put a part of it where its model cannot read it. */
const WHOLE = { 'anthropic/maxResultSizeChars': 500_000 }

const titleOf = (name: string): string => {
  const words = name.replaceAll(/[-_.]/g, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A tool of another server that nobody has seen yet: the gate says why it is not called. */
const UNKNOWN = { help: 'a tool of another server, which has not said yet what it is', schema: {} }

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
const LOOKS: ReadonlySet<ToolName> = new Set<ToolName>([
  'read',
  'list',
  'glob',
  'grep',
  'evidence',
  'web-fetch',
  'run',
  'cycle-get',
  'cycle-list',
  'ledger-query',
  'ledger-impact',
  'gate-check',
  // patterns
  'pattern-search',
  'pattern-read',
  'pattern-record',
  'pattern-proposals',
  'world-state',
  'mission-audit',
  'mission-wiring',
])
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
  // mission control: nothing but a new mission is a file
  'mc-inventory': never,
  'mc-coverage': never,
  'mc-review': never,
  'mc-diff': never,
  'mc-next': never,
  'mc-sessions': never,
  'mc-bulletin': never,
  'mc-focus': never,
  'mc-watch': never,
  'mc-todo': never,
  'mc-new': opensPaths,
  // undertakings: what becomes of them is evidence; only the whole of one is a file
  'cycle-get': never,
  'cycle-list': never,
  'cycle-begin': never,
  'cycle-back': never,
  'cycle-end': never,
  'ledger-query': never,
  'ledger-upsert': never,
  'ledger-impact': never,
  'approach-failed': never,
  classify: never,
  'gate-check': never,
  'proof-load': never,
  'proof-statement': never,
  'proof-mode': never,
  'proof-licence': never,
  'proof-save': opensPaths,
  // patterns: nothing but a new one is a file
  'pattern-search': never,
  'pattern-read': never,
  'pattern-record': never,
  'pattern-select': never,
  'pattern-outcome': never,
  'pattern-pivot': never,
  'pattern-punctuate': never,
  'pattern-proposals': never,
  'pattern-new': opensPaths,
  'pattern-retire': never,
  'pattern-decline': never,
  // mission
  'mission-load': never,
  'mission-audit': never,
  'mission-wiring': never,
  'mission-save': opensPaths,
  bell: never,
  whistle: never,
  park: never,
  // Tickle
  'tickle-scan': never,
  'tickle-page': never,
  'tickle-cycle': never,
  // the text world
  'world-reset': never,
  'world-act': never,
  'world-state': never,
}
