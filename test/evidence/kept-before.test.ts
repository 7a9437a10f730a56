import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import type { Migrated } from '../../src/evidence/engine/sharing.ts'
import { SHARED_SINCE } from '../../src/evidence/engine/sharing.ts'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore } from '../../src/evidence/store.ts'
import { verifyStore } from '../../src/evidence/verify-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { builtModule } from '../support/built.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing, startPostgres } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must, said, sessionOfOneStep, testStore } from '../support/store.ts'
import { openRaw } from './file.ts'
import { writeVersionOne } from './version-one.ts'

const KILLS = process.env['BELLHOP_LONG'] === '1' ? 200 : 6
const KNOWN = sqliteSchema.length

/** A store of the first version, with so many entries. */
const old = (path: string, entries: number): void => {
  const lines = Array.from({ length: entries }, (_, i) => ({
    draft: { ...said(`m${i}`, `line ${i} ${'x'.repeat(200)}`), ephemeral: false },
    at: new Date(Date.parse('2026-01-02T03:04:05.000Z') + i).toISOString(),
  }))
  writeVersionOne(path, lines, { fence: [], session: [], turn: [], room: [] })
}

/** A program that opens a store, and closes it. */
const opener = (folder: ReturnType<typeof scratch>): string => {
  return folder.write(
    'open.mjs',
    `import { openStore } from ${JSON.stringify(builtModule('evidence/store'))}\nprocess.stdout.write('begun')\nawait (await openStore({ url: process.argv[2], clock: Date.now })).close()\n`,
  )
}

/** The whole copies in a folder. */
const keptIn = (folder: string): string[] => readdirSync(folder).filter((name) => /before-v\d+-[\dTZ-]+$/.test(name))

const versionOf = (path: string): number => {
  const file = new Sqlite(path, { readonly: true })
  try {
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok')
    return file.pragma('user_version', { simple: true }) as number
  } finally {
    file.close()
  }
}

const UNSIGNED = { head: null, ours: false, expected: false, kept: null, progress: () => {} }

const expectWhole = async (path: string, entries: number): Promise<void> => {
  const store = await openStore({ url: path, clock: systemClock, keepOld: false })
  const { ok, position, violations } = await verifyStore(store, UNSIGNED)
  await store.close()
  expect({ ok, position, violations }).toEqual({ ok: true, position: entries, violations: [] })
}

test('a store of an older version is kept as it was, beside it, before it is brought to this one', async () => {
  using folder = scratch()
  const path = join(folder.path, 'evidence.db')
  old(path, 50)
  const told: Migrated[] = []
  const open = () => openStore({ url: path, clock: systemClock, migrated: (done) => void told.push(done) })
  await (await open()).close()
  await (await open()).close()
  const [kept = ''] = readdirSync(folder.path).filter((name) => name.startsWith('evidence.db.v'))
  expect(kept).toMatch(new RegExp(`^evidence\\.db\\.v1-before-v${KNOWN}-[\\dTZ-]+$`))
  expect(told).toEqual([{ from: 1, to: KNOWN, kept: join(folder.path, kept) }])
  expect(statSync(join(folder.path, kept)).mode & 0o777).toBe(0o600)
  expect([versionOf(path), versionOf(join(folder.path, kept))]).toEqual([KNOWN, 1])
  await expectWhole(path, 50)
  await expectWhole(join(folder.path, kept), 50)
})

test('a store that cannot be brought to this version is as it was, and no copy of it is left at each try', async () => {
  using folder = scratch()
  const path = join(folder.path, 'evidence.db')
  old(path, 5)
  const file = new Sqlite(path)
  file.exec('create table words (it text)')
  file.close()
  const open = () => openStore({ url: path, clock: systemClock })
  await expect(open()).rejects.toThrow('table words already exists')
  await expect(open()).rejects.toThrow('table words already exists')
  expect([versionOf(path), keptIn(folder.path)]).toEqual([1, []])
})

test('of several that start on an older store at the same time, the one that brings it on keeps it', async () => {
  using folder = scratch()
  const path = join(folder.path, 'evidence.db')
  old(path, 50)
  const program = opener(folder)
  const busy = new Sqlite(path)
  busy.exec('begin immediate')
  const both = [1, 2].map(() => execa(process.execPath, [program, path]))
  await eventually('both to have made a copy', () => keptIn(folder.path).length === 2)
  busy.exec('commit')
  busy.close()
  await Promise.all(both)
  const kept = keptIn(folder.path)
  expect(kept.length).toBe(1)
  await expectWhole(join(folder.path, kept[0] ?? ''), 50)
  await expectWhole(path, 50)
})

test('a new store has nothing to keep', async () => {
  using folder = scratch()
  await (await openStore({ url: join(folder.path, 'evidence.db'), clock: systemClock })).close()
  expect(readdirSync(folder.path).filter((name) => name.includes('before'))).toEqual([])
})

