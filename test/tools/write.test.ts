import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ok } from '../../src/shapes/result.ts'
import { write } from '../../src/tools/write.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { wall } from '../support/explore.ts'
import { bench, failure } from './bench.ts'

const state = (text: string) => stateOf(Buffer.from(text), false)

test('makes a file, with the folders it needs', async () => {
  using it = await bench()
  expect(await it.writeFile({ path: 'src/deep/a.ts', text: 'one\ntwo\n' })).toEqual({
    kind: 'ok',
    output: 'Made src/deep/a.ts, 2 lines.',
    paths: ['src/deep/a.ts'],
    cut: null,
    changed: ['src/deep/a.ts'],
    files: [{ path: 'src/deep/a.ts', before: null, after: state('one\ntwo\n'), added: 2, removed: 0 }],
  })
  expect(readFileSync(join(it.root, 'src/deep/a.ts'), 'utf8')).toBe('one\ntwo\n')
  expect(it.memory.kept.map(String)).toEqual(['one\ntwo\n'])
})

test('replaces a file only where the session has seen it as it is', async () => {
  using it = await bench({ 'a.txt': 'one\n' })
  const write = (text: string) => it.writeFile({ path: 'a.txt', text })
  expect(await write('mine\n')).toEqual(failure('a.txt is there already: read it first'))
  await it.read({ path: 'a.txt' })
  writeFileSync(join(it.root, 'a.txt'), 'theirs\n')
  expect(await write('mine\n')).toEqual(failure('a.txt is not what this session saw: read it again'))
  await it.read({ path: 'a.txt', lines: 1 })
  expect(await write('mine\n')).toEqual({
    kind: 'ok',
    output: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-theirs\n+mine\n',
    paths: ['a.txt'],
    cut: null,
    changed: ['a.txt'],
    files: [{ path: 'a.txt', before: state('theirs\n'), after: state('mine\n'), added: 1, removed: 1 }],
  })
  expect(await write('mine\n')).toEqual(failure('a.txt has just this text already'))
  expect(await write('mine again\n')).toMatchObject({ kind: 'ok' })
})

test('a file that came in between is not replaced', async () => {
  using it = await bench()
  const between = () => writeFileSync(join(it.root, 'a.txt'), 'theirs\n')
  expect(await it.writeFile({ path: 'a.txt', text: 'mine\n' }, { between })).toEqual(
    failure('a.txt is there already: read it first'),
  )
  expect([readdirSync(it.root), readFileSync(join(it.root, 'a.txt'), 'utf8')]).toEqual([['a.txt'], 'theirs\n'])
})

test('nor is a link that came in between followed', async () => {
  using it = await bench()
  const outside = it.write('outside.txt', 'theirs\n')
  const between = () => symlinkSync(outside, join(it.root, 'a.txt'))
  expect(await it.writeFile({ path: 'a.txt', text: 'mine\n' }, { between })).toEqual(
    failure('cannot read a.txt: ELOOP'),
  )
  expect(readFileSync(outside, 'utf8')).toBe('theirs\n')
})

test('writes at most five megabytes, of text', async () => {
  using it = await bench()
  const invalid = { refusal: { code: 'arguments-invalid' } }
  expect(await it.writeFile({ path: 'a.txt', text: 'x'.repeat(5_000_001) })).toMatchObject(invalid)
  expect(await it.writeFile({ path: 'a.txt', text: '€'.repeat(1_700_000) })).toMatchObject(invalid)
  expect(await it.writeFile({ path: 'a.txt', text: 'a\0' })).toMatchObject(invalid)
  expect(await it.writeFile({ path: 'a.txt', text: 'x'.repeat(5_000_000) })).toMatchObject({ kind: 'ok' })
})

test('a text that has nothing in common with the one before is shown as that, without end', async () => {
  const [old, fresh] = ['a', 'b'].map((sign) => Array.from({ length: 5000 }, (_, i) => `${sign}${i}\n`).join(''))
  using it = await bench({ 'a.txt': old ?? '' })
  await it.read({ path: 'a.txt', lines: 1 })
  expect(await it.writeFile({ path: 'a.txt', text: fresh })).toMatchObject({
    kind: 'ok',
    files: [{ added: 5000, removed: 5000 }],
    spill: 'spill:1',
  })
})

test('is refused where nothing may be written', async () => {
  using it = await bench({ 'docs/a.md': '' })
  const refused = { refusal: { code: 'out-of-scope' } }
  const scope = { write: ['src/**'] }
  for (const path of ['docs/b.md', '../b.md', 'src/.env', 'src/.git/hooks/x', 'src/.Git/x', '.'])
    expect(await it.writeFile({ path, text: 'x' }, { scope })).toMatchObject(refused)
  expect(await it.writeFile({ path: 'docs', text: 'x' })).toEqual(failure('docs is a folder'))
})

test('that asks for more asks a person, and says why', () => {
  const spec = wall()
  expect(write.reach({ path: 'a', text: '', escalate: { why: 'it must be' } }, spec)).toEqual(
    ok({ reads: ['a'], writes: ['a'], ask: 'it must be' }),
  )
  expect(write.reach({ path: 'a', text: '' }, spec)).toEqual(ok({ reads: ['a'], writes: ['a'], ask: null }))
})
