import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type HeadFiles, isOurs, readHead, signHead } from '../../src/evidence/head.ts'
import { compact } from '../../src/evidence/keep.ts'
import { prepareEntry } from '../../src/evidence/prepare.ts'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain, verifyStore } from '../../src/evidence/verify-store.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import type { StoreVerdict } from '../../src/shapes/verdict.ts'
import { scratch } from '../support/folder.ts'
import { must, said, type TestStore, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { DAY_MS, large, policyOf, UNSIGNED, verifyAll } from './every-kind.ts'
import { verdictsOf, write } from './file.ts'
import { history } from './history.ts'
import { during } from './tamper.ts'

const AT = '2026-01-02T03:04:05.000Z'

/** What a head says that was signed with the key in those files, as whoever starts the program would ask. */
const signedIn = (files: HeadFiles) => {
  const head = readHead(files.head)
  return { ...UNSIGNED, head, ours: head !== null && isOurs(head, files.key), expected: existsSync(files.key) }
}

const filesIn = (folder: { path: string }, name: string): HeadFiles => ({
  key: join(folder.path, `${name}.key`),
  head: join(folder.path, `${name}.head`),
})

/** Every entry of a store in the order it was written. */
const everything = async (store: Store): Promise<Entry[]> => {
  const all: Entry[] = []
  for await (const page of store.pages(null)) all.push(...page)
  return all
}

/** What somebody makes who leaves entries out and puts everything else right: a store that agrees with itself. */
const forge = async (store: Store, house: TestStore, keep: (entry: Entry) => boolean): Promise<Store> => {
  const kept = (await everything(store)).filter(keep)
  must(await house.store.adopt(kept.map((entry) => prepareEntry(entry, null))))
  return house.store
}

const verdict = async (store: Store, violations: StoreVerdict['violations'], signed: number | null) => {
  const { position, root } = await store.tip()
  return { ok: violations.length === 0, position, root, signed, violations }
}

describe.each(engines)('in $name', (engine) => {
  test('a store in which nothing is wrong verifies, and says where it ends', async () => {
    await using house = await engine.testStore()
    const empty = await verifyStore(house.store, UNSIGNED)
    await write(history(), house.store, house.clock)
    const entries = await everything(house.store)
    expect([empty, await verifyStore(house.store, UNSIGNED)]).toEqual([
      { ok: true, position: 0, root: '0'.repeat(64), signed: null, violations: [] },
      { ok: true, position: entries.length, root: (await house.store.tip()).root, signed: null, violations: [] },
    ])
  })

  describe('entries that were removed, with everything else put right,', () => {
    const cases: [string, (entry: Entry, end: number) => boolean][] = [
      ['the newest of all', ({ position }, end) => position < end],
      ['the newest seven', ({ position }, end) => position <= end - 7],
      ['a whole chain', ({ session }) => session !== 'room-den'],
      ['everything', () => false],
    ]

    test.each(cases)(
      'do not show by themselves, but by a signed head and by one kept elsewhere: %s',
      async (_, keep) => {
        using folder = scratch()
        await using house = await engine.testStore()
        await using attacker = await engine.testStore()
        await write(history(), house.store, house.clock)
        const { position: end, root } = await house.store.tip()
        const files = filesIn(folder, 'own')
        await signHead(files, await house.store.tip(), AT)
        expect(await verifyStore(house.store, signedIn(files))).toEqual(await verdict(house.store, [], end))

        const forged = await forge(house.store, attacker, (entry) => keep(entry, end))
        const { position } = await forged.tip()
        const cut = (name: string) => ({
          rule: 'truncated',
          what: `${name} is at ${end}, the store ends at ${position}: ${end - position} missing`,
        })
        expect((await verdictsOf(forged)).filter(({ ok }) => !ok)).toEqual([])
        expect([
          await verifyStore(forged, UNSIGNED),
          await verifyStore(forged, signedIn(files)),
          await verifyStore(forged, { ...UNSIGNED, kept: { position: end, root } }),
        ]).toEqual([
          await verdict(forged, [], null),
          await verdict(forged, [cut('the signed head')], end),
          await verdict(forged, [cut('the head you kept')], null),
        ])

        // Once so much was written that it is as long as it was, it is no longer what it was.
        must(await forged.append(Array.from({ length: end }, (_, i) => said(`more${i}`, 'and so on'))))
        const rewritten = (name: string) => ({
          rule: 'rewritten',
          what: `what was written up to ${end} is not what ${name} vouches for`,
        })
        expect([
          await verifyStore(forged, UNSIGNED),
          await verifyStore(forged, { ...signedIn(files), kept: { position: end, root } }),
        ]).toEqual([
          await verdict(forged, [], null),
          await verdict(forged, [rewritten('the signed head'), rewritten('the head you kept')], end),
        ])
      },
    )
  })

  test('what is written after a head was signed is no violation', async () => {
    using folder = scratch()
    await using house = await engine.testStore()
    must(await house.store.append([said('m1', 'hi')]))
    const files = filesIn(folder, 'own')
    await signHead(files, await house.store.tip(), AT)
    must(await house.store.append([said('m2', 'ho')]))
    expect(await verifyStore(house.store, signedIn(files))).toEqual(await verdict(house.store, [], 1))
  })

  test('while others write and let go, nothing looks wrong', async () => {
    await using house = await engine.testStore()
    const { store, clock } = house
    const policy = policyOf({ bodyDays: 1 })
    const verify = (session: string) => verifyChain(store, session)
    let done = false
    // Who looks at nothing has nothing to wait for, and would keep everybody else from their turn.
    must(await store.append([said('first', 'good morning')]))
    const writing = async () => {
      for (let round = 0; round < 25; round++) {
        clock.now += DAY_MS
        const lines = Array.from({ length: 9 }, (_, i) => said(`r${round}-${i}`, `line ${i}`))
        must(await store.append([...lines, said(`r${round}-large`, `${round}${large('x')}`)]))
        const newId = () => `k${round}`
        if (round % 5 === 4) must(await compact({ store, policy, now: clock.now, newId, verify, dry: false }))
      }
    }
    const verdicts: Awaited<ReturnType<typeof verifyAll>>[] = []
    const looking = async () => {
      while (!done) verdicts.push(await verifyAll(store))
    }
    await Promise.all([
      writing().finally(() => {
        done = true
      }),
      looking(),
      looking(),
    ])
    const wrong = verdicts.flatMap(({ chains, store }) => [...chains, store]).filter(({ ok }) => !ok)
    expect(wrong).toEqual([])
    expect(verdicts.length).toBeGreaterThan(1)
  })

  test('whoever waits is told how far it has come', async () => {
    await using house = await engine.testStore()
    for (let i = 0; i < 600; i += 100) {
      must(await house.store.append(Array.from({ length: 100 }, (_, n) => said(`m${i + n}`, 'hi'))))
    }
    const seen: [number, number][] = []
    await verifyStore(house.store, { ...UNSIGNED, progress: (position, of) => void seen.push([position, of]) })
    expect(seen).toEqual([
      [500, 600],
      [600, 600],
    ])
  })
})

describe('a head', () => {
  const house = async (folder: { path: string }) => {
    const own = await testStore()
    must(await own.store.append([said('m1', 'hi')]))
    const files = filesIn(folder, 'own')
    await signHead(files, await own.store.tip(), AT)
    return { ...own, files }
  }

  test('that another key signed is not believed', async () => {
    using folder = scratch()
    await using own = await house(folder)
    const others = filesIn(folder, 'other')
    await signHead(others, await own.store.tip(), AT)
    const check = signedIn({ key: own.files.key, head: others.head })
    expect(await verifyStore(own.store, check)).toEqual(
      await verdict(own.store, [{ rule: 'signature', what: 'the signed head is not of this instance’s key' }], 1),
    )
  })

  test('that is gone while its key is there is missed', async () => {
    using folder = scratch()
    await using own = await house(folder)
    rmSync(own.files.head)
    const missing = [{ rule: 'signature', what: 'there is no signed head' }]
    expect(await verifyStore(own.store, signedIn(own.files))).toEqual(await verdict(own.store, missing, null))
    await using empty = await testStore()
    expect(await verifyStore(empty.store, signedIn(own.files))).toEqual(await verdict(empty.store, missing, null))
  })

  test('without its key vouches for nothing', async () => {
    using folder = scratch()
    await using own = await house(folder)
    rmSync(own.files.key)
    expect(await verifyStore(own.store, signedIn(own.files))).toEqual(
      await verdict(own.store, [{ rule: 'signature', what: 'the signed head is not of this instance’s key' }], 1),
    )
  })

  test('of a store that was never signed is not missed', async () => {
    using folder = scratch()
    await using own = await testStore()
    must(await own.store.append([said('m1', 'hi')]))
    expect(await verifyStore(own.store, signedIn(filesIn(folder, 'none')))).toEqual(await verdict(own.store, [], null))
  })

  test('that is missed is said first, however much else is wrong', async () => {
    using folder = scratch()
    await using own = await house(folder)
    must(await own.store.append(Array.from({ length: 250 }, (_, i) => said(`n${i}`, 'hi'))))
    rmSync(own.files.head)
    const statements = [sql`update tip set skew = 1`, sql`drop trigger entry_fixed`, sql`update entry set high = 'x'`]
    const found = await during(own.store, { what: '', statements }, ({ engine }) =>
      verifyStore({ engine }, signedIn(own.files)),
    )
    expect([found?.violations.length, found?.violations.slice(0, 3)]).toEqual([
      200,
      [
        { rule: 'tip', what: 'the tip says another time than the entries' },
        { rule: 'signature', what: 'there is no signed head' },
        { rule: 'index', what: 'm1 is kept under another time than its own' },
      ],
    ])
  })
})

test.each([
  ['an entry is missing', ['delete from entry where position = 2'], 'missing', 'm3 has place 3 after 1'],
  [
    'an entry comes before all',
    ['update entry set position = -1 where position = 1'],
    'missing',
    'm1 has place -1 after 0',
  ],
  ['the tip is gone', ['delete from tip'], 'tip', 'the store ends at 3, its tip says nothing'],
  ['the tip lags behind', ['update tip set position = 2'], 'tip', 'the store ends at 3, its tip says 2'],
  ['the tip is ahead', ['update tip set position = 4'], 'tip', 'the store ends at 3, its tip says 4'],
  ['the root is another', ["update tip set root = 'x'"], 'tip', 'the store ends at 3, its tip says 3'],
  ['the tip has another time', ["update tip set high = 'x'"], 'tip', 'the tip says another time than the entries'],
  [
    'an entry has another time',
    ["update entry set high = 'x' where position = 1"],
    'index',
    'm1 is kept under another time than its own',
  ],
  ['a chain has no head', ['delete from chain'], 'head', 'chain room-lobby has lost its head'],
  [
    'a body is packed otherwise',
    ["update body set json = json || ' ' where position = 1"],
    'body',
    'm1 has a body that is kept in another way than it was written',
  ],
  [
    'a body is said to be gone',
    ["insert into dropped values (1, 'k')"],
    'body',
    'm1 is said to have let its body go, and has it',
  ],
  ['words are gone', ['delete from words where rowid = 1'], 'index', 'm1 is not found by its words'],
  [
    'words are nobody’s',
    ["insert into words (rowid, text) values (9, 'x')"],
    'index',
    'no entry has what is kept under words: 1 too many',
  ],
  [
    'a body is nobody’s',
    ["insert into body values (9, '{}')"],
    'index',
    'no entry has what is kept under bodies: 1 too many',
  ],
  [
    'a blob is nobody’s',
    ["insert into blob values ('x', 1, x'00')"],
    'index',
    'no entry has what is kept under blobs: 1 too many',
  ],
  [
    'a term is nobody’s',
    ["insert into term values (99, 'tag:x', 0)"],
    'index',
    'no entry has what is kept under terms: 1 too many',
  ],
  [
    'a term counts too many',
    ["update term set count = 9 where name = 'author:ada'"],
    'index',
    'author:ada counts 9, and lists 3',
  ],
  [
    'a row is written otherwise',
    ["update entry set tags = tags || ' ' where position = 1"],
    'form',
    'm1 is not written as entries are',
  ],
])('where %s, the first thing said is just that', async (_, texts, rule, what) => {
  await using house = await testStore()
  for (const id of ['m1', 'm2', 'm3']) must(await house.store.append([said(id, 'hi')]))
  const guards = ['drop trigger entry_kept', 'drop trigger entry_fixed', 'drop trigger body_fixed']
  const statements = [...guards, ...texts].map((text) => sql.raw(text))
  const found = await during(house.store, { what: '', statements }, ({ engine }) => verifyStore({ engine }, UNSIGNED))
  expect(found?.violations[0]).toEqual({ rule, what })
})
