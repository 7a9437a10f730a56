import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { swapping } from '../workspace/swapping.ts'
import { bench, failure, fine } from './bench.ts'

const TREE = {
  'README.md': 'hello\n',
  'b.txt': '',
  'src/z.ts': '12345',
  'src/deep/a.ts': '1',
  'src/deep/deeper/b.ts': '22',
  'a/x.txt': 'x',
}

test('names what is in a folder: folders first, files with their size', async () => {
  using it = await bench(TREE)
  mkdirSync(join(it.root, 'empty'))
  expect(await it.list({})).toEqual(fine('a/\nempty/\nsrc/\nREADME.md  6\nb.txt  0', ['README.md', 'b.txt']))
  expect(await it.list({ path: 'src' })).toEqual(fine('src/deep/\nsrc/z.ts  5', ['src/z.ts']))
  expect(await it.list({ path: 'empty' })).toEqual(fine('', []))
})

test('goes as deep as it is asked to, each folder before what is in it', async () => {
  using it = await bench(TREE)
  expect(await it.list({ path: 'src', depth: 2 })).toEqual(
    fine('src/deep/\nsrc/deep/deeper/\nsrc/deep/a.ts  1\nsrc/z.ts  5', ['src/deep/a.ts', 'src/z.ts']),
  )
  expect(await it.list({ path: 'src', depth: 9 })).toEqual(
    fine('src/deep/\nsrc/deep/deeper/\nsrc/deep/deeper/b.ts  2\nsrc/deep/a.ts  1\nsrc/z.ts  5', [
      'src/deep/deeper/b.ts',
      'src/deep/a.ts',
      'src/z.ts',
    ]),
  )
})

test('leaves out what is denied, out of scope or off limits, and shows other hidden files', async () => {
  using it = await bench(
    {
      '.git/config': '',
      '.env': '',
      '.Env': '',
      'a.pem': '',
      '.github/x.yml': '',
      'data/x': '',
      'src/a': '',
      'src/.ssh/b': '',
    },
    { offLimits: ['data'] },
  )
  expect(await it.list({ depth: 3 })).toEqual(
    fine('.github/\n.github/x.yml  0\nsrc/\nsrc/a  0', ['.github/x.yml', 'src/a']),
  )
  expect(await it.list({}, { scope: { read: ['src/**'] } })).toEqual(fine('src/', []))
  expect(await it.list({ path: '.git' })).toMatchObject({ refusal: { code: 'out-of-scope' } })
  expect(await it.list({ path: 'data' })).toMatchObject({ refusal: { code: 'out-of-scope' } })
})

test('says what is a link or no plain file, and goes into neither', async () => {
  using it = await bench({ 'a.txt': '' })
  it.write('outside/secret.txt', '')
  symlinkSync('../outside', join(it.root, 'out'))
  symlinkSync('a.txt', join(it.root, 'link'))
  await execa('mknod', [join(it.root, 'fifo'), 'p'])
  expect(await it.list({ depth: 5 })).toEqual(
    fine('a.txt  0\nfifo  not a plain file\nlink  a link\nout  a link', ['a.txt']),
  )
})

test('a name is on one line, whatever is in it', async () => {
  using it = await bench({ 'new\nline': '', 'a b': '' })
  expect(await it.list({})).toEqual(fine('a b  0\n"new\\nline"  0', ['a b', 'new\nline']))
})

test('what is no folder is said', async () => {
  using it = await bench({ 'a.txt': '' })
  expect(await it.list({ path: 'a.txt' })).toEqual(failure('a.txt is a file; use read'))
  expect(await it.list({ path: 'b' })).toEqual(failure('there is no file b'))
})

test('shows as much as the limits allow, and keeps the whole', async () => {
  using it = await bench(TREE)
  const cut = (count: number, spill: string) => ({ cut: `cut after ${count} lines; all 4: read ${spill}`, spill })
  expect(await it.list({}, { limits: { outputLines: 3 } })).toEqual({
    ...fine('a/\nsrc/\nREADME.md  6', ['README.md']),
    ...cut(3, 'spill:1'),
  })
  expect(await it.read({ path: 'spill:1' })).toEqual(fine('a/\nsrc/\nREADME.md  6\nb.txt  0', []))
  expect(await it.list({}, { limits: { outputBytes: 8 } })).toEqual({ ...fine('a/\nsrc/', []), ...cut(2, 'spill:2') })
  expect(await it.list({}, { limits: { outputLines: 4 } })).toEqual(
    fine('a/\nsrc/\nREADME.md  6\nb.txt  0', ['README.md', 'b.txt']),
  )
})

test('a folder without end is listed in part', async () => {
  using it = await bench()
  await execa('bash', ['-c', 'for i in $(seq -w 20001); do : > f$i; done'], { cwd: it.root })
  const report = await it.list({})
  expect(report).toMatchObject({ kind: 'ok', cut: 'cut after 2000 lines; the first 20000: read spill:1' })
})

test('a listing that is no longer wanted is given up', async () => {
  using it = await bench(TREE)
  expect(await it.list({}, { signal: AbortSignal.abort() })).toEqual(failure('the listing was cancelled'))
})

test('a folder that is swapped for a link while it is listed shows nothing of the other', async () => {
  using it = await bench({ 'here/deep/inside.txt': '' })
  it.write('outside/deep/CANARY.txt', '')
  using _swaps = swapping(join(it.root, 'here'), join(it.above, 'outside'), join(it.above, 'aside'))
  const rounds = process.env['BELLHOP_LONG'] ? 3000 : 300
  for (let i = 0; i < rounds; i++) expect(JSON.stringify(await it.list({ depth: 3 }))).not.toContain('CANARY')
})
