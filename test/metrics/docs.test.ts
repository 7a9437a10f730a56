import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rows } from '../../src/metrics/table.ts'
import { sourcesIn } from '../architecture/sources.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const names = Object.keys(rows)

/** The metrics of ours that a text names, histograms by their own name. */
const namedIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\bbellhop_[a-z_]+(?!\$)/g)].map(([name]) => name))]
    .map((name) => name.replace(/_(?:bucket|count|sum)$/, (end, at) => (name.slice(0, at) in rows ? '' : end)))
    .sort()

test('the docs have every metric, with its kind, labels and what it says', () => {
  const lines = [...read('docs/observing.md').matchAll(/^\| `(bellhop_\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)]
  expect(lines.map(([, name, kind, labels, help]) => ({ name, kind, labels, help }))).toEqual(
    Object.entries(rows).map(([name, { kind, labels, help, house }]) => ({
      name,
      kind,
      labels: labels.map((label) => `\`${label}\``).join(', ') || '–',
      help: `${help}${house ? '; of the whole instance' : ''}`,
    })),
  )
})

test('every metric is counted somewhere, and nothing else is', () => {
  const code = sourcesIn('src')
    .filter(({ file }) => file !== 'src/metrics/table.ts')
    .map(({ text }) => text)
    .join('\n')
  expect(namedIn(code)).toEqual([...names].sort())
})

test('the dashboard shows every metric, and the rules name none that there is not', () => {
  const dashboard = read('docs/deploy/grafana/bellhop.json')
  expect([...new Set(namedIn(dashboard))]).toEqual([...names].sort())
  expect(namedIn(read('docs/deploy/prometheus/bellhop.rules.yml')).filter((name) => !names.includes(name))).toEqual([])
})

test('what every program counts of itself is asked for of ours alone', () => {
  const texts = [
    read('docs/deploy/grafana/bellhop.json').replaceAll('\\"', '"'),
    read('docs/deploy/prometheus/bellhop.rules.yml'),
  ]
  const asked = texts.flatMap((text) => [...text.matchAll(/\b(?:process|nodejs)_[a-z0-9_]+(.{14}|)/g)])
  expect(asked.length).toBeGreaterThan(6)
  expect(asked.filter(([, rest]) => rest !== '{job="bellhop"').map(([text]) => text)).toEqual([])
})

test('every alert has a paragraph that says what to do, and every paragraph an alert', () => {
  const alerts = [...read('docs/deploy/prometheus/bellhop.rules.yml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name,
  )
  const told = [...read('docs/observing.md').matchAll(/^### (Bellhop\w+)\n\S/gm)].map(([, name]) => name)
  expect(told).toEqual(alerts)
})
