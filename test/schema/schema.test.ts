import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/operations/table.ts'
import { jsonFiles, tsFiles } from '../../src/schema/files.ts'
import { schemaOf } from '../../src/schema/json-schema.ts'
import { openApi } from '../../src/schema/openapi.ts'
import { protocols, schemaFor } from '../../src/schema/protocols.ts'
import { typeOf } from '../../src/schema/typescript.ts'
import { events } from '../../src/shapes/evidence.ts'
import type { JsonSchema } from '../../src/shapes/json-schema.ts'
import { RefusalCode } from '../../src/shapes/refusal.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'docs/schemas')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

describe('what is generated', () => {
  const files = { ...jsonFiles(version), ...tsFiles() }

  test.each(Object.entries(files))('%s is what lies in docs/schemas: else run `npm run schema`', (name, text) => {
    expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text)
  })

  test('is all that lies there', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(files).sort())
  })
})

/** Every reference in a document. */
const refsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(refsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => (key === '$ref' ? [String(one)] : refsIn(one)))
}

const at = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document)

describe('the schemas', () => {
  test.each(Object.keys(protocols))('%s: every reference leads somewhere, and everything is of use', (name) => {
    const schema = schemaFor(name)
    const refs = new Set(refsIn(schema))
    expect([...refs].filter((ref) => at(schema, ref) === undefined)).toEqual([])
    const used = new Set([...refs].map((ref) => ref.slice('#/$defs/'.length)))
    const parts = Object.keys(protocols[name]?.parts ?? {})
    expect(Object.keys(schema.$defs ?? {}).filter((def) => !used.has(def) && !parts.includes(def))).toEqual([])
  })

  test('one name is one shape, in every protocol', () => {
    const shapes = new Map<string, Set<string>>()
    for (const name of Object.keys(protocols)) {
      for (const [def, schema] of Object.entries(schemaFor(name).$defs ?? {})) {
        shapes.set(def, (shapes.get(def) ?? new Set()).add(JSON.stringify(schema)))
      }
    }
    expect([...shapes].filter(([, variants]) => variants.size > 1).map(([def]) => def)).toEqual([])
  })

  test('have every event of the evidence, and every code of a refusal', () => {
    const { $defs = {} } = schemaFor('evidence')
    expect($defs['EvidenceBody']?.oneOf?.map(({ $ref }) => at({ $defs }, $ref ?? '')).map(eventIn)).toEqual(
      expect.arrayContaining(Object.keys(events)),
    )
    expect($defs['RefusalCode']?.enum).toEqual(RefusalCode.options)
  })
})

const eventIn = (schema: unknown): unknown => (schema as JsonSchema).properties?.['event']?.const

describe('the description of the HTTP API', () => {
  const description = openApi(version)
  const endpoints = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ path, method, endpoint })),
  )

  test('has every row of the table at its addresses, by the method that it has', () => {
    const rows = operations.flatMap(({ name, also = [], reads }) =>
      [name, ...also].map((one) => `${reads ? 'get' : 'post'} /api/${one}`),
    )
    const beside = [
      'get /healthz',
      'get /readyz',
      'post /api/say',
      'get /api/follow',
      'get /api/items',
      'get /api/tail',
      'get /api/export',
      'post /api/upload',
      'get /api/upload',
    ]
    expect(endpoints.map(({ path, method }) => `${method} ${path}`)).toEqual([...beside, ...rows])
  })

  test('leads nowhere that is nothing, and names nothing twice', () => {
    expect(refsIn(description).filter((ref) => at(description, ref) === undefined)).toEqual([])
    const ids = endpoints.map(({ endpoint }) => endpoint.operationId)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('says of every address how it refuses', () => {
    const without = endpoints.filter(({ endpoint }) => !endpoint.responses['default']).map(({ path }) => path)
    expect(without).toEqual(['/healthz', '/readyz'])
  })

  test('gives examples that fit', () => {
    const wrong = endpoints.flatMap(({ path, endpoint }) => {
      const row = operations.find(({ name }) => path === `/api/${name}`)
      const queried = (endpoint.parameters ?? []).flatMap(({ name, example }) =>
        example === undefined ? [] : [[name, example]],
      )
      const example = endpoint.requestBody?.content['application/json']?.example ?? Object.fromEntries(queried)
      return row && needs(row.name) && !row.input.safeParse(example).success ? [path] : []
    })
    expect(wrong).toEqual([])
  })
})

/** An example of a call has no arguments that a line could show. */
const needs = (name: string): boolean => name !== 'act'

describe('a type', () => {
  test.each<[string, z.ZodType, string]>([
    ['text', z.string().min(1), 'string'],
    ['a number', z.int(), 'number'],
    ['one of several', z.enum(['a', 'b']), '"a" | "b"'],
    ['something or nothing', z.boolean().nullable(), 'boolean | null'],
    ['a list', z.array(z.union([z.string(), z.int()])), 'Array<string | number>'],
    ['a pair', z.tuple([z.string(), z.int()]), '[string, number]'],
    ['anything', z.unknown(), 'unknown'],
    ['by name', z.record(z.string(), z.int()), 'Record<string, number>'],
    ['nothing at all', z.strictObject({}), 'Record<string, never>'],
    [
      'with parts',
      z.strictObject({ a: z.string().describe('what */ it is'), 'b-c': z.strictObject({ d: z.int() }).optional() }),
      '{\n  /** what * / it is */\n  a: string\n  "b-c"?: {\n    d: number\n  } | undefined\n}',
    ],
  ])('that is %s is printed as such', (_what, shape, expected) => {
    expect(typeOf(schemaOf(shape, 'input'))).toBe(expected)
  })

  test('that has a name is printed by it', () => {
    const { $ref = '' } = schemaOf(z.strictObject({ entry: events.message.body }), 'output').properties?.['entry'] ?? {}
    expect(typeOf({ $ref })).toBe('MessageBody')
  })
})
