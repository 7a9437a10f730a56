import { writeFileSync } from 'node:fs'
import { execa } from 'execa'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Packed, pack, unpack } from '../../src/backup/tar.ts'
import { scratch } from '../support/folder.ts'

const RUNS = process.env['BELLHOP_LONG'] === '1' ? 2000 : 60

type Thing = { path: string; mode: number; kind: 'file' | 'link' | 'folder'; text: string }

const packedOf = ({ path, mode, kind, text }: Thing): Packed => {
  if (kind === 'link') return { path, mode, kind, to: text }
  if (kind === 'folder') return { path, mode, kind }
  const content = Buffer.from(text)
  return { path, mode, kind, size: content.length, data: source([content]) }
}

async function* source<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

const bytesOf = async (things: readonly Packed[]): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of pack(source(things))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Cut up anywhere: what is read does not depend on how it comes. */
const inPieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const read = async (pieces: readonly Buffer[]): Promise<Thing[]> => {
  const found: Thing[] = []
  for await (const entry of unpack(source(pieces))) {
    const { path, mode, kind } = entry
    let text = kind === 'link' ? entry.to : ''
    if (kind === 'file') {
      const chunks: Buffer[] = []
      for await (const chunk of entry.data) chunks.push(chunk)
      text = Buffer.concat(chunks).toString()
    }
    found.push({ path, mode, kind, text })
  }
  return found
}

const name = fc
  .array(fc.stringMatching(/^[a-z0-9 äöü_.-]{1,40}$/), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.map((part) => (/^\.+$/.test(part) ? 'dot' : part)).join('/'))

test('what is packed is unpacked as it was, with names of any length, however its bytes come', async () => {
  const thing = fc.record({
    path: name,
    mode: fc.constantFrom(0o600, 0o644, 0o755),
    kind: fc.constantFrom('file', 'link', 'folder'),
    text: fc.string({ minLength: 1, maxLength: 2000 }).map((text) => text.replaceAll('\0', '')),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { maxLength: 5 }), fc.integer({ min: 1, max: 4000 }), async (things, size) => {
      const plain = things.map((one) => ({
        ...one,
        // A link has a name that it leads to; a folder has nothing in it.
        text: one.kind === 'folder' ? '' : one.kind === 'link' ? one.path : one.text,
      })) as Thing[]
      expect(await read(inPieces(await bytesOf(plain.map(packedOf)), size))).toEqual(plain)
    }),
    { numRuns: RUNS, seed: 11 },
  )
})

test('the tar of the system lists it, with names that do not fit its header', async () => {
  using folder = scratch()
  const long = `${'deep/'.repeat(40)}file.txt`
  const file = `${folder.path}/it.tar`
  const things: Thing[] = [
    { path: 'a', mode: 0o755, kind: 'folder', text: '' },
    { path: long, mode: 0o600, kind: 'file', text: 'hello' },
    { path: 'a/link', mode: 0o777, kind: 'link', text: `../${long}` },
  ]
  writeFileSync(file, await bytesOf(things.map(packedOf)))
  const { stdout } = await execa('tar', ['-tf', file])
  expect(stdout.split('\n')).toEqual(['a', long, 'a/link'])
  expect((await execa('tar', ['-xOf', file, long])).stdout).toBe('hello')
})

test('a file that changed while it was read has the size that was said of it', async () => {
  const file = (size: number): Packed => ({
    path: 'f',
    mode: 0o600,
    kind: 'file',
    size,
    data: source([Buffer.from('abc')]),
  })
  const texts = await Promise.all([2, 3, 5].map(async (size) => (await read([await bytesOf([file(size)])]))[0]?.text))
  expect(texts).toEqual(['ab', 'abc', 'abc\0\0'])
})

test('what was cut off or changed is said to be damaged, wherever that is', async () => {
  const whole = await bytesOf([packedOf({ path: 'x'.repeat(150), mode: 0o600, kind: 'file', text: 'y'.repeat(700) })])
  for (const end of [0, 100, 512, 600, 1100, 1600, whole.length - 1024])
    await expect(read([whole.subarray(0, end)])).rejects.toThrow('the backup is damaged')
  const odd = Buffer.from(whole)
  odd[600] = (odd[600] ?? 0) ^ 1
  odd[1025] = (odd[1025] ?? 0) ^ 1
  await expect(read([odd])).rejects.toThrow('the backup is damaged')
})
