import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bench, failure, fine } from './bench.ts'

const lines = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `line ${from + i}\n`).join('')

test.each([
  ['a file as it is', 'one\ntwo\n'],
  ['without a line break at the end', 'one\ntwo'],
  ['with Windows line ends', 'one\r\ntwo\r\n'],
  ['with old Mac line ends, which are one line', 'one\rtwo\r'],
  ['with empty lines', '\n\n\n'],
  ['with nothing in it', ''],
  ['with characters of every length', 'aé€😀\u0001'],
])('reads a file %s', async (_what, text) => {
  using it = await bench({ 'a.txt': text })
  expect(await it.read({ path: 'a.txt' })).toEqual(fine(text, ['a.txt']))
})

test('names the file by its place in the workspace, however it was asked for', async () => {
  using it = await bench({ 'src/a.txt': 'a\n' })
  for (const path of ['src/a.txt', './src//a.txt', 'src/../src/a.txt', join(it.root, 'src/a.txt'), 'src/a.txt/'])
    expect(await it.read({ path })).toEqual(fine('a\n', ['src/a.txt']))
})

test.each([
  [{ from: 2 }, lines(4, 2)],
  [{ lines: 2 }, lines(2)],
  [{ from: 2, lines: 2 }, lines(2, 2)],
  [{ from: 5, lines: 1 }, lines(1, 5)],
  [{ from: 5, lines: 10 }, lines(1, 5)],
  [{ from: 6 }, ''],
  [{ from: 1_000_000, lines: 1 }, ''],
  [{ from: 1, lines: 5 }, lines(5)],
])('reads the lines asked for and no others: %j', async (range, expected) => {
  using it = await bench({ 'a.txt': lines(5) })
  expect(await it.read({ path: 'a.txt', ...range })).toEqual(fine(expected, ['a.txt']))
})

test('counts lines by their line feeds alone, in a range too', async () => {
  using it = await bench({ 'a.txt': 'a\r\nb\rc\r\nd' })
  expect(await it.read({ path: 'a.txt', from: 2, lines: 1 })).toEqual(fine('b\rc\r\n', ['a.txt']))
  expect(await it.read({ path: 'a.txt', from: 3 })).toEqual(fine('d', ['a.txt']))
})

test('a file of 3000 lines is cut at 2000, and says so; the rest can be asked for', async () => {
  using it = await bench({ 'a.txt': lines(3000) })
  expect(await it.read({ path: 'a.txt' })).toEqual(
    fine(lines(2000), ['a.txt'], 'cut after 2000 lines, before line 2001'),
  )
  expect(await it.read({ path: 'a.txt', from: 2001 })).toEqual(fine(lines(1000, 2001), ['a.txt']))
  expect(await it.read({ path: 'a.txt', lines: 2500 })).toEqual(
    fine(lines(2000), ['a.txt'], 'cut after 2000 lines, before line 2001'),
  )
  expect(await it.read({ path: 'a.txt', from: 500, lines: 2001 })).toEqual(
    fine(lines(2000, 500), ['a.txt'], 'cut after 2000 lines, before line 2500'),
  )
})

test.each([
  ['as many lines as are allowed', lines(5), null],
  ['one more', lines(6), 'cut after 5 lines, before line 6'],
  ['half a line more', `${lines(5)}x`, 'cut after 5 lines, before line 6'],
])('the limit of lines is exact: %s', async (_what, text, cut) => {
  using it = await bench({ 'a.txt': text })
  expect(await it.read({ path: 'a.txt' }, { limits: { outputLines: 5 } })).toEqual(fine(lines(5), ['a.txt'], cut))
})

test.each([
  ['as many bytes as are allowed', 'abcd\nefghi', 'abcd\nefghi', null],
  ['one more', 'abcd\nefghij', 'abcd\nefghi', 'cut at 10 bytes, in line 2'],
  ['one more, a line break', 'abcd\nefghi\n', 'abcd\nefghi', 'cut at 10 bytes, in line 2'],
  ['a character across the limit', 'abcd\nefg€', 'abcd\nefg', 'cut at 10 bytes, in line 2'],
  ['a character that ends at the limit', 'abcd\nef€x', 'abcd\nef€', 'cut at 10 bytes, in line 2'],
  ['an emoji across the limit', 'abcd\nefg😀', 'abcd\nefg', 'cut at 10 bytes, in line 2'],
])('the limit of bytes is exact, and cuts no character in two: %s', async (_what, text, output, cut) => {
  using it = await bench({ 'a.txt': text })
  expect(await it.read({ path: 'a.txt' }, { limits: { outputBytes: 10 } })).toEqual(fine(output, ['a.txt'], cut))
})

