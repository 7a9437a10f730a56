import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { ROOT } from './sources.ts'

const PLUGIN = 'test/architecture/receipts.grit'

/** Statements that throw a receipt away, whatever the store is called and wherever they stand. */
const DROPPED = [
  'await store.append([])',
  'void store.append([])',
  'await store.append([draft], fence)',
  'await parts.store.append([])',
  'await (await open()).append([])',
  'await store.appendAnd([], also)',
  'void store.appendAnd([], also)',
  'await store.adopt([])',
  'void parts.store.adopt(entries)',
  'if (late) await store.append([])',
  'for (const draft of drafts) await store.append([draft])',
  'try { await store.append([]) } finally { close() }',
]

/** What somebody looks at, and what is no append. */
const HANDLED = [
  'const kept = await store.append([])',
  'let one = await store.appendAnd([], also)',
  'kept = await store.append([])',
  'if (!(await store.append([])).ok) throw new Error()',
  'must(await store.append([]))',
  'told.push(await store.adopt([]))',
  'const refusal = (await store.append([draft])).refusal',
  'const all = await Promise.all(drafts.map((draft) => store.append([draft])))',
  'const write = () => store.append([])',
  'const later = async () => { return await store.append([]) }',
  'await store.close()',
  'await list.appendChild(item)',
]

const lines = [...DROPPED, ...HANDLED]
const program = ['export const f = async () => {', ...lines, '}', ''].join('\n')

/** The lines of a program that the lint of this repository finds fault with, by the plugin's message. */
const flaggedIn = async (text: string): Promise<{ line: string | undefined; message: string }[]> => {
  using folder = scratch()
  for (const file of ['biome.json', PLUGIN]) {
    mkdirSync(join(folder.path, dirname(file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(folder.path, file))
  }
  folder.write('src/x.ts', text)
  const args = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', 'src/x.ts']
  const options = { cwd: folder.path, reject: false }
  const { stdout, exitCode } = await execa(join(ROOT, 'node_modules/.bin/biome'), args, options)
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
  const found = diagnostics.filter(({ category }) => category === 'plugin')
  expect([exitCode, new Set(found.map(({ severity }) => severity))]).toEqual([1, new Set(['error'])])
  return found.map(({ message, location }) => ({ line: text.split('\n')[location.start.line - 1], message }))
}

type Diagnostic = { category: string; severity: string; message: string; location: { start: { line: number } } }

test('a receipt that a statement throws away fails the lint, and one that is looked at does not', async () => {
  const message = 'The receipt of an append must be handled: it may be a refusal.'
  expect(await flaggedIn(program)).toEqual(DROPPED.map((line) => ({ line, message })))
})
