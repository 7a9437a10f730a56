import { acceptedOf } from '../evidence/pins.ts'
import { type JsonSchema, jsonSchemaOf, singleTyped } from '../shapes/json-schema.ts'
import { AnyTool, isOwnTool, type ToolName } from '../shapes/peripheral.ts'
import { tools } from '../tools/table.ts'
import type { Parts } from './parts.ts'

/** What agents outside are told of a tool: what it is for, and the JSON Schema of what it takes. */
type Told = { help: string; schema: Record<string, unknown> }

/** What is told of a tool. Of one of another server, that server says it, once that was accepted. */
export const describeTool = async (
  tool: AnyTool,
  store: Pick<Parts['store'], 'get' | 'query'>,
): Promise<Told | null> => {
  if (isOwnTool(tool)) return { help: tools[tool].help, schema: argumentsOf(tool) }
  const accepted = await acceptedOf(store, tool)
  return accepted && { help: accepted.description, schema: accepted.inputSchema }
}

/** What a tool takes, as JSON Schema; null where there is no such tool. */
export const takesOf = async (
  tool: string,
  store: Pick<Parts['store'], 'get' | 'query'>,
): Promise<JsonSchema | null> => {
  const known = AnyTool.safeParse(tool)
  return known.success ? ((await describeTool(known.data, store))?.schema ?? null) : null
}

/** Made once, since it never changes. */
const argumentsOf = (tool: ToolName): JsonSchema => {
  const schema = made.get(tool) ?? singleTyped(jsonSchemaOf(tools[tool].args, 'input'))
  made.set(tool, schema)
  return schema
}

const made = new Map<ToolName, JsonSchema>()
