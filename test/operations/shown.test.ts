import { expect, test } from 'vitest'
import { shownAs } from '../../src/operations/shown.ts'
import { operationNamed } from '../../src/operations/table.ts'

test.each<[string, Record<string, unknown>, string]>([
  ['mode', {}, '/mode'],
  ['mode', { to: 'diagnose' }, '/mode diagnose'],
  ['approve', { approval: 'k7f2q', note: 'go on' }, '/approve k7f2q "go on"'],
  ['approve', { note: 'go on' }, '/approve note="go on"'],
  ['claim', { about: 'm1', kind: 'conclusion', text: 'it said "no"' }, '/claim conclusion "it said \\"no\\"" about=m1'],
  ['claim', { kind: 'question', text: 'a=b' }, '/claim question "a=b"'],
  ['claim', { kind: 'question', text: '' }, '/claim question ""'],
  ['compact', { dry: true }, '/compact dry=true'],
  ['claim', { kind: ['x', 1] }, '/claim "[\\"x\\",1]"'],
  ['steer', { text: '🫖'.repeat(5000) }, `/steer ${'🫖'.repeat(4089)}`],
])('%s with %j is shown as a line', (name, input, line) => {
  const row = operationNamed(name)
  expect(row && shownAs(row, input)).toBe(line)
})
