import type { z } from 'zod'

/** How deep unknown keys are looked for: each round finds those of one more level. */
const ROUNDS = 20

/**
 * Reads what another process wrote, which may be of a newer version: what this one does not know is passed over, and all
 * else has to be right. Null where it is not. For what people and agents say there is the schema itself, which is strict.
 */
export const readLeniently = <T extends z.ZodType>(schema: T, given: unknown): z.output<T> | null => {
  let value = given
  for (let round = 0; round < ROUNDS; round++) {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const unknown = parsed.error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [issue] : []))
    if (unknown.length !== parsed.error.issues.length) return null
    value = structuredClone(value)
    for (const { path, keys } of unknown) for (const key of keys) remove(value, path, key)
  }
  return null
}

const remove = (value: unknown, path: readonly PropertyKey[], key: string): void => {
  const holder = path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown>)[name], value)
  Reflect.deleteProperty(holder as object, key)
}
