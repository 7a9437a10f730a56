import { z } from 'zod'
import { type JsonSchema, jsonSchemaOf, type Way } from '../shapes/json-schema.ts'
import { names } from './names.ts'

/** A shape as JSON Schema. Those with a name stand under `$defs`, once. */
export const schemaOf = (shape: z.ZodType, way: Way): JsonSchema =>
  jsonSchemaOf(shape, way, { metadata: named as typeof z.globalRegistry, adjust: tidy })

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
