import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { Claim, EventName, EvidenceType, events } from '../../src/shapes/evidence.ts'
import { ToolName } from '../../src/shapes/peripheral.ts'
import { RefusalCode, refusals } from '../../src/shapes/refusal.ts'
import { tools } from '../../src/tools/table.ts'
import { ROOT, sourcesIn } from './sources.ts'

const behaviour = [...sourcesIn('src'), ...sourcesIn('adapters')].filter(({ file }) => !file.startsWith('src/shapes/'))
const usedSomewhere = (text: string): boolean => behaviour.some((source) => source.text.includes(text))

test('every refusal that is declared is given somewhere', () => {
  expect(RefusalCode.options.filter((code) => !usedSomewhere(`'${code}'`))).toEqual([])
})

test('every event that is declared is written somewhere', () => {
  expect(EventName.options.filter((event) => !usedSomewhere(`event: '${event}'`))).toEqual([])
})

test('every type and claim of evidence is carried by an event', () => {
  const carried = Object.values(events).flatMap(({ type, claim }): string[] => [type, claim])
  expect([...EvidenceType.options, ...Claim.options].filter((name) => !carried.includes(name))).toEqual([])
})

test('every tool is behind the gate and in the wall of some peripheral', () => {
  const walls = [
    ...loadPeripherals(join(ROOT, 'config/peripherals'), null, { checks: {}, deploys: {} }).values(),
  ].flatMap((spec) => spec.tools)
  expect([Object.keys(tools).sort(), [...new Set(walls)].sort()]).toEqual([
    [...ToolName.options].sort(),
    [...ToolName.options].sort(),
  ])
})

test('docs/errors.md lists every refusal as it is', () => {
  const rows = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const expected = Object.entries(refusals).map(
    ([code, { status, remedy }]) => `| \`${code}\` | ${status} | ${remedy} |`,
  )
  expect(rows).toEqual(expected)
})

test('the sources say nothing of who makes them, and nothing unfinished', () => {
  const offenders = sourcesIn('src').filter(({ text }) =>
    /\b(?:TODO|FIXME|XXX)\b(?!')|not implemented|as any\b|@ts-ignore/.test(text),
  )
  expect(offenders.map(({ file }) => file)).toEqual([])
})
