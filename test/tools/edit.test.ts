import { chmodSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../../src/workspace/state.ts'
import { swapping } from '../workspace/swapping.ts'
import { type Bench, bench, failure } from './bench.ts'

const state = (text: string) => stateOf(Buffer.from(text), false)
const textOf = (it: Bench, name: string) => readFileSync(join(it.root, name), 'utf8')

test('puts a text in the place of another, shows the difference, and keeps both contents', async () => {
  using it = await bench({ 'src/a.ts': 'one\ntwo\nthree\n' })
  expect(await it.edit({ path: './src/a.ts', old: 'two', new: 'TWO\nand a half' })).toEqual({
    kind: 'ok',
    output:
      'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+and a half\n three\n',
    paths: ['src/a.ts'],
    cut: null,
    changed: ['src/a.ts'],
    files: [
      {
        path: 'src/a.ts',
        before: state('one\ntwo\nthree\n'),
        after: state('one\nTWO\nand a half\nthree\n'),
        added: 2,
        removed: 1,
      },
    ],
  })
  expect(textOf(it, 'src/a.ts')).toBe('one\nTWO\nand a half\nthree\n')
  expect(it.memory.kept.map(String)).toEqual(['one\ntwo\nthree\n', 'one\nTWO\nand a half\nthree\n'])
})

test.each([
  ['exactly where it is', 'a b c', { old: 'b', new: 'x' }, 'a x c'],
  ['to nothing', 'a b c', { old: ' b', new: '' }, 'a c'],
  ['everywhere, where that is asked', 'a b a', { old: 'a', new: 'x', all: true }, 'x b x'],
  ['everywhere, without what overlaps', 'aaa', { old: 'aa', new: 'b', all: true }, 'ba'],
  ['with signs that mean something elsewhere', 'a $& c', { old: '$&', new: '$1$&$$' }, 'a $1$&$$ c'],
  ['keeping Windows line ends', 'a\r\nb\r\nc\r\n', { old: 'b', new: 'x\ny' }, 'a\r\nx\r\ny\r\nc\r\n'],
  ['found across Windows line ends', 'a\r\nb\r\nc\r\n', { old: 'a\nb', new: 'x\ny' }, 'x\r\ny\r\nc\r\n'],
  ['from a line break on', 'a\r\nb\r\n', { old: '\nb', new: '\nc' }, 'a\r\nc\r\n'],
  ['given with Windows line ends, for a file without', 'a\nb\nc\n', { old: 'a\r\nb', new: 'x\r\ny' }, 'x\ny\nc\n'],
  ['exactly, where line ends are mixed', 'a\r\nb\nc\n', { old: 'b\n', new: 'b\r\n' }, 'a\r\nb\r\nc\n'],
  ['without a line break at the end', 'a\nb', { old: 'b', new: 'c' }, 'a\nc'],
  ['after a mark at the beginning', '\ufeffa\nb\n', { old: 'a', new: 'x' }, '\ufeffx\nb\n'],
  ['in characters of every length', 'é€😀', { old: '€', new: '😀' }, 'é😀😀'],
])('replaces %s', async (_how, text, args, expected) => {
  using it = await bench({ 'a.txt': text })
  expect(await it.edit({ path: 'a.txt', ...args })).toMatchObject({ kind: 'ok' })
  expect(textOf(it, 'a.txt')).toBe(expected)
})

test.each([
  ['curly quotes', 'say “hi” and ‘ho’\n', { old: `say "hi" and 'ho'`, new: 'x' }, 'x\n'],
  ['straight quotes, where curly ones are asked for', `say "hi"\n`, { old: 'say “hi”', new: 'x' }, 'x\n'],
  ['dashes', 'a – b — c\n', { old: 'a - b - c', new: 'x' }, 'x\n'],
  ['blanks that do not break', 'a\u00a0b\u202fc\n', { old: 'a b c', new: 'x' }, 'x\n'],
  ['blanks at the end of lines', 'a  \nb\t\nc\n', { old: 'a\nb\nc', new: 'x\ny\nz' }, 'x\ny\nz\n'],
  ['blanks at the end of what is asked for', 'a\nb\n', { old: 'a  \nb ', new: 'x' }, 'x\n'],
  ['blanks and Windows line ends', 'a \r\nb\r\n', { old: 'a\nb', new: 'x\ny' }, 'x\r\ny\r\n'],
  ['lines of blanks', 'a\n   \nb\n', { old: 'a\n\nb', new: 'x\n\ny' }, 'x\n\ny\n'],
  ['everywhere', '“a” "b" “a”\n', { old: '"a”', new: 'c', all: true }, 'c "b" c\n'],
])('finds what is there apart from %s, and says so', async (_what, text, args, expected) => {
  using it = await bench({ 'a.txt': text })
  const report = await it.edit({ path: 'a.txt', ...args })
  expect(report).toMatchObject({
    output: expect.stringMatching(/^Found apart from quotes, dashes, blanks or line ends\.\ndiff --git /),
  })
  expect(textOf(it, 'a.txt')).toBe(expected)
})

test('lines that old and new have in common stay as the file has them', async () => {
  using it = await bench({ 'a.txt': 'say “hi”  \nsecond\nsay “bye”\t\n' })
  const [old, fresh] = ['say "hi"\nsecond\nsay "bye"', 'say "hi"\nanother\nline\nsay "bye"']
  expect(await it.edit({ path: 'a.txt', old, new: fresh })).toMatchObject({ kind: 'ok' })
  expect(textOf(it, 'a.txt')).toBe('say “hi”  \nanother\nline\nsay “bye”\t\n')
})

test('blanks at the end of what is asked for are the end of a line, and nothing else', async () => {
  using it = await bench({ 'a.txt': 'food\nfoo\n' })
  expect(await it.edit({ path: 'a.txt', old: 'foo ', new: 'x' })).toMatchObject({ kind: 'ok' })
  expect(textOf(it, 'a.txt')).toBe('food\nx\n')
})

describe('refuses', () => {
  test.each([
    ['what is not there', 'a\nb\n', { old: 'zzz', new: 'x' }, 'a.txt: there is no such text'],
    [
      'what is not there, and shows what is nearest',
      'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n',
      { old: 'function twoo() {\n  return 2\n}', new: 'x' },
      'a.txt: there is no such text; the nearest is:\n5: function two() {\n6:   return 2\n7: }',
    ],
    [
      'what is there more than once',
      'x\ny\nx\nx x\n',
      { old: 'x', new: 'z' },
      'a.txt: it is there 4 times, on lines 1, 3, 4: give more of what is around it, or all: true',
    ],
    [
      'what is there twice, overlapping',
      'aaa\n',
      { old: 'aa', new: 'b' },
      'a.txt: it is there 2 times, on line 1: give more of what is around it, or all: true',
    ],
    [
      'what is there so often that nobody counts',
      'x\n'.repeat(5000),
      { old: 'x', new: 'z' },
      'a.txt: it is there more than 100 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …: give more of what is around it, or all: true',
    ],
    [
      'what is there more than once apart from quotes',
      '‘x’\n“y”\n’x‘\n',
      { old: "'x'", new: 'z' },
      'a.txt: it is there 2 times, on lines 1, 3: give more of what is around it, or all: true',
    ],
    ['nothing for something', 'a\n', { old: 'a', new: 'a' }, 'a.txt: old and new are the same'],
    ['what comes to the same', 'a\r\nb\r\n', { old: 'a\nb', new: 'a\r\nb' }, 'a.txt: nothing would be different'],
  ])('%s', async (_what, text, args, message) => {
    using it = await bench({ 'a.txt': text })
    expect(await it.edit({ path: 'a.txt', ...args })).toEqual(failure(message))
    expect([textOf(it, 'a.txt'), it.memory.kept]).toEqual([text, []])
  })

  test('a file that is not what the session last saw, until it is read again', async () => {
    using it = await bench({ 'a.txt': 'one\n' })
    await it.read({ path: 'a.txt' })
    writeFileSync(join(it.root, 'a.txt'), 'one\ntwo\n')
    const again = failure('a.txt is not what this session saw: read it again')
    expect(await it.edit({ path: 'a.txt', old: 'one', new: 'x' })).toEqual(again)
    await it.read({ path: 'a.txt' })
    expect(await it.edit({ path: 'a.txt', old: 'one', new: 'x' })).toMatchObject({ kind: 'ok' })
    expect(await it.edit({ path: 'a.txt', old: 'two', new: 'y' })).toMatchObject({ kind: 'ok' })
    chmodSync(join(it.root, 'a.txt'), 0o755)
    expect(await it.edit({ path: 'a.txt', old: 'x', new: 'z' })).toEqual(again)
    expect(textOf(it, 'a.txt')).toBe('x\ny\n')
  })

  test('what is missing, a folder, no text, too large, or has several names', async () => {
    using it = await bench({ 'src/a.txt': 'a', 'zero.bin': 'a\0b', 'two.txt': 'a' })
    writeFileSync(join(it.root, 'latin.txt'), Buffer.from([0x61, 0xe9, 0x0a]))
    writeFileSync(join(it.root, 'large.txt'), Buffer.alloc(5_000_001, 'a'))
    linkSync(join(it.root, 'two.txt'), join(it.root, 'three.txt'))
    const edit = (path: string) => it.edit({ path, old: 'a', new: 'x' })
    expect(await edit('b.txt')).toEqual(failure('there is no file b.txt'))
    expect(await edit('src')).toEqual(failure('src is a folder'))
    expect(await edit('zero.bin')).toEqual(failure('zero.bin is not a text file'))
    expect(await edit('latin.txt')).toEqual(failure('latin.txt is not a text file'))
    expect(await edit('large.txt')).toEqual(failure('large.txt is larger than 5000000 bytes'))
    expect(await edit('two.txt')).toEqual(
      failure('two.txt has several names (hard links), and where the others are nobody can say'),
    )
  })

  test('what a scope does not open to write, or to read, and what is denied', async () => {
    using it = await bench({ 'src/a.txt': 'a', 'docs/a.md': 'a', '.env': 'a', '.git/config': 'a' })
    const edit = (path: string, write: string[], read = ['**']) =>
      it.edit({ path, old: 'a', new: 'x' }, { scope: { write, read } })
    const refused = { refusal: { code: 'out-of-scope' } }
    expect(await edit('docs/a.md', ['src/**'])).toMatchObject(refused)
    expect(await edit('docs/a.md', ['**'], ['src/**'])).toMatchObject(refused)
    expect(await edit('.env', ['**'])).toMatchObject(refused)
    expect(await edit('.git/config', ['**', '.git/**'])).toMatchObject(refused)
    expect(await edit('src/a.txt', ['src/**'])).toMatchObject({ kind: 'ok' })
  })

  test('halves of characters and zero bytes, which no text file has', async () => {
    using it = await bench({ 'a.txt': 'a' })
    for (const fresh of ['\ud800', 'a\0b'])
      expect(await it.edit({ path: 'a.txt', old: 'a', new: fresh })).toMatchObject({
        refusal: { code: 'arguments-invalid' },
      })
    expect(await it.edit({ path: 'a.txt', old: '', new: 'x' })).toMatchObject({
      refusal: { code: 'arguments-invalid' },
    })
  })
})

test('a file keeps its rights, and is what it was until it is what it is to be', async () => {
  using it = await bench({ 'run.sh': 'a\n' })
  chmodSync(join(it.root, 'run.sh'), 0o750)
  expect(await it.edit({ path: 'run.sh', old: 'a', new: 'b' })).toMatchObject({
    files: [{ before: stateOf(Buffer.from('a\n'), true), after: stateOf(Buffer.from('b\n'), true) }],
  })
  expect(statSync(join(it.root, 'run.sh')).mode & 0o777).toBe(0o750)
})

test('a link inside the workspace is followed to what it really is, and stays a link', async () => {
  using it = await bench({ 'src/a.txt': 'a' })
  symlinkSync('src/a.txt', join(it.root, 'link'))
  expect(await it.edit({ path: 'link', old: 'a', new: 'b' })).toMatchObject({ changed: ['src/a.txt'] })
  expect([textOf(it, 'src/a.txt'), textOf(it, 'link')]).toEqual(['b', 'b'])
})

test('a difference that is too long is shown in part, and kept', async () => {
  using it = await bench({ 'a.txt': 'a\n'.repeat(50) })
  const report = await it.edit({ path: 'a.txt', old: 'a', new: 'b', all: true }, { limits: { outputLines: 20 } })
  expect(report).toMatchObject({ kind: 'ok', spill: 'spill:1', files: [{ added: 50, removed: 50 }] })
  expect(await it.read({ path: 'spill:1' })).toMatchObject({ output: expect.stringContaining('+b\n'.repeat(50)) })
})

test('an edit that is no longer wanted changes nothing', async () => {
  using it = await bench({ 'a.txt': 'a' })
  const report = await it.edit({ path: 'a.txt', old: 'a', new: 'b' }, { signal: AbortSignal.abort() })
  expect([report, textOf(it, 'a.txt')]).toEqual([failure('the change was cancelled'), 'a'])
})

test('a folder that is swapped for a link while files are edited: nothing outside is changed', async () => {
  using it = await bench({ 'here/a.txt': 'zero' })
  it.write('outside/a.txt', 'zero')
  {
    using _swaps = swapping(join(it.root, 'here'), join(it.above, 'outside'), join(it.above, 'aside'))
    const rounds = process.env['BELLHOP_LONG'] ? 2000 : 200
    for (let i = 0; i < rounds; i++) {
      it.memory.seen.clear()
      await it.edit({ path: 'here/a.txt', old: 'zero', new: 'one' })
      await it.edit({ path: 'here/a.txt', old: 'one', new: 'zero' })
      await it.writeFile({ path: 'here/new.txt', text: 'new' })
    }
  }
  expect(readFileSync(join(it.above, 'outside/a.txt'), 'utf8')).toBe('zero')
  expect(() => statSync(join(it.above, 'outside/new.txt'))).toThrow('ENOENT')
})

test('what is found apart from blanks and quotes is what is there: the rest of the file stays as it is', async () => {
  const line = fc.stringMatching(/^[ab “"'’–-]{0,6}[ \t]{0,2}$/)
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), async (lines, from, count) => {
      using it = await bench({ 'a.txt': `${lines.join('\n')}\nEND\n` })
      const start = from % lines.length
      const part = lines.slice(start, start + 1 + (count % 3))
      const old = part.map((one) => one.trimEnd().replace(/[“]/g, '"').replace(/’/g, "'").replace(/–/g, '-')).join('\n')
      fc.pre(old.trim() !== '')
      const before = `${lines.join('\n')}\nEND\n`
      const report = await it.edit({ path: 'a.txt', old, new: 'NEW' })
      const now = textOf(it, 'a.txt')
      const [head = '', tail = ''] = now.split('NEW')
      if (report.kind === 'ok') expect([before.startsWith(head), before.endsWith(tail)]).toEqual([true, true])
      else expect(now).toBe(before)
    }),
    { numRuns: 150 },
  )
})
