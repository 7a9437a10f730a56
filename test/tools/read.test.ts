import { chmodSync, linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { bench, failure, fine, shownOf } from './bench.ts'

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
  expect(await it.read({ path: 'a.txt' })).toEqual(shownOf(it, 'a.txt', text))
})

test('names the file by its place in the workspace, however it was asked for', async () => {
  using it = await bench({ 'src/a.txt': 'a\n' })
  for (const path of ['src/a.txt', './src//a.txt', 'src/../src/a.txt', join(it.root, 'src/a.txt'), 'src/a.txt/'])
    expect(await it.read({ path })).toEqual(shownOf(it, 'src/a.txt', 'a\n'))
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
  expect(await it.read({ path: 'a.txt', ...range })).toEqual(shownOf(it, 'a.txt', expected))
})

test('counts lines by their line feeds alone, in a range too', async () => {
  using it = await bench({ 'a.txt': 'a\r\nb\rc\r\nd' })
  expect(await it.read({ path: 'a.txt', from: 2, lines: 1 })).toEqual(shownOf(it, 'a.txt', 'b\rc\r\n'))
  expect(await it.read({ path: 'a.txt', from: 3 })).toEqual(shownOf(it, 'a.txt', 'd'))
})

test('a file of 3000 lines is cut at 2000, and says so; the rest can be asked for', async () => {
  using it = await bench({ 'a.txt': lines(3000) })
  expect(await it.read({ path: 'a.txt' })).toEqual(
    shownOf(it, 'a.txt', lines(2000), 'cut after 2000 lines, before line 2001'),
  )
  expect(await it.read({ path: 'a.txt', from: 2001 })).toEqual(shownOf(it, 'a.txt', lines(1000, 2001)))
  expect(await it.read({ path: 'a.txt', lines: 2500 })).toEqual(
    shownOf(it, 'a.txt', lines(2000), 'cut after 2000 lines, before line 2001'),
  )
  expect(await it.read({ path: 'a.txt', from: 500, lines: 2001 })).toEqual(
    shownOf(it, 'a.txt', lines(2000, 500), 'cut after 2000 lines, before line 2500'),
  )
})

test.each([
  ['as many lines as are allowed', lines(5), null],
  ['one more', lines(6), 'cut after 5 lines, before line 6'],
  ['half a line more', `${lines(5)}x`, 'cut after 5 lines, before line 6'],
])('the limit of lines is exact: %s', async (_what, text, cut) => {
  using it = await bench({ 'a.txt': text })
  expect(await it.read({ path: 'a.txt' }, { limits: { outputLines: 5 } })).toEqual(shownOf(it, 'a.txt', lines(5), cut))
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
  expect(await it.read({ path: 'a.txt' }, { limits: { outputBytes: 10 } })).toEqual(shownOf(it, 'a.txt', output, cut))
})

test('only the lines asked for count against the limit of bytes', async () => {
  using it = await bench({ 'a.txt': `${'x'.repeat(100)}\nshort\n` })
  expect(await it.read({ path: 'a.txt', from: 2 }, { limits: { outputBytes: 10 } })).toEqual(
    shownOf(it, 'a.txt', 'short\n'),
  )
})

test('a line of a megabyte is cut, and what comes after it can be read', async () => {
  using it = await bench({ 'a.txt': `${'€'.repeat(400_000)}\nafter\n` })
  expect(await it.read({ path: 'a.txt' })).toEqual(
    shownOf(it, 'a.txt', '€'.repeat(17_066), 'cut at 51200 bytes, in line 1'),
  )
  expect(await it.read({ path: 'a.txt', from: 2 })).toEqual(shownOf(it, 'a.txt', 'after\n'))
})

