import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentOf, type LoadSeen } from './load-document.ts'
import { slopeOf, spreadOf } from './load-numbers.ts'

const recorded = (name: string): string => readFileSync(join(import.meta.dirname, 'recorded', name), 'utf8')

test('the document of a run and its pictures are made from what was recorded of it, to the byte', () => {
  const { text, images } = documentOf(JSON.parse(recorded('seen.json')) as LoadSeen)
  const names = ['performance-history.svg', 'performance-mix.svg', 'performance-workers.svg']
  expect({ text, images }).toEqual({
    text: recorded('performance.md'),
    images: Object.fromEntries(names.map((name) => [name, recorded(name)])),
  })
})

test('of what was measured the middle, the worst in a hundred and the worst are told, and how it grows', () => {
  const took = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect([spreadOf(took), spreadOf([])]).toEqual([
    { count: 100, p50: 51, p90: 91, p99: 100, max: 100 },
    { count: 0, p50: 0, p90: 0, p99: 0, max: 0 },
  ])
  const line = [0, 1, 2, 3].map((x) => [x, 2 * x + 1] as const)
  expect([slopeOf(line), slopeOf([[1, 1]]), slopeOf([])]).toEqual([2, 0, 0])
})
