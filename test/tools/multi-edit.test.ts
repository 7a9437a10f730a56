import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bench, failure } from './bench.ts'

test('makes several edits in order, each in what the one before it left, as one change', async () => {
  using it = await bench({ 'a.txt': 'one\ntwo\n' })
  const edits = [
    { old: 'one', new: 'three' },
    { old: 'three', new: 'four\nfour' },
    { old: 'four', new: 'five', all: true },
  ]
  expect(await it.multiEdit({ path: 'a.txt', edits })).toMatchObject({
    kind: 'ok',
    output: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n-one\n+five\n+five\n two\n',
    files: [{ path: 'a.txt', added: 2, removed: 1 }],
  })
  expect(readFileSync(join(it.root, 'a.txt'), 'utf8')).toBe('five\nfive\ntwo\n')
  expect(it.memory.kept.map(String)).toEqual(['one\ntwo\n', 'five\nfive\ntwo\n'])
})

test('makes none of them where one cannot be made, and says which', async () => {
  using it = await bench({ 'a.txt': 'one\ntwo\n' })
  const edits = [
    { old: 'one', new: 'three' },
    { old: 'one', new: 'four' },
  ]
  expect(await it.multiEdit({ path: 'a.txt', edits })).toEqual(failure('a.txt: edit 2: there is no such text'))
  expect([readFileSync(join(it.root, 'a.txt'), 'utf8'), it.memory.kept]).toEqual(['one\ntwo\n', []])
})

test('is what its edits come to one by one, or nothing where one of these fails', async () => {
  const word = fc.constantFrom('a', 'b', 'c', 'ab', 'a\nb', ' ', '"', '“', 'a  \n', '\r\n')
  const edit = fc.record({ old: word, new: word, all: fc.boolean() })
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.array(edit, { minLength: 1, maxLength: 4 }), async (before, edits) => {
      using it = await bench({ 'together.txt': before, 'apart.txt': before })
      const read = (name: string) => readFileSync(join(it.root, name), 'utf8')
      const together = await it.multiEdit({ path: 'together.txt', edits })
      let apart = true
      for (const one of edits) apart &&= (await it.edit({ path: 'apart.txt', ...one })).kind === 'ok'
      expect([together.kind === 'ok', read('together.txt')]).toEqual([apart, apart ? read('apart.txt') : before])
    }),
    { numRuns: process.env['BELLHOP_LONG'] ? 1000 : 150 },
  )
})
