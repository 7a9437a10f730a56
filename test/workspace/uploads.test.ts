import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createUploads } from '../../src/workspace/uploads.ts'
import { scratch } from '../support/folder.ts'
import { must } from '../support/store.ts'

const open = (roomBytes = 1_000_000) => {
  const folder = scratch()
  return { ...folder, uploads: createUploads(folder.path, { roomBytes }) }
}

const text = (said: string) => Buffer.from(said)

test.each([
  ['as it is', 'test.log', 'test.log'],
  ['in folders', '../../etc/pass wd', 'pass-wd'],
  ['from another system', 'C:\\logs\\a b.txt', 'a-b.txt'],
  ['hidden', '.env', 'env'],
  ['with nothing in it that a name has here', '???', 'file'],
  ['with marks', 'हिन्दी.txt', 'हिन्दी.txt'],
  ['turned around', 'gpj.\u202Eexe', 'gpj.-exe'],
  ['of letters that take four bytes', `x${'𝒳'.repeat(80)}.`, `${'𝒳'.repeat(49)}.`],
])('a file is named %s', async (_how, given, name) => {
  using it = open()
  const { path } = must(await it.uploads.write('lobby', given, text('a')))
  expect([path, await readFile(it.uploads.find('lobby', path)?.real ?? '', 'utf8')]).toEqual([`upload:${name}`, 'a'])
})

test('of many at once each is kept once, whole, and nothing else is left', async () => {
  using it = open(100_000_000)
  const [same, other] = [Buffer.alloc(2_000_000, 'a'), Buffer.alloc(2_000_000, 'b')]
  const kept = await Promise.all(
    [same, same, other, same, other].map((one) => it.uploads.write('lobby', 'big.bin', one)),
  )
  const paths = kept.map((one) => must(one).path)
  expect(new Set(paths)).toEqual(new Set(['upload:big.bin', 'upload:big-2.bin']))
  expect([paths[0] === paths[1], paths[1] === paths[3], paths[2] === paths[4]]).toEqual([true, true, true])
  expect(readdirSync(join(it.path, 'lobby')).sort()).toEqual(['big-2.bin', 'big.bin'])
})

test('what is taken back is gone, and what was there before is not', async () => {
  using it = open()
  const first = must(await it.uploads.write('lobby', 'a.txt', text('a')))
  const again = must(await it.uploads.write('lobby', 'a.txt', text('a')))
  await again.undo()
  expect(it.uploads.find('lobby', 'upload:a.txt')?.name).toBe('upload:a.txt')
  await first.undo()
  expect(it.uploads.find('lobby', 'upload:a.txt')).toBe(null)
})

test('a room has so much and no more, and so many of one name; others have their own', async () => {
  using it = open(10)
  must(await it.uploads.write('lobby', 'a.txt', text('12345678')))
  expect(await it.uploads.write('lobby', 'b.txt', text('123'))).toMatchObject({
    ok: false,
    refusal: { code: 'uploads-full', message: 'lobby has 8 bytes of files, and may have 10' },
  })
  must(await it.uploads.write('quiet', 'b.txt', text('123')))
  using many = open()
  for (let n = 0; n < 100; n += 1) must(await many.uploads.write('lobby', 'image.png', text(`${n}`)))
  expect(await many.uploads.write('lobby', 'image.png', text('one more'))).toMatchObject({
    ok: false,
    refusal: { code: 'uploads-full', message: 'lobby has 100 files named image.png already' },
  })
})

test.each(['../lobby/a.txt', '.hidden', 'a/b', '', '..'])(
  'there is no file by the name %j, nor of another room',
  async (name) => {
    using it = open()
    must(await it.uploads.write('lobby', 'a.txt', text('a')))
    expect([it.uploads.find('lobby', `upload:${name}`), it.uploads.find('quiet', 'upload:a.txt')]).toEqual([null, null])
  },
)

test('a room has so many files and no more, however small they are', async () => {
  using folder = scratch()
  const uploads = createUploads(folder.path, { roomBytes: 1_000_000, mostFiles: 3 })
  for (const name of ['a', 'b', 'c']) must(await uploads.write('lobby', name, text(name)))
  expect(await uploads.write('lobby', 'd', text('d'))).toMatchObject({
    ok: false,
    refusal: { code: 'uploads-full', message: 'lobby has 3 files, and may have 3' },
  })
  must(await uploads.write('quiet', 'd', text('d')))
})
