import type { JsonSchema } from '../shapes/json-schema.ts'

/** A JSON Schema as a TypeScript type. What TypeScript cannot say, such as a pattern, is left out. */
export const typeOf = (schema: JsonSchema, indent = ''): string => {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return either(schema.enum.map((one) => JSON.stringify(one)))
  const some = schema.anyOf ?? schema.oneOf
  if (some) return either(some.map((one) => typeOf(one, indent)))
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one, indent)})`).join(' & ')
  if (Array.isArray(schema.type)) return either(schema.type.map((type) => simple({ ...schema, type }, indent)))
  return simple(schema, indent)
}

const either = (types: string[]): string => [...new Set(types)].join(' | ')

const simple = (schema: JsonSchema, indent: string): string => {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return arrayOf(schema, indent)
    case 'object':
      return objectOf(schema, indent)
    default:
      return schema.not ? 'never' : 'unknown'
  }
}

const arrayOf = ({ items, prefixItems }: JsonSchema, indent: string): string =>
  prefixItems
    ? `[${prefixItems.map((one) => typeOf(one, indent)).join(', ')}]`
    : `Array<${typeOf(items ?? {}, indent)}>`

const objectOf = (schema: JsonSchema, indent: string): string => {
  const { properties = {}, required = [], additionalProperties: more } = schema
  const keys = Object.entries(properties)
  if (keys.length === 0) {
    if (more === false) return 'Record<string, never>'
    return `Record<string, ${typeof more === 'object' ? typeOf(more, indent) : 'unknown'}>`
  }
  const deeper = `${indent}  `
  const lines = keys.map(([key, one]) => {
    const type = typeOf(one, deeper)
    const value = required.includes(key) ? `: ${type}` : `?: ${either([type, 'undefined'])}`
    return `${commentOf(one.description, deeper)}${deeper}${nameOf(key)}${value}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

const nameOf = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key))

/** A comment before a line; nothing where there is nothing to say. */
export const commentOf = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
