import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HeadFiles, isOurs, readHead, signHead, signOn } from '../../src/evidence/head.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Head } from '../../src/shapes/verdict.ts'
import { scratch } from '../support/folder.ts'
import { must, said, testStore } from '../support/store.ts'
import { openUnguarded } from './file.ts'

const AT = '2026-01-02T03:04:05.000Z'
const LATER = '2026-01-02T03:04:06.000Z'
const tip = (position: number) => ({ position, root: `${position % 10}`.repeat(64), high: AT, skew: 0 })

const filesIn = ({ path }: { path: string }): HeadFiles => ({
  key: join(path, 'evidence.key'),
  head: join(path, 'evidence.head'),
})

const ANEW =
  'put it back from a copy; or, if you trust the store, remove both evidence.key and evidence.head: they are made anew'

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

test('a head says where the store stood and when, and is read back as it was signed', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  expect(readHead(files.head)).toBeNull()
  const head = await signHead(files, tip(7), AT)
  expect(head).toEqual({ position: 7, root: '7'.repeat(64), at: AT, key: head.key, signature: head.signature })
  expect([readHead(files.head), isOurs(head, files.key)]).toEqual([head, true])
})

test('its key is made once, and both files are for their owner alone', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  const first = await signHead(files, tip(1), AT)
  const key = readFileSync(files.key, 'utf8')
  const second = await signHead(files, tip(2), LATER)
  expect([second.key, readFileSync(files.key, 'utf8')]).toEqual([first.key, key])
  expect(readHead(files.head)).toEqual(second)
  expect([isOurs(first, files.key), isOurs(second, files.key)]).toEqual([true, true])
  expect([modeOf(files.key), modeOf(files.head)]).toEqual(['600', '600'])
  expect(readdirSync(folder.path).sort()).toEqual(['evidence.head', 'evidence.key'])
})

test('what a write that was cut off left behind neither stands in the way nor opens the key to others', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  for (const file of [files.key, files.head]) {
    writeFileSync(`${file}.${process.pid}.new`, 'half of')
    chmodSync(`${file}.${process.pid}.new`, 0o666)
  }
  const head = await signHead(files, tip(3), AT)
  expect([readHead(files.head), modeOf(files.key), modeOf(files.head)]).toEqual([head, '600', '600'])
})

test('a head that cannot be written leaves the last one as it was', async () => {
  using folder = scratch()
  const [heads, away] = [join(folder.path, 'heads'), join(folder.path, 'away')]
  mkdirSync(heads)
  const files = { ...filesIn(folder), head: join(heads, 'head') }
  const head = await signHead(files, tip(3), AT)
  renameSync(heads, away)
  await expect(signHead(files, tip(4), LATER)).rejects.toThrow()
  renameSync(away, heads)
  expect([readHead(files.head), readdirSync(heads)]).toEqual([head, ['head']])
})

test('a first head that cannot be written leaves no key that would vouch for it', async () => {
  using folder = scratch()
  await using house = await testStore()
  must(await house.store.append([said('a', 'a')]))
  const heads = join(folder.path, 'heads')
  const files = { ...filesIn(folder), head: join(heads, 'head') }
  await expect(signOn(files, house.store, AT)).rejects.toThrow()
  expect(readdirSync(folder.path)).toEqual([])
  mkdirSync(heads)
  expect([await signOn(files, house.store, LATER), readHead(files.head)?.position]).toEqual([null, 1])
})

test('a head of which anything was changed is not ours', async () => {
  using folder = scratch()
  using elsewhere = scratch()
  const files = filesIn(folder)
  const head = await signHead(files, tip(7), AT)
  const other = await signHead(filesIn(elsewhere), tip(7), AT)
  const later = await signHead(files, tip(8), LATER)
  const flipped = head.signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))
  const changes: Partial<Head>[] = [
    { position: 8 },
    { position: 6 },
    { root: '8'.repeat(64) },
    { at: LATER },
    { key: other.key },
    { signature: other.signature },
    { signature: later.signature },
    { key: other.key, signature: other.signature },
    { signature: flipped },
    { signature: '' },
    { signature: `${head.signature} ` },
    { signature: head.signature.replace(/=+$/, '') },
    { signature: head.signature.replace(/.==$/, (end) => `${nextLetter(end)}==`) },
  ]
  expect(changes.filter((change) => isOurs({ ...head, ...change }, files.key))).toEqual([])
  expect(isOurs(head, files.key)).toBe(true)
})

/** The letter after the last one before the padding: it decodes to the same bytes. */
const nextLetter = (end: string): string => String.fromCharCode(end.charCodeAt(0) + 1)

