import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore } from '../../src/evidence/store.ts'
import { backupTo } from '../../src/evidence/transfer/backup.ts'
import { exportTo } from '../../src/evidence/transfer/export.ts'
import { restoreFrom } from '../../src/evidence/transfer/restore.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must, reopened, said, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { openFile, openUnguarded, verdictsOf } from './file.ts'
import { answersOf, everything, fill, lines } from './filled.ts'
import { writeVersionOne } from './version-one.ts'
import { startWriter } from './writers.ts'

const clock = () => Date.parse('2026-02-03T04:05:06.789Z')
const ASIDE = 'evidence.db.before-restore-2026-02-03T04-05-06-789Z'

describe.each(engines)('a backup of a store in $name', (engine) => {
  test('is a store itself, in one file that only its owner may read', async () => {
    using folder = scratch()
    await using house = await engine.testStore()
    await fill(house)
    const answers = await answersOf(house.store)
    const path = join(folder.path, 'copy.db')
    const { position, root } = answers.tip
    expect(await backupTo(house.store, path)).toEqual({ entries: position, position, root })
    expect(readdirSync(folder.path)).toEqual(['copy.db'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await using copy = await opened(path)
    expect(await answersOf(copy.store)).toEqual(answers)
    expect(readdirSync(folder.path)).toEqual(['copy.db'])
    await expect(backupTo(house.store, path)).rejects.toMatchObject({
      message: `${path} is there already`,
      fix: 'choose another name',
    })
  })

  test('that is made while a process writes is of one moment, and whole', async () => {
    using folder = scratch()
    await using house = await engine.testStore()
    must(await house.store.append(heavy(30)))
    const writer = await startWriter(house.url, 'writer', 1_000_000)
    writer.go()
    await eventually('writes to be acknowledged', () => writer.acknowledged().length > 20)
    const path = join(folder.path, 'copy.db')
    const before = await house.store.head()
    const { position } = await backupTo(house.store, path)
    const after = await eventually('more to be written', async () => {
      const head = await house.store.head()
      return head > position && head
    })
    writer.kill()
    await writer.ended()
    expect([before <= position, position < after]).toEqual([true, true])
    await using copy = await opened(path)
    expect(await everything(copy.store)).toEqual((await everything(house.store)).slice(0, position))
    expect((await verdictsOf(copy.store)).map(({ session, ok, entries }) => ({ session, ok, entries }))).toEqual([
      { session: 'room-lobby', ok: true, entries: position },
    ])
  })

  test.each(engines)('is restored into an empty $name, and into none that has other evidence', async (other) => {
    using folder = scratch()
    await using house = await engine.testStore()
    await using target = await other.testStore()
    await fill(house)
    const answers = await answersOf(house.store)
    const path = join(folder.path, 'copy.db')
    const saved = await backupTo(house.store, path)
    await target.store.close()
    const aside = other.name === 'SQLite' ? join(target.url, '..', ASIDE) : null
    expect(await restoreFrom(path, target.url, { clock, dryRun: true })).toEqual({ ...saved, aside })
    {
      await using there = await reopened(target.url)
      expect(await everything(there.store)).toEqual([])
    }
    expect(await restoreFrom(path, target.url, { clock })).toEqual({ ...saved, aside })
    await using there = await reopened(target.url)
    expect(await answersOf(there.store)).toEqual(answers)
    must(await there.store.append([said('x1', 'life goes on')]))
    await expect(restoreFrom(path, target.url, { clock })).rejects.toMatchObject(
      other.name === 'SQLite'
        ? {
            message: `there is evidence in ${target.url} already`,
            fix: 'restore with --replace: what is there is moved aside, and not removed',
          }
        : {
            message: 'there is other evidence where this should go',
            fix: 'name an empty schema or database in BELLHOP_EVIDENCE',
          },
    )
  })
})

/** A backup, as somebody opens it who may not write there. */
const opened = async (path: string) => {
  const store = await openStore({ url: path, clock: systemClock, readonly: true })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

/** Drafts that take their room on the disk. */
const heavy = (count: number): Draft[] =>
  lines('heavy', count).map((draft) => ({
    ...draft,
    body: { event: 'message', text: randomBytes(100_000).toString('hex') },
  }))

describe('a backup', () => {
  test('does not begin again whenever somebody writes', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(heavy(120)))
    using file = openFile(house.url)
    let steps = 0
    const disturb = () => {
      steps += 1
      if (steps < 100) file.run('insert into fence values (?, 1)', `scope-${steps}`)
    }
    await backupTo(house.store, join(folder.path, 'copy.db'), disturb)
    expect([steps > 2, steps < 10]).toEqual([true, true])
  })

  test('takes the place of one that was interrupted, and of nothing else', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = join(folder.path, 'copy.db')
    folder.write('copy.db.part', 'half a copy')
    folder.write('copy.db.part-journal', 'of another time')
    await backupTo(house.store, path)
    expect(readdirSync(folder.path)).toEqual(['copy.db'])
    folder.write('more.db-wal', 'of another time')
    await expect(backupTo(house.store, join(folder.path, 'more.db'))).rejects.toThrow('more.db-wal is there already')
  })

  test('that cannot be written leaves nothing behind', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    await expect(backupTo(house.store, join(folder.path, 'none', 'copy.db'))).rejects.toMatchObject({
      message: `cannot write ${folder.path}/none/copy.db.part: ENOENT`,
      fix: 'check that the folder is there, and that you may write there',
    })
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('of a store that is not whole is made, and says so', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    using file = openUnguarded(house.url)
    file.run("update entry set hash = 'x' where position = 2")
    const path = join(folder.path, 'copy.db')
    await expect(backupTo(house.store, path)).rejects.toMatchObject({
      message: 'the evidence store is damaged: the backup was made, but its entries do not add up to its root',
    })
    await using copy = await opened(path)
    expect(await everything(copy.store)).toEqual(await everything(house.store))
  })
})