test('characters and line ends that lie across the chunks a file is read in come out whole', async () => {
  const limits = { outputBytes: 1_000_000, outputLines: 100_000 }
  for (const shift of [0, 1, 2, 3]) {
    const text = `${'x'.repeat(shift)}${'€😀é\r\n'.repeat(20_000)}`
    using it = await bench({ 'a.txt': text })
    expect(await it.read({ path: 'a.txt' }, { limits })).toEqual(shownOf(it, 'a.txt', text))
    expect(await it.read({ path: 'a.txt', from: 10_000, lines: 2 }, { limits })).toEqual(
      shownOf(it, 'a.txt', '€😀é\r\n€😀é\r\n'),
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
  expect(await it.read({ path: 'a.txt' })).toEqual(shownOf(it, 'a.txt', expected))
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
  expect(await it.read({ path: 'src' })).toEqual(failure('src is a folder; use list'))
  expect(await it.read({ path: '.' })).toEqual(failure('. is a folder; use list'))
  expect(await it.read({ path: 'empty/' })).toEqual(failure('empty is a folder; use list'))
  expect(await it.read({ path: 'src/b.txt' })).toEqual(failure('there is no file src/b.txt'))
  expect(await it.read({ path: 'not/there/b.txt' })).toEqual(failure('there is no file not/there/b.txt'))
  expect(await it.read({ path: 'src/a.txt/b.txt' })).toEqual(failure('cannot read src/a.txt/b.txt: ENOTDIR'))
})

test('hidden and ignored files can be read by name: they are in the workspace', async () => {
  using it = await bench({ '.editorconfig': 'root\n', '.gitignore': 'out\n', 'out/log.txt': 'x\n' })
  expect(await it.read({ path: '.editorconfig' })).toEqual(shownOf(it, '.editorconfig', 'root\n'))
  expect(await it.read({ path: 'out/log.txt' })).toEqual(shownOf(it, 'out/log.txt', 'x\n'))
})

test('a file is known by what git calls it, and by whether it can be run', async () => {
  using it = await bench({ 'a.sh': 'true\n' })
  chmodSync(join(it.root, 'a.sh'), 0o755)
  await execa('git', ['init', '-q', '--object-format=sha256', 'repo'], { cwd: it.above })
  const own = await execa('git', ['hash-object', join(it.root, 'a.sh')], { cwd: join(it.above, 'repo') })
  expect(await it.read({ path: 'a.sh' })).toEqual({
    ...fine('true\n', ['a.sh']),
    seen: [{ path: 'a.sh', state: `100755 ${own.stdout}` }],
  })
})

test('what a file is as a whole is known whatever part of it is shown, but not of a very large one', async () => {
  using it = await bench({ 'a.txt': lines(30_000) })
  expect(await it.read({ path: 'a.txt', from: 7, lines: 1 })).toEqual(shownOf(it, 'a.txt', 'line 7\n'))
  truncateSync(it.write('ws/large.txt', 'first\nsecond\n'), 33_554_433)
  expect(await it.read({ path: 'large.txt', lines: 1 })).toEqual(fine('first\n', ['large.txt']))
})

test('a file with several names is read only where the scope says so', async () => {
  using it = await bench({ 'a.txt': 'a\n' })
  linkSync(join(it.root, 'a.txt'), join(it.root, 'b.txt'))
  expect(await it.read({ path: 'a.txt' })).toEqual(
    failure('a.txt has several names (hard links), and where the others are nobody can say'),
  )
  expect(await it.read({ path: 'b.txt' }, { scope: { hardLinks: true } })).toEqual(shownOf(it, 'b.txt', 'a\n'))
})

test('an output that was kept is read like a file, and is none: it was neither found nor seen', async () => {
  using it = await bench(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'x\n'])))
  const report = await it.glob({ pattern: '*' }, { limits: { outputLines: 1 } })
  expect(report).toEqual({ ...fine('a', ['a'], 'cut after 1 lines; all 3: read spill:1'), spill: 'spill:1' })
  expect(await it.read({ path: 'spill:1' })).toEqual(fine('a\nb\nc', []))
  expect(await it.read({ path: 'spill:1', from: 2, lines: 1 })).toEqual(fine('b\n', []))
  expect(await it.grep({ path: 'spill:1', pattern: 'b|c' })).toEqual(fine('spill:1:2:b\nspill:1:3:c', []))
})

test('a read that is no longer wanted, or takes too long, is given up', async () => {
  using it = await bench({ 'a.txt': 'a\n' })
  expect(await it.read({ path: 'a.txt' }, { signal: AbortSignal.abort() })).toEqual(failure('the read was cancelled'))
  truncateSync(it.write('ws/large.txt', ''), 60_000_000_000)
  expect(await it.read({ path: 'large.txt', from: 9 }, { limits: { seconds: 1 } })).toEqual(
    failure('large.txt is not a text file'),
  )
  it.write('ws/long.txt', 'x'.repeat(30_000_000))
  expect(await it.read({ path: 'long.txt', from: 2 }, { limits: { seconds: 0.02 } })).toEqual(
    failure('the read took longer than 0.02 s'),
  )
})

test('awkward names are names', async () => {
  const names = ['a b.txt', '-rf', 'a:1', 'new\nline.txt', '..x', "quote's", '$HOME', 'ünï', '[a]*?', 'trailing ']
  using it = await bench(Object.fromEntries(names.map((name) => [name, `of ${name}`])))
  for (const path of names) expect(await it.read({ path })).toEqual(shownOf(it, path, `of ${path}`))
})
