import { type Operation, usageOf } from '../operations/operation.ts'
import { inputFrom, words } from '../operations/parse.ts'
import { operations } from '../operations/table.ts'
import type { JsonSchema } from '../shapes/json-schema.ts'
import { doorsBeside } from './beside.ts'
import { answers, type Endpoint, json, type OpenApi, parametersOf, ref } from './endpoint.ts'
import { typeName } from './names.ts'
import { schemaFor } from './protocols.ts'

const TAGS = {
  lines: 'What is said in a room, and what comes of it as it comes.',
  asking: 'What only looks. Parameters that nobody knows are errors.',
  commands: 'What changes something: it goes through the same pipeline as a line that says it, and is evidence.',
  evidence: 'To find, read, prove, keep and move evidence.',
  tokens: 'Who may come in from outside.',
  agents: 'What an agent does in its own seat, with a token that was made for it.',
} as const

type Tag = keyof typeof TAGS

/** The HTTP API, described: made from the table of operations, and from nothing else but the few doors beside it. */
export const openApi = (version: string): OpenApi => {
  const schemas = rebased(schemaFor('http').$defs ?? {})
  return {
    openapi: '3.1.1',
    info: {
      title: 'Bellhop',
      version,
      description: 'Puts AI coding agents to work behind walls; every step is evidence.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: {
      ...doorsBeside(schemas),
      ...Object.fromEntries(operations.flatMap((row) => pathsOf(row, schemas))),
    },
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

/** References as they are inside of this document. */
const rebased = (schemas: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'))

const pathsOf = (row: Operation, schemas: Record<string, JsonSchema>): [string, OpenApi['paths'][string]][] =>
  [row.name, ...(row.also ?? [])].map((name) => [
    `/api/${name}`,
    row.reads ? { get: readOf(row, name, schemas) } : { post: commandOf(row, name, schemas) },
  ])

const readOf = (row: Operation, name: string, schemas: Record<string, JsonSchema>): Endpoint => ({
  ...aboutOf(row, name),
  parameters: parametersOf(schemas[`${typeName(row.name)}Input`], exampleOf(row)),
  responses: answers(json(ref(`${typeName(row.name)}Answer`))),
})

const commandOf = (row: Operation, name: string, schemas: Record<string, JsonSchema>): Endpoint => {
  const schema = ref(`${typeName(row.name)}Input`)
  return {
    ...aboutOf(row, name),
    ...(row.agents ? {} : { parameters: parametersOf(schemas['Aimed']) }),
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(row) } } },
    responses: answers(
      json(ref(`${typeName(row.name)}Answer`)),
      row.agents ? 'The answer.' : 'The receipt; and the output, where it was carried out just now.',
    ),
  }
}

const aboutOf = (row: Operation, name: string) => ({
  operationId: name,
  tags: [tagOf(row)],
  summary: row.summary,
  description: row.agents
    ? 'For agents: it takes a token that was made for one.'
    : `As a command: \`/${usageOf(row)}\`. Needs the role ${row.role}.`,
})

const tagOf = ({ group, agents, reads }: Operation): Tag => {
  if (group === 'evidence') return 'evidence'
  if (group === 'token') return 'tokens'
  if (agents) return 'agents'
  return reads ? 'asking' : 'commands'
}

/** A row's own example as an input: what it names, without what follows by default. */
const exampleOf = (row: Operation): Record<string, unknown> => {
  const input = inputFrom(row, words(row.example).slice(1))
  const isSaid = ([key, value]: [string, unknown]) => row.input.shape[key]?.safeParse(undefined).data !== value
  return input.ok ? Object.fromEntries(Object.entries(input.value).filter(isSaid)) : {}
}
