import { cpSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import type { StepReport } from '../../../src/shapes/turn.ts'
import { readReport } from '../../../src/tools/reports.ts'
import { scratch } from '../../support/folder.ts'
import { drive, look, placeAt } from './driver.ts'

// a busy machine may take its time

const TEAPOT = fileURLToPath(new URL('../../../docs/demo/teapot', import.meta.url))

/** The tools of edit and test over a copy of the teapot: the edits and the test runs are real, and there is no wall. */
const perform = async (root: string, { tool, args }: ToolCall): Promise<StepReport> => {
  if (tool === 'edit') return edit(root, args as { path: string; old: string; new: string })
  if (tool === 'run') return run(root, args['argv'] as string[])
  return tool === 'hop' ? { kind: 'ok', output: '', paths: [], cut: null } : look(root, { tool, args })
}

const edit = async (
  root: string,
  { path, old, new: text }: { path: string; old: string; new: string },
): Promise<StepReport> => {
  const before = await readFile(join(root, path), 'utf8')
  if (before.split(old).length !== 2) return { kind: 'failed', message: `${path} does not have it once` }
  await writeFile(join(root, path), before.replace(old, text))
  return { kind: 'ok', output: '', paths: [path], cut: null, changed: [path] }
}

const run = async (root: string, [program = '', ...args]: string[]): Promise<StepReport> => {
  const { exitCode = null, all } = await execa(program, args, { cwd: root, reject: false, all: true })
  const report = readReport(all, exitCode)
  const result = {
    argv: [program, ...args],
    for: 'test',
    exit: exitCode,
    ended: 'exit',
    report,
    commit: null,
    pushed: [],
  } as const
  return { kind: 'ok', output: all, paths: [], cut: null, run: { ...result, argv: [...result.argv], pushed: [] } }
}

test('the teapot has one test that fails, until the demo changes what it is about', async () => {
  using folder = scratch()
  cpSync(TEAPOT, folder.path, { recursive: true })
  const ask = (request: string) =>
    drive(request, { place: placeAt('edit', 'read', 'edit', 'hop'), perform: (call) => perform(folder.path, call) })

  expect((await ask('run the tests')).answer.split('\n')).toEqual([
    'rehearsal, no model: the tests fail: 4 passed, 1 failed (npm test):',
    '  green tea steeps for less time than black tea',
  ])
  const { steps, answer } = await ask('@codex replace "green: 4" with "green: 2" in src/brew.js, then run the tests')
  expect(steps).toEqual([
    { tool: 'read', args: { path: 'src/brew.js' } },
    { tool: 'edit', args: { path: 'src/brew.js', old: 'green: 4', new: 'green: 2' } },
    { tool: 'hop', args: { to: 'test' } },
    { tool: 'read', args: { path: 'package.json' } },
    { tool: 'run', args: { argv: ['npm', 'test'] } },
  ])
  expect(answer.split('\n')).toEqual([
    'rehearsal, no model: changed src/brew.js.',
    'hopped to test.',
    'the tests pass: 5 passed, 0 failed (npm test).',
  ])
})
