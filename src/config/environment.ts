import { parse as parseYaml } from 'yaml'
import { nearest } from '../lib/nearest.ts'
import { Problem } from '../lib/problem.ts'
import { Config } from '../shapes/config.ts'
import { type JsonSchema, jsonSchemaOf } from '../shapes/json-schema.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** A key of the config that a variable sets, and what to. */
export type Setting = { variable: string; path: string[]; value: unknown }

/** How the variables begin that set keys of the config: BELLHOP__HTTP__PORT is `http.port`. */
const PREFIX = 'BELLHOP__'
const BETWEEN = '__'

/** The variables that set keys of the config, for a process that is to have the same config. */
export const configVariables = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (name.startsWith(PREFIX) && value ? [[name, value]] : [])),
  )

/** What the environment says of the config, the outer keys first: what is said of an inner one holds. */
export const settingsIn = (variables: Variables): Setting[] => {
  const given = Object.entries(configVariables(variables))
  if (given.length === 0) return []
  const schema = jsonSchemaOf(Config, 'input')
  const settings = given.map(([variable, text]) => ({
    variable,
    path: pathOf(variable, schema),
    value: asValue(variable, text),
  }))
  refuseTwins(settings)
  return settings.sort((a, b) => a.path.length - b.path.length || a.variable.localeCompare(b.variable))
}

const asValue = (variable: string, text: string): unknown => {
  try {
    return parseYaml(text, { prettyErrors: false, logLevel: 'error' })
  } catch (error) {
    throw new Problem(
      `${variable}: ${(error as Error).message}`,
      'give a value as it would stand in the file, such as 8080, true, name or ["a", "b"]',
    )
  }
}

const pathOf = (variable: string, whole: JsonSchema): string[] => {
  const path: string[] = []
  let schema = whole
  for (const part of variable.slice(PREFIX.length).split(BETWEEN)) {
    const found = under(part, schema, whole)
    if (typeof found === 'string') throw unknown(variable, path, found)
    path.push(found.key)
    schema = found.schema
  }
  return path
}

const unknown = (variable: string, path: readonly string[], fix: string): Problem =>
  new Problem(
    `${variable} is no key of the config`,
    fix.replace('%', `${PREFIX}${[...path, ''].map((key) => key.toUpperCase()).join(BETWEEN)}`),
  )

type Found = { key: string; schema: JsonSchema }

/** The key that a part of a variable's name stands for; a sentence where there is none, with % for what comes before it. */
const under = (part: string, schema: JsonSchema, whole: JsonSchema): Found | string => {
  const shapes = alternatives(schema, whole)
  const known = shapes.flatMap(({ properties = {} }) => Object.entries(properties))
  const same = known.filter(([key]) => key.toLowerCase() === part.toLowerCase())
  const [first] = same
  if (first) return { key: first[0], schema: { anyOf: same.map(([, inner]) => inner) } }
  const [open] = shapes.filter(({ additionalProperties }) => typeof additionalProperties === 'object')
  if (open && part !== '') return { key: ownName(part, open), schema: open.additionalProperties as JsonSchema }
  const names = [...new Set(known.map(([key]) => key))]
  if (names.length === 0) return 'a list or a plain value is given whole: end the name before this part'
  const meant = nearest(
    part.toLowerCase(),
    names.map((name) => name.toLowerCase()),
  )
  return meant === null ? `keys here are ${names.join(', ')}` : `did you mean %${meant.toUpperCase()}?`
}

/** A name that the user chose, of a network or a server: as it is written, or in lower case where only that is allowed. */
const ownName = (part: string, { propertyNames }: JsonSchema): string =>
  propertyNames?.pattern === undefined || new RegExp(propertyNames.pattern, 'u').test(part) ? part : part.toLowerCase()

/** The shapes that a value can have, without the names and choices around them. */
const alternatives = (schema: JsonSchema, whole: JsonSchema): JsonSchema[] => {
  const named = schema.$ref === undefined ? schema : (whole.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {})
  const choices = named.anyOf ?? named.oneOf
  return choices ? choices.flatMap((choice) => alternatives(choice, whole)) : [named]
}

/** Two variables that differ in case alone would be one key. */
const refuseTwins = (settings: readonly Setting[]): void => {
  const names = new Map<string, string>()
  for (const { variable, path } of settings) {
    const key = path.join('.')
    const other = names.get(key)
    if (other !== undefined) throw new Problem(`${other} and ${variable} both set ${key}`, 'leave one of them out')
    names.set(key, variable)
  }
}
