import { type Operation, usageOf } from '../operations/operation.ts'
import { inputFrom, words } from '../operations/parse.ts'
import { operations } from '../operations/table.ts'
import type { JsonSchema } from './json-schema.ts'
import { typeName } from './names.ts'
import { schemaFor } from './protocols.ts'

export type Parameter = {
  name: string
  in: 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}
type Content = Record<string, { schema: JsonSchema; example?: unknown }>
type Answer = { description: string; content: Content }

/** One thing that can be asked at an address. */
export type Endpoint = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: []
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer>
}

export type OpenApi = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<'get' | 'post', Endpoint>>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, Record<string, string>> }
}

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
      '/healthz': { get: health },
      '/api/say': { post: say },
      '/api/follow': { get: follow(schemas) },
      '/api/items': { get: items(schemas) },
      '/api/tail': { get: tail(schemas) },
      ...Object.fromEntries(operations.flatMap((row) => pathsOf(row, schemas))),
    },
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

/** References as they are inside of this document. */
const rebased = (schemas: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'))

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } })

const PROBLEM: Answer = {
  description: 'A refusal: its code, what was wrong, and what to do about it.',
  content: { 'application/problem+json': { schema: ref('ProblemDetails') } },
}

const answers = (content: Content, description = 'The answer.'): Endpoint['responses'] => ({
  '200': { description, content },
  default: PROBLEM,
})

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

const parametersOf = (schema: JsonSchema = {}, example: Record<string, unknown> = {}): Parameter[] =>
  Object.entries(schema.properties ?? {}).map(([name, { description, ...of }]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) === true,
    ...(description === undefined ? {} : { description }),
    schema: of,
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }))

const health: Endpoint = {
  operationId: 'health',
  tags: ['asking'],
  summary: 'whether the instance is ready; for everybody',
  security: [],
  responses: {
    '200': { description: 'It is ready.', content: json(ref('Health')) },
    '503': { description: 'It is not ready.', content: json(ref('Health')) },
  },
}

const say: Endpoint = {
  operationId: 'say',
  tags: ['lines'],
  summary: 'say a line in a room: work for an agent, a command, or talk',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: ref('SayInput'),
        example: { room: 'lobby', text: '@claude where is the retry logic?' },
      },
    },
  },
  responses: answers(json(ref('SayAnswer')), 'The receipt: it is in the evidence.'),
}

const resume: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'the id of the last event that was seen: it goes on after that',
  schema: { type: 'string' },
}

type Stream = {
  name: string
  summary: string
  input: string
  event: string
  data: string
  example: Record<string, unknown>
}

/** A stream of server-sent events. */
const streamOf = (
  { name, summary, input, event, data, example }: Stream,
  schemas: Record<string, JsonSchema>,
): Endpoint => ({
  operationId: name,
  tags: ['lines'],
  summary,
  description: `Server-sent events. The data of each event \`${event}\` is one \`${data}\` as JSON.`,
  parameters: [...parametersOf(schemas[input], example), resume],
  responses: answers({ 'text/event-stream': { schema: ref(data) } }, 'The events, until either side ends it.'),
})

const follow = (schemas: Record<string, JsonSchema>): Endpoint =>
  streamOf(
    {
      name: 'follow',
      summary: 'what a room reads, as it comes',
      input: 'FollowInput',
      event: 'post',
      data: 'Post',
      example: { room: 'lobby' },
    },
    schemas,
  )

const items = (schemas: Record<string, JsonSchema>): Endpoint =>
  streamOf(
    {
      name: 'items',
      summary: 'the items of a turn until it ends, or of a room, as they come',
      input: 'ItemsInput',
      event: 'item',
      data: 'ItemEvent',
      example: { room: 'lobby' },
    },
    schemas,
  )

const tail = (schemas: Record<string, JsonSchema>): Endpoint => {
  const { properties = {} } = schemas['EvidenceInput'] ?? {}
  const { order: _order, limit: _limit, ...filters } = properties
  return streamOf(
    {
      name: 'tail',
      summary: 'evidence that matches, as it is written',
      input: 'Tail',
      event: 'entry',
      data: 'Entry',
      example: { tool: 'read' },
    },
    { Tail: { properties: filters } },
  )
}
