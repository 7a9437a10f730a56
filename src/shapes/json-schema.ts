import { z } from 'zod'

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

type Options = {
  /** Where names and descriptions of shapes are looked up, besides what is said where they are declared. */
  metadata?: Pick<typeof z.globalRegistry, 'get' | 'has'>
  /** Puts each schema right, with the shape that it was made of. */
  adjust?: (schema: JsonSchema, shape: unknown) => void
}

/** A shape as JSON Schema. What cannot be said in one is anything. */
export const jsonSchemaOf = (shape: z.ZodType, way: Way, { metadata, adjust }: Options = {}): JsonSchema => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    io: way,
    unrepresentable: 'any',
    ...(metadata ? { metadata: metadata as typeof z.globalRegistry } : {}),
    override: ({ zodSchema, jsonSchema }) => adjust?.(jsonSchema as JsonSchema, zodSchema),
  })
  return schema as JsonSchema
}

/** The same without lists of types: many who read schemas know of one type each, and leave a list out. */
export const singleTyped = <T>(schema: T): T => {
  if (Array.isArray(schema)) return schema.map(singleTyped) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([key, part]) =>
    key === 'type' && Array.isArray(part) ? ['anyOf', part.map((type) => ({ type }))] : [key, singleTyped(part)],
  )
  return Object.fromEntries(parts)
}