test('`bellhop migrate` says what it would do, does it, and then has nothing to do', async () => {
  using data = scratch()
  old(join(data.path, 'evidence.db'), 20)
  const migrate = (...flags: string[]) => bellhop(['migrate', '--data', data.path, '--json', ...flags])
  expect(JSON.parse((await migrate('--dry-run')).stdout)).toEqual({
    ok: true,
    from: 1,
    to: KNOWN,
    kept: null,
    dryRun: true,
  })
  expect(versionOf(join(data.path, 'evidence.db'))).toBe(1)
  expect(JSON.parse((await migrate('--no-backup')).stdout)).toEqual({
    ok: true,
    from: 1,
    to: KNOWN,
    kept: null,
    dryRun: false,
  })
  expect(JSON.parse((await migrate()).stdout)).toEqual({ ok: true, from: KNOWN, to: KNOWN, kept: null, dryRun: false })
})

test(`killed at any of ${KILLS} points, a migration leaves the old store or the new one, and whole copies only`, async () => {
  using folder = scratch()
  const source = join(folder.path, 'old.db')
  const entries = 1500
  old(source, entries)
  const program = opener(folder)
  const seen = new Set<number>()
  for (let i = 0; i < KILLS; i++) {
    const path = join(folder.path, `${i}`, 'evidence.db')
    writeFileSync(folder.write(`${i}/.keep`, ''), '')
    copyFileSync(source, path)
    const child = execa(process.execPath, [program, path], { reject: false })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    // From at once to after its end.
    await new Promise((resolve) => setTimeout(resolve, (i * 400) / KILLS))
    child.kill('SIGKILL')
    await child
    seen.add(versionOf(path))
    for (const name of keptIn(join(folder.path, `${i}`))) await expectWhole(join(folder.path, `${i}`, name), entries)
    await expectWhole(path, entries)
  }
  expect([...seen].every((version) => version === 1 || version === KNOWN)).toBe(true)
})

describe('a store that a newer Bellhop has brought on', () => {
  test('in SQLite can be shared while only something was added, and not else', async () => {
    await using house = await testStore()
    const file = new Sqlite(house.url)
    file.exec(
      `alter table entry add column shade text; create table shade (id text) strict; pragma user_version = ${KNOWN + 1}`,
    )
    // What says nothing of who may share it is for its own version alone.
    file.pragma('application_id = 0')
    const open = async () => {
      const store = await openStore({ url: house.url, clock: systemClock })
      return store.append([said(`m${Math.random()}`.replace('.', ''), 'hello')]).finally(store.close)
    }
    await expect(open()).rejects.toThrow('newer Bellhop')
    file.pragma(`application_id = ${KNOWN}`)
    must(await open())
    file.pragma(`application_id = ${KNOWN + 1}`)
    await expect(open()).rejects.toThrow('newer Bellhop')
    file.close()
  })

  test.skipIf(postgresMissing)('in PostgreSQL, too', async () => {
    const url = await sharedPostgres().database()
    await using house = await testStore(url)
    await using raw = await openRaw(url)
    await raw.run('alter table entry add column shade text')
    await raw.run('update store set version = version + 1, since = null')
    const open = async () => {
      const store = await openStore({ url, clock: systemClock })
      return store.append([said('later', 'hello')]).finally(store.close)
    }
    await expect(open()).rejects.toThrow('newer Bellhop')
    await raw.run('update store set since = version - 1')
    must(await open())
    expect(await house.store.head()).toBe(1)
  })

  test.skipIf(postgresMissing)('PostgreSQL keeps the tables of an older version in a schema of their own', async () => {
    // What is kept stays: others look for theirs on the server that all share, and leave theirs there.
    await using server = await startPostgres()
    const url = await server.database()
    {
      await using house = await testStore(url)
      must(await house.store.append([said('m1', 'hello')]))
    }
    // An older version whose step to this one adds nothing that is there: so it has to fail, and nothing may be left.
    await using raw = await openRaw(url)
    const schemas = () => raw.rows("select nspname from pg_namespace where nspname like 'bellhop%'")
    await raw.run('update store set version = 0')
    await expect(openStore({ url, clock: systemClock })).rejects.toThrow('already exists')
    expect(await schemas()).toEqual([])
    expect(await raw.rows('select * from store')).toEqual([{ version: 0, since: SHARED_SINCE.postgres }])
  })

  test.skipIf(postgresMissing)('PostgreSQL keeps them as of one moment, whoever writes meanwhile', async () => {
    await using server = await startPostgres()
    const url = await server.database()
    await using house = await testStore(url)
    await using raw = await openRaw(url)
    await raw.run('update store set version = version - 1, since = null')
    await using busy = await openRaw(url)
    await busy.run('begin; lock table fence in access exclusive mode')
    const opened = openStore({ url, clock: systemClock })
    await eventually('some tables to be copied', async () => {
      const waiting = await raw.rows("select 1 from pg_locks where relation = 'fence'::regclass and not granted")
      return waiting.length > 0
    })
    must(await house.store.append(sessionOfOneStep()))
    await busy.run('commit')
    await (await opened).close()
    const [kept] = await raw.rows("select nspname from pg_namespace where nspname like 'bellhop%'")
    const counts = ['entry', 'chain', 'term', 'posting', 'words', 'session', 'turn'].map(
      (table) => `(select count(*) from ${kept?.['nspname']}.${table}) as ${table}`,
    )
    const [found] = await raw.rows(`select ${counts.join()}`)
    expect(new Set(Object.values(found ?? {}))).toEqual(new Set([0]))
  })
})
