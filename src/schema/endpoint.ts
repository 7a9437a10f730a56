import type { JsonSchema } from '../shapes/json-schema.ts'

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

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } })

const PROBLEM: Answer = {
  description: 'A refusal: its code, what was wrong, and what to do about it.',
  content: { 'application/problem+json': { schema: ref('ProblemDetails') } },
}

export const answers = (content: Content, description = 'The answer.'): Endpoint['responses'] => ({
  '200': { description, content },
  default: PROBLEM,
})

export const parametersOf = (schema: JsonSchema = {}, example: Record<string, unknown> = {}): Parameter[] =>
  Object.entries(schema.properties ?? {}).map(([name, { description, ...of }]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) === true,
    ...(description === undefined ? {} : { description }),
    schema: of,
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }))
