import type { JsonSchema } from '../shapes/json-schema.ts'
import { answers, type Endpoint, json, type OpenApi, type Parameter, parametersOf, ref } from './endpoint.ts'

/** The doors that are in no table: health, lines of chat, and the streams. */
export const doorsBeside = (schemas: Record<string, JsonSchema>): OpenApi['paths'] => ({
  '/healthz': { get: alive },
  '/readyz': { get: health },
  '/api/say': { post: say },
  '/api/follow': { get: follow(schemas) },
  '/api/items': { get: items(schemas) },
  '/api/tail': { get: tail(schemas) },
  '/api/export': { get: exported(schemas) },
  '/api/upload': { post: bring, get: brought },
})

const alive: Endpoint = {
  operationId: 'alive',
  tags: ['asking'],
  summary: 'whether the process is there; for everybody',
  security: [],
  responses: { '200': { description: 'It is there, and its event loop turns.', content: json(ref('Alive')) } },
}

const health: Endpoint = {
  operationId: 'health',
  tags: ['asking'],
  summary: 'whether it can take work, and why not; for everybody',
  security: [],
  responses: {
    '200': { description: 'It is ready.', content: json(ref('Health')) },
    '503': { description: 'It is not ready: the reasons say why.', content: json(ref('Health')) },
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

const file = parametersOf(
  {
    properties: {
      room: { type: 'string', default: 'lobby', description: 'which room' },
      name: { type: 'string', description: 'what it is called' },
    },
    required: ['name'],
  },
  { room: 'lobby', name: 'test.log' },
)

const bring: Endpoint = {
  operationId: 'bring',
  tags: ['lines'],
  summary: 'bring a file to a room, for its agents to read',
  description: 'Up to 10 MB. It is kept under `upload:NAME`, which is the path that the tools read and grep take.',
  parameters: file,
  requestBody: {
    required: true,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
  responses: answers(
    json({
      type: 'object',
      properties: { path: { type: 'string' }, bytes: { type: 'integer' }, hash: { type: 'string' } },
      required: ['path', 'bytes', 'hash'],
    }),
    'Where it is, and what it is by its hash: it is in the evidence.',
  ),
}

const brought: Endpoint = {
  operationId: 'brought',
  tags: ['lines'],
  summary: 'a file that was brought to a room, by its name there',
  parameters: file,
  responses: answers({ 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }, 'The file.'),
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

/** What evidence can be looked for by, and from where. */
const filtersOf = (schemas: Record<string, JsonSchema>): Record<string, JsonSchema> => {
  const { properties = {} } = schemas['EvidenceInput'] ?? {}
  const { order: _order, limit: _limit, ...filters } = properties
  return filters
}

const exported = (schemas: Record<string, JsonSchema>): Endpoint => {
  const { cursor: _cursor, ...filters } = filtersOf(schemas)
  return {
    operationId: 'export',
    tags: ['lines'],
    summary: 'evidence that matches as a file, a line of JSON for each entry',
    description:
      'Without a filter it is all there is, as `bellhop evidence import` takes it. The last line says that the file is whole.',
    parameters: parametersOf({ properties: filters }, { tool: 'read' }),
    responses: answers({ 'application/x-ndjson': { schema: ref('Entry') } }, 'The lines.'),
  }
}

const SEEN: JsonSchema = {
  type: 'string',
  description: 'the id of the entry at the cursor: where another is there now, the evidence was replaced',
}

const tail = (schemas: Record<string, JsonSchema>): Endpoint => {
  const filters = filtersOf(schemas)
  return streamOf(
    {
      name: 'tail',
      summary: 'evidence that matches, as it is written',
      input: 'Tail',
      event: 'entry',
      data: 'Entry',
      example: { tool: 'read' },
    },
    { Tail: { properties: { ...filters, seen: SEEN } } },
  )
}
