import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashEntry } from '../../src/evidence/hash.ts'
import { prepareEntry } from '../../src/evidence/prepare.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { type RefusalCode, refusals } from '../../src/shapes/refusal.ts'
import { idsOf, must, reopened, said, type TestStore, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { contentOf, openRaw, projectionsOf, verdictsOf, write } from './file.ts'
import { history } from './history.ts'

/** A store with a history in it, and all of its entries. */
let elsewhere: TestStore
let entries: Entry[]
beforeAll(async () => {
  elsewhere = await testStore()
  const large = said('large', 'a large body '.repeat(3000))
  entries = await write([...history(), [large]], elsewhere.store, elsewhere.clock)
})
afterAll(() => elsewhere[Symbol.asyncDispose]())

const adopt = (store: Store, some: Entry[]) => store.adopt(some.map((entry) => prepareEntry(entry, null)))

describe.each(engines)('entries of another store, on $name', ({ testStore }) => {
  test('are taken as they are, with their times and hashes, and leave the store as the other one is', async () => {
    await using house = await testStore()
    house.clock.now += 1_000_000_000
    expect(must(await adopt(house.store, entries))).toEqual(entries)
    const all = { order: 'oldest', limit: 1000, ephemeral: 'with' }
    expect(await house.store.query(all)).toEqual(await elsewhere.store.query(all))
    expect(await house.store.tip()).toEqual(await elsewhere.store.tip())
    expect(await verdictsOf(house.store)).toEqual(await verdictsOf(elsewhere.store))
    expect(await projectionsOf(house.url)).toEqual(await projectionsOf(elsewhere.url))
    expect(await house.store.facets('path', {})).toEqual(await elsewhere.store.facets('path', {}))
    expect(idsOf(must(await house.store.query({ text: 'large' })).entries)).toEqual(['large'])
  })

  test('may be taken again, and in parts: what is here is passed over', async () => {
    await using house = await testStore()
    const told: string[][] = []
    await using other = await reopened(house.url, (fresh) => told.push(idsOf(fresh)))
    must(await adopt(other.store, entries.slice(0, 20)))
    must(await adopt(other.store, entries))
    const content = await contentOf(house.url)
    expect(must(await adopt(other.store, entries))).toEqual(entries)
    expect(await contentOf(house.url)).toEqual(content)
    expect(told).toEqual([idsOf(entries.slice(0, 20)), idsOf(entries.slice(20)), []])
  })

  test('are gone on from like any other', async () => {
    await using house = await testStore()
    must(await adopt(house.store, entries))
    const [next] = must(await house.store.append([said('next', 'on we go', 'm1')]))
    const head = entries.findLast(({ session }) => session === 'room-lobby')
    expect([next?.prevHash, next?.seq, next?.position]).toEqual([head?.hash, (head?.seq ?? 0) + 1, entries.length + 1])
    expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([])
  })

  test('of a body that was let go are found by what is known of them, but not by words', async () => {
    await using house = await testStore()
    const [first, second] = entries.filter(({ session }) => session === 'room-lobby')
    if (!first || !second) throw new Error('the history is too short')
    const remains = { event: 'message', size: 99, terms: ['tag:room/lobby', 'event:message'], by: 'c1' }
    const gone = { ...first, body: null as never }
    const taken = must(await house.store.adopt([prepareEntry(gone, remains), prepareEntry(second, null)]))
    expect(taken).toEqual([
      { ...gone, position: 1 },
      { ...second, position: 2 },
    ])
    expect(must(await house.store.query({ order: 'oldest' })).entries).toEqual(taken)
    expect(must(await house.store.query({ room: 'lobby', event: 'message' })).entries).toEqual([taken[0]])
    expect(must(await house.store.query({ text: 'morning' })).entries).toEqual([])
    await using raw = await openRaw(house.url)
    expect(await raw.rows('select * from dropped')).toEqual([{ position: 1, by: 'c1' }])
    expect(await raw.rows('select position, size from entry order by 1')).toMatchObject([
      { position: 1, size: 99 },
      { position: 2 },
    ])
  })

  describe('that do not go with what is here are refused, all of their call', () => {
    let house: TestStore
    let content: Awaited<ReturnType<typeof contentOf>>
    /** What could be taken by itself. */
    let good: Entry[]
    const HERE = 10
    beforeAll(async () => {
      house = await testStore()
      must(await adopt(house.store, entries.slice(0, HERE)))
      content = await contentOf(house.url)
      await using other = await testStore()
      good = must(await other.store.append([{ ...said('good', 'yes'), session: 's-new' }]))
    })
    afterAll(() => house[Symbol.asyncDispose]())

    const last = () => {
      const entry = entries[HERE]
      if (!entry) throw new Error('the history is too short')
      return entry
    }
    const rehashed = (entry: Entry): Entry => ({ ...entry, hash: hashEntry(entry) })
    const here = () => entries.slice(0, HERE).findLast(({ session }) => session === 's-1') as Entry

    test.each<[string, () => Entry[], RefusalCode, () => string]>([
      [
        'a gap before them',
        () => entries.slice(HERE + 1, HERE + 2),
        'chain-diverges',
        () => {
          const { id, seq } = entries[HERE + 1] as Entry
          return `entry ${id} does not follow on what is here of s-1: it is number ${seq}, and number ${seq - 1} comes next`
        },
      ],
      [
        'another body',
        () => [{ ...last(), body: { event: 'heard' } }],
        'chain-broken',
        () => `entry ${last().id} is not what it was when it was written`,
      ],
      [
        'another author',
        () => [{ ...last(), author: { ...last().author, id: 'mallory' } }],
        'chain-broken',
        () => `entry ${last().id} is not what it was when it was written`,
      ],
      [
        'a target that is not here',
        () => [rehashed({ ...last(), inReplyTo: 'nowhere' })],
        'target-missing',
        () => `entry ${last().id} replies to nowhere, which does not exist`,
      ],
      [
        'the id of another entry',
        () => [rehashed({ ...here(), tags: ['other'] })],
        'id-conflict',
        () => `entry ${here().id} exists with other content`,
      ],
      [
        'the content of one that is here, of another time',
        () => [rehashed({ ...here(), at: '2030-01-01T00:00:00.000Z' })],
        'chain-diverges',
        () => `entry ${here().id} is here already, of another time or at another place in its chain`,
      ],
    ])('with %s', async (_, some, code, message) => {
      expect(await adopt(house.store, [...good, ...some()])).toEqual({
        ok: false,
        refusal: { code, message: message(), remedy: refusals[code].remedy },
      })
      expect(await contentOf(house.url)).toEqual(content)
    })
  })
})