test('only the lines asked for count against the limit of bytes', async () => {
  using it = await bench({ 'a.txt': `${'x'.repeat(100)}\nshort\n` })
  expect(await it.read({ path: 'a.txt', from: 2 }, { limits: { outputBytes: 10 } })).toEqual(fine('short\n', ['a.txt']))
})

test('a line of a megabyte is cut, and what comes after it can be read', async () => {
  using it = await bench({ 'a.txt': `${'€'.repeat(400_000)}\nafter\n` })
  expect(await it.read({ path: 'a.txt' })).toEqual(fine('€'.repeat(17_066), ['a.txt'], 'cut at 51200 bytes, in line 1'))
  expect(await it.read({ path: 'a.txt', from: 2 })).toEqual(fine('after\n', ['a.txt']))
})

test('characters and line ends that lie across the chunks a file is read in come out whole', async () => {
  const limits = { outputBytes: 1_000_000, outputLines: 100_000 }
  for (const shift of [0, 1, 2, 3]) {
    const text = `${'x'.repeat(shift)}${'€😀é\r\n'.repeat(20_000)}`
    using it = await bench({ 'a.txt': text })
    expect(await it.read({ path: 'a.txt' }, { limits })).toEqual(fine(text, ['a.txt']))
    expect(await it.read({ path: 'a.txt', from: 10_000, lines: 2 }, { limits })).toEqual(
      fine('€😀é\r\n€😀é\r\n', ['a.txt']),
    )
  }
})

test.each([
  ['in the middle', [0x61, 0xe9, 0x62], 'a\ufffdb'],
  ['at the end', [0x61, 0xe2, 0x82], 'a\ufffd'],
  ['after the last line break', [0x61, 0x0a, 0xf0], 'a\n\ufffd'],
])('bytes that are no characters are shown as such: %s', async (_where, bytes, expected) => {
  using it = await bench()
  writeFileSync(join(it.root, 'a.txt'), Buffer.from(bytes))
  expect(await it.read({ path: 'a.txt' })).toEqual(fine(expected, ['a.txt']))
})

test('a binary file is not text, wherever its first zero byte is', async () => {
  using it = await bench({ 'first.bin': '\0PNG', 'later.bin': `${'x'.repeat(70_000)}\n\0\n` })
  expect(await it.read({ path: 'first.bin' })).toEqual(failure('first.bin is not a text file'))
  expect(await it.read({ path: 'later.bin' }, { limits: { outputBytes: 100_000 } })).toEqual(
    failure('later.bin is not a text file'),
  )
})

test('a folder, a missing file and a file that is taken for a folder are told apart', async () => {
  using it = await bench({ 'src/a.txt': '' })
  mkdirSync(join(it.root, 'empty'))
  expect(await it.read({ path: 'src' })).toEqual(failure('src is a folder; use glob to list it'))
  expect(await it.read({ path: '.' })).toEqual(failure('. is a folder; use glob to list it'))
  expect(await it.read({ path: 'empty/' })).toEqual(failure('empty is a folder; use glob to list it'))
  expect(await it.read({ path: 'src/b.txt' })).toEqual(failure('there is no file src/b.txt'))
  expect(await it.read({ path: 'not/there/b.txt' })).toEqual(failure('there is no file not/there/b.txt'))
  expect(await it.read({ path: 'src/a.txt/b.txt' })).toEqual(failure('cannot read src/a.txt/b.txt: ENOTDIR'))
})

test('hidden and ignored files can be read by name: they are in the workspace', async () => {
  using it = await bench({ '.env': 'A=1\n', '.gitignore': 'out\n', 'out/log.txt': 'x\n' })
  expect(await it.read({ path: '.env' })).toEqual(fine('A=1\n', ['.env']))
  expect(await it.read({ path: 'out/log.txt' })).toEqual(fine('x\n', ['out/log.txt']))
})

test('awkward names are names', async () => {
  const names = ['a b.txt', '-rf', 'a:1', 'new\nline.txt', '..x', "quote's", '$HOME', 'ünï', '[a]*?', 'trailing ']
  using it = await bench(Object.fromEntries(names.map((name) => [name, `of ${name}`])))
  for (const path of names) expect(await it.read({ path })).toEqual(fine(`of ${path}`, [path]))
})
