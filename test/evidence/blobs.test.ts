import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { refusals } from '../../src/shapes/refusal.ts'
import { idsOf, must, reopened, said } from '../support/store.ts'
import { engines } from './engines.ts'
import { contentOf, openRaw, verdictsOf } from './file.ts'

const INLINE = 16_384
const MOST = 8 * 1024 * 1024
const EMPTY = { sqlite: "x''", postgres: "''::bytea" }

/** A message whose body has so many bytes as JSON. */
const sized = (id: string, bytes: number, letter = 'x') =>
  said(id, letter.repeat(bytes - '{"event":"message","text":""}'.length))

describe.each(engines)('a large body, on $name', ({ testStore }) => {
  test('lies in a blob from a byte more than sixteen kilobytes on, and is read back whole', async () => {
    await using house = await testStore()
    const drafts = [
      sized('inline', INLINE),
      sized('spilled', INLINE + 1),
      said('noise', randomBytes(150_000).toString('base64')),
    ]
    const entries = must(await house.store.append(drafts))
    expect(entries.map(({ body }) => body)).toEqual(drafts.map(({ body }) => body))
    await using other = await reopened(house.url)
    expect(await other.store.chain('room-lobby')).toEqual(entries)
    expect(await other.store.get('noise')).toEqual(entries[2])

    await using raw = await openRaw(house.url)
    const noise = '{"event":"message","text":""}'.length + 200_000
    expect(await raw.rows('select id, size, spilled from entry order by position')).toEqual([
      { id: 'inline', size: INLINE, spilled: 0 },
      { id: 'spilled', size: INLINE + 1, spilled: 1 },
      { id: 'noise', size: noise, spilled: 1 },
    ])
    expect(await raw.rows('select position from body')).toEqual([{ position: 1 }])
    expect(await raw.rows('select hash, size from blob order by size')).toEqual([
      { hash: entries[1]?.bodyHash, size: INLINE + 1 },
      { hash: entries[2]?.bodyHash, size: noise },
    ])
  })

  test('is kept once, however many entries have it', async () => {
    await using house = await testStore()
    const text = 'the same '.repeat(5000)
    const twice = must(await house.store.append([said('a', text), said('b', text)]))
    const again = must(await house.store.append([{ ...said('c', text), session: 's-1' }]))
    await using raw = await openRaw(house.url)
    expect(await raw.rows('select hash from blob')).toEqual([{ hash: twice[0]?.bodyHash }])
    expect(must(await house.store.query({ order: 'oldest' })).entries).toEqual([...twice, ...again])
    expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([])
  })

  test('that was written before is not written again', async () => {
    await using house = await testStore()
    const before = must(await house.store.append([sized('a', INLINE * 3)]))
    const content = await contentOf(house.url)
    expect(must(await house.store.append([sized('a', INLINE * 3)]))).toEqual(before)
    expect((await house.store.append([sized('a', INLINE * 3, 'y')])).ok).toBe(false)
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('has eight megabytes at most; one with a byte more is refused, and its call with it', async () => {
    await using house = await testStore()
    must(await house.store.append([sized('most', MOST)]))
    expect(await house.store.append([said('good', 'yes'), sized('more', MOST + 1)])).toEqual({
      ok: false,
      refusal: {
        code: 'request-invalid',
        message: 'not an entry: body: more has 8388609 bytes, at most 8388608 are kept',
        remedy: refusals['request-invalid'].remedy,
      },
    })
    // Bytes count, not characters.
    expect((await house.store.append([sized('wide', MOST / 2 + 100, 'ü')])).ok).toBe(false)
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['most'])
  })

  test('that is damaged hurts nobody else', async () => {
    await using house = await testStore()
    const [before, , after] = must(
      await house.store.append([said('a', 'one'), sized('b', INLINE * 2), sized('c', INLINE * 2, 'y')]),
    )
    await using raw = await openRaw(house.url)
    await raw.unguard()
    await raw.run(`update blob set data = ${EMPTY[raw.kind]} where hash <> '${after?.bodyHash}'`)
    const [first, damaged, last] = await house.store.chain('room-lobby')
    expect([first, last]).toEqual([before, after])
    expect(damaged?.body).toEqual({ unreadable: 'not a blob: unexpected end of file' })
    expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([
      { entry: 'b', rule: 'body', what: 'has a body that was changed after it was written' },
      { entry: 'b', rule: 'form', what: 'has a body of no known event' },
    ])
  })
})
