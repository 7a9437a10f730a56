import { expect, test } from 'vitest'
import { wrongArguments } from '../../src/sources/arguments.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }

test('arguments are held against the schema of their tool', () => {
  expect([wrongArguments(SCHEMA, { n: 1 }), wrongArguments({}, { any: 'thing' })]).toEqual([null, null])
  expect(wrongArguments(SCHEMA, { n: 0 })).toMatch(/0 is less than 1/)
  expect(wrongArguments(SCHEMA, {})).toMatch(/required property "n"/)
})

const doubled = (depth: number) => {
  const parts = Array.from({ length: depth }, (_, i) => [
    `p${i}`,
    { allOf: [{ $ref: `#/$defs/p${i + 1}` }, { $ref: `#/$defs/p${i + 1}` }] },
  ])
  return { $ref: '#/$defs/p0', $defs: { ...Object.fromEntries(parts), [`p${depth}`]: {} } }
}

test.each([
  ['a pattern that goes astray', { properties: { s: { pattern: '^(a+)+$' } } }],
  ['parts that refer to each other again and again', doubled(40)],
  ['a part that refers to itself', { $ref: '#' }],
  ['a part that is nowhere', { $ref: 'https://example.com/schema.json' }],
  ['a type that there is not', { $schema: 'https://example.com/mine' }],
  ['a pattern that is none', { properties: { s: { pattern: '(' } } }],
])('a schema with %s keeps nobody busy: the arguments do not fit it', (_what, schema) => {
  expect(wrongArguments(schema, { s: `${'a'.repeat(40)}!` })).toMatch(/^its schema cannot be held against them: /)
})
