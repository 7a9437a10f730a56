import { z } from 'zod'
import { names } from './names.ts'

/** A JSON Schema of the 2020-12 dialect, as far as ours go. */
export type JsonSchema = {
  $schema?: string
  $id?: string
  $ref?: string
  $defs?: Record<string, JsonSchema>
  title?: string
  description?: string
  default?: unknown
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  pattern?: string
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  not?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  minimum?: number
  maximum?: number
}

/** What is taken in, where something may be left out; or what is given, where everything is there. */
export type Way = 'input' | 'output'

/** A shape as JSON Schema. Those with a name stand under `$defs`, once. */
export const schemaOf = (shape: z.ZodType, way: Way): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: way,
    unrepresentable: 'any',
    metadata: named as typeof z.globalRegistry,
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  })
  return schema as JsonSchema
}

/** What is said of a shape where it is declared, and its name. */
const named = {
  get: (shape: z.ZodType) => {
    const id = names.get(shape)
    return { ...z.globalRegistry.get(shape), ...(id === undefined ? {} : { id }) }
  },
  has: (shape: z.ZodType) => names.has(shape) || z.globalRegistry.has(shape),
}

/** Leaves out what says nothing: the bounds that every number has here, and a pattern for what a format names. */
const tidy = (schema: JsonSchema): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format !== undefined) delete schema.pattern
}