test('a head is ours just as it was signed, whatever else somebody makes of it', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  const head = await signHead(files, tip(7), AT)
  const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
  const any = fc.record({
    position: fc.oneof(fc.constant(7), fc.nat()),
    root: fc.oneof(fc.constant(head.root), hash),
    at: fc.constantFrom(AT, LATER),
    key: fc.oneof(fc.constant(head.key), fc.base64String()),
    signature: fc.oneof({ weight: 3, arbitrary: fc.constant(head.signature) }, fc.base64String()),
  })
  fc.assert(
    fc.property(any, (said) => {
      const same = (Object.keys(head) as (keyof Head)[]).every((field) => said[field] === head[field])
      expect(isOurs(said, files.key)).toBe(same)
    }),
  )
})

test('without its key a head is nobody’s, and asking makes no new key', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  const head = await signHead(files, tip(7), AT)
  rmSync(files.key)
  expect([isOurs(head, files.key), existsSync(files.key)]).toEqual([false, false])
})

const problemOf = async (act: () => unknown): Promise<{ message: string; fix: string } | null> => {
  try {
    await act()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { message: error.message, fix: error.fix }
  }
}

test('a head that is damaged is a problem with a way out', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  const { signature: _, ...unsigned } = await signHead(files, tip(7), AT)
  const whole = readFileSync(files.head, 'utf8')
  const damaged = [
    '',
    whole.slice(0, -10),
    'null',
    '[]',
    '{}',
    JSON.stringify(unsigned),
    whole.replace('"position":7', '"position":-7'),
    whole.replace('"position":7', '"position":7.5'),
    whole.replace('7777', 'xxxx'),
    whole.replace(AT, 'yesterday'),
    whole.replace('{', '{"more":1,'),
  ]
  const said: unknown[] = []
  for (const text of damaged) {
    writeFileSync(files.head, text)
    said.push(await problemOf(() => readHead(files.head)))
  }
  expect(said).toEqual(
    damaged.map(() => ({
      message: `${files.head} is damaged`,
      fix: ANEW,
    })),
  )
})

test('a key that is damaged is a problem with a way out, and is not replaced', async () => {
  using folder = scratch()
  const files = filesIn(folder)
  const head = await signHead(files, tip(7), AT)
  writeFileSync(files.key, 'no key')
  const problem = {
    message: `${files.key} is damaged`,
    fix: ANEW,
  }
  expect([
    await problemOf(() => signHead(files, tip(8), LATER)),
    await problemOf(() => isOurs(head, files.key)),
  ]).toEqual([problem, problem])
  expect([readFileSync(files.key, 'utf8'), readHead(files.head)]).toEqual(['no key', head])
})

test('a head goes on from the one before it, and never vouches for what does not', async () => {
  using folder = scratch()
  await using house = await testStore()
  const { store, url } = house
  const files = { key: join(folder.path, 'key'), head: join(folder.path, 'head') }
  const at = '2026-01-02T03:04:05.000Z'
  const sign = async () => [await signOn(files, store, at), readHead(files.head)?.position ?? null]
  const write = async (...ids: string[]) => must(await store.append(ids.map((id) => said(id, id))))

  expect(await sign()).toEqual([null, 0])
  await write('a', 'b')
  expect(await sign()).toEqual([null, 2])
  expect(readHead(files.head)?.root).toBe((await store.tip()).root)
  await write('c')
  expect([await sign(), await sign()]).toEqual([
    [null, 3],
    [null, 3],
  ])
  await write('d', 'e')
  const before = readHead(files.head)
  using file = openUnguarded(url)
  // Two entries cut off, and the store made consistent: no head until somebody looks at it.
  const tip = file.rows('select * from tip')
  await file.during(
    () => file.run('update tip set position = 2'),
    async () => expect(await sign()).toEqual(['at its end 1 entry is missing', 3]),
  )
  file.run('update tip set position = ?, root = ?', tip[0]?.['position'] ?? 0, 'f'.repeat(64))
  expect(await sign()).toEqual(['what was written up to the last signed head is not what is there now', 3])
  file.run('update tip set root = ?', tip[0]?.['root'] ?? '')
  expect(readHead(files.head)).toEqual(before)
  rmSync(files.head)
  expect(await sign()).toEqual(['the last signed head is missing', null])
  rmSync(files.key)
  expect(await sign()).toEqual([null, 5])
})

test('where another process signs what is newer meanwhile, nothing is said to be missing', async () => {
  using folder = scratch()
  await using house = await testStore()
  const { store } = house
  const files = filesIn(folder)
  must(await store.append([said('a', 'a')]))
  // What it sees of the store is a moment old when the other one has signed.
  const slow = {
    engine: store.engine,
    tip: async () => {
      const seen = await store.tip()
      must(await store.append([said('b', 'b')]))
      await signOn(files, store, AT)
      return seen
    },
  }
  expect(await signOn(files, slow, LATER)).toBeNull()
})