describe('a restore', () => {
  test('moves aside what it replaces, with all that belongs to it', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = join(folder.path, 'copy.db')
    const saved = await backupTo(house.store, path)
    const url = join(folder.path, 'evidence.db')
    const old = await openStore({ url, clock: systemClock })
    must(await old.append([said('o', 'old')]))
    // As if it had been killed: what was written last is not in the file yet, but beside it.
    expect(existsSync(`${url}-wal`)).toBe(true)
    const restored = await restoreFrom(path, url, { clock, replace: true })
    expect(restored).toEqual({ ...saved, aside: join(folder.path, ASIDE) })
    expect(readdirSync(folder.path)).toEqual(['copy.db', 'evidence.db', ASIDE, `${ASIDE}-shm`, `${ASIDE}-wal`])
    await old.close()
    await using there = await reopened(url)
    expect(await everything(there.store)).toEqual(await everything(house.store))
    await using aside = await reopened(join(folder.path, ASIDE))
    expect((await everything(aside.store)).map(({ id }) => id)).toEqual(['o'])
    await expect(restoreFrom(path, url, { clock, replace: true })).rejects.toThrow(`${ASIDE} is there already`)
  })

  test('brings a backup of an older version to this one, and leaves the backup as it was', async () => {
    using folder = scratch()
    const path = join(folder.path, 'old.db')
    const said = lines('old', 3).map((draft) => ({ draft, at: '2025-12-31T23:59:59.000Z' }))
    const entries = writeVersionOne(path, said, {})
    const before = readFileSync(path)
    const url = join(folder.path, 'evidence.db')
    expect(await restoreFrom(path, url, { clock })).toMatchObject({ entries: 3, position: 3, aside: null })
    await using there = await reopened(url)
    expect(await everything(there.store)).toEqual(entries)
    expect((await verdictsOf(there.store)).map(({ ok }) => ok)).toEqual([true])
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test.each([
    ['an entry that was changed', "update entry set author_id = 'eve' where position = 2", 'entry a-1 was changed'],
    [
      'a body that was changed',
      `update body set json = '{"event":"message","text":"x"}' where position = 2`,
      'entry a-1 was changed',
    ],
    ['a last entry that was removed', 'delete from entry where position = 3', 'it ends at 2, and says 3'],
    ['another root', "update tip set root = 'x'", 'its entries do not add up to its root'],
  ])('refuses a backup with %s, and touches nothing', async (_what, change, why) => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = join(folder.path, 'copy.db')
    await backupTo(house.store, path)
    {
      using file = openUnguarded(path)
      file.run(change)
    }
    await expect(restoreFrom(path, join(folder.path, 'evidence.db'), { clock, replace: true })).rejects.toMatchObject({
      message: `${path} is not whole: ${why}`,
      fix: 'take an older backup',
    })
    expect(readdirSync(folder.path)).toEqual(['copy.db'])
  })

  test('refuses what is no backup', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 300)))
    const url = join(folder.path, 'evidence.db')
    const file = (name: string) => join(folder.path, name)
    await exportTo(house.store, file('export.jsonl'))
    await backupTo(house.store, file('cut.db'))
    truncateSync(file('cut.db'), 5000)
    await backupTo(house.store, file('later.db'))
    {
      using later = openFile(file('later.db'))
      later.run(`pragma user_version = ${sqliteSchema.length + 1}`)
      using other = openFile(file('other.db'))
      other.run('create table t (x)')
    }
    const fix = 'give a file that `bellhop evidence backup` made'
    const why = async (name: string) =>
      restoreFrom(file(name), url, { clock }).catch(({ message, fix }) => ({ message, fix }))
    expect(await why('none.db')).toEqual({ message: `there is no ${file('none.db')}`, fix })
    for (const name of ['export.jsonl', 'cut.db', 'other.db']) {
      expect(await why(name)).toEqual({
        message: `${file(name)} is no evidence store`,
        fix: `${fix}; an export goes in with \`bellhop evidence import\``,
      })
    }
    const known = sqliteSchema.length
    expect(await why('later.db')).toEqual({
      message: `${file('later.db')} was written by a newer Bellhop (store version ${known + 1}, this one knows ${known})`,
      fix: 'update Bellhop, and restore it then',
    })
  })

  test('does not take a file that it cannot read for an empty store', async () => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = join(folder.path, 'copy.db')
    await backupTo(house.store, path)
    const url = folder.write('evidence.db', 'what was left of the evidence after the disk broke')
    await expect(restoreFrom(path, url, { clock })).rejects.toThrow(`there is evidence in ${url} already`)
    const { aside } = await restoreFrom(path, url, { clock, replace: true })
    expect(readFileSync(aside ?? '', 'utf8')).toBe('what was left of the evidence after the disk broke')
  })

  test('reads a backup where it may not write', async () => {
    using folder = scratch()
    using elsewhere = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = join(folder.path, 'copy.db')
    const saved = await backupTo(house.store, path)
    chmodSync(path, 0o400)
    chmodSync(folder.path, 0o500)
    expect(await restoreFrom(path, join(elsewhere.path, 'evidence.db'), { clock })).toEqual({ ...saved, aside: null })
    chmodSync(folder.path, 0o700)
    expect(readdirSync(folder.path)).toEqual(['copy.db'])
  })

  test.skipIf(postgresMissing)('into PostgreSQL goes on where it was interrupted, and replaces nothing', async () => {
    using folder = scratch()
    await using house = await testStore()
    await using target = await testStore(await sharedPostgres().database())
    for (const n of [1, 2, 3]) must(await house.store.append(lines(`n${n}`, 400)))
    const path = join(folder.path, 'copy.db')
    const saved = await backupTo(house.store, path)
    let parts = 0
    // The first part of the work is to prove the backup.
    const progress = () => {
      parts += 1
      if (parts > 4) throw new Error('the line went dead')
    }
    await expect(restoreFrom(path, target.url, { clock, progress })).rejects.toThrow('the line went dead')
    expect((await target.store.tip()).position).toBe(1000)
    await expect(restoreFrom(path, target.url, { clock, replace: true })).rejects.toMatchObject({
      message: 'evidence in PostgreSQL is never replaced',
      fix: 'leave out --replace, and name an empty schema or database in BELLHOP_EVIDENCE',
    })
    expect(await restoreFrom(path, target.url, { clock })).toEqual({ ...saved, aside: null })
    expect(await answersOf(target.store)).toEqual(await answersOf(house.store))
  })
})
