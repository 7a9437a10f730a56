import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/load.ts'
import { Problem } from '../../src/lib/problem.ts'
import { checkExamples } from '../../src/peripherals/examples.ts'
import { openWorkspace } from '../../src/tools/paths.ts'
import { scratch } from '../support/folder.ts'

const CONFIG = join(import.meta.dirname, '../../config')

/** The shipped config with a line of explore.yaml put in place of another, checked as it is when Bellhop starts. */
const check = async (line = '', instead = ''): Promise<{ message: string; fix: string } | null> => {
  using folder = scratch()
  cpSync(CONFIG, join(folder.path, 'config'), { recursive: true })
  const text = readFileSync(join(CONFIG, 'peripherals/explore.yaml'), 'utf8')
  if (!text.includes(line)) throw new Error(`explore.yaml has no line ${line}`)
  folder.write('config/peripherals/explore.yaml', text.replace(line, instead))
  folder.write('ws/src/a.ts', 'export {}\n')
  const workspace = await openWorkspace(join(folder.path, 'ws'), [join(folder.path, 'ws/.bellhop')])
  try {
    for (const spec of loadPeripherals(join(folder.path, 'config')).values()) await checkExamples(spec, workspace)
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, fix: error.fix }
    throw error
  }
  return null
}

test('the examples of every shipped peripheral hold', async () => {
  expect(await check()).toBeNull()
})

test.each([
  [
    'that should be allowed and is outside',
    'args: { path: README.md } }',
    'args: { path: ../README.md } }',
    '"a file of the workspace" should be allowed, but: ../README.md is outside of what explore may touch: the workspace',
  ],
  [
    'that should be allowed and lies in the data folder',
    'args: { path: README.md } }',
    'args: { path: .bellhop/secrets.json } }',
    '"a file of the workspace" should be allowed, but: .bellhop/secrets.json is outside of what explore may touch: the workspace',
  ],
  [
    'that should be allowed and is of a tool the spec lost',
    'tools: [read, glob, grep]',
    'tools: [read, grep]',
    '"a pattern over all files" should be allowed, but: explore has no tool glob; it has read, grep',
  ],
  [
    'that should be refused and is inside',
    'path: ../outside.txt',
    'path: outside.txt',
    '"a path that climbs out" should be refused, but the gate lets it through',
  ],
  [
    'that should be refused and climbs back in',
    'path: src/../..',
    'path: src/../src',
    '"a search that climbs out" should be refused, but the gate lets it through',
  ],
])('an example %s keeps Bellhop from starting', async (_what, line, instead, told) => {
  expect(await check(line, instead)).toEqual({
    message: `config/peripherals/explore.yaml: ${told}`,
    fix: 'correct the example, or the spec it belongs to',
  })
})
