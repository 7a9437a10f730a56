import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from '../../src/tools/rules.ts'
import { ROOT } from '../architecture/sources.ts'

/** The rules as the docs list them, each with its codes. */
const listed = [
  ...readFileSync(join(ROOT, 'docs/peripherals.md'), 'utf8').matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \|$/gm),
].map(([, rule, codes = '']) => [Number(rule), [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code)] as const)

test('each code has the number of a rule that the docs list it under, and every code that they list has one', () => {
  expect(listed.map(([rule]) => rule)).toEqual(Array.from({ length: 15 }, (_none, i) => i + 1))
  const codes = [...new Set(listed.flatMap(([, all]) => all))].sort()
  expect(Object.keys(RULES).sort()).toEqual(codes)
  const wrong = Object.entries(RULES).filter(([code, rule]) => !listed[rule - 1]?.[1].includes(code))
  expect(wrong).toEqual([])
})
