import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../src/commands/progress.ts'
import { openStore, type Store, versionsOf } from '../../src/evidence/store.ts'
import { folderAt, openFolder } from '../../src/house/folder.ts'
import { lockFolder } from '../../src/house/lock.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must, sessionOfOneStep } from '../support/store.ts'

const COUNT = sessionOfOneStep().length

const inStore = async <T>(url: string, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore({ url, clock: systemClock })
  return work(store).finally(store.close)
}

const entriesIn = (url: string): Promise<Entry[]> =>
  inStore(url, async (store) => must(await store.query({ order: 'oldest', limit: 100 })).entries)

/** A folder with the data of an instance that was here once, and room for files. */
const house = async () => {
  const folder = scratch()
  const data = join(folder.path, 'data')
  const { store: url } = openFolder(data)
  must(await inStore(url, (store) => store.append(sessionOfOneStep())))
  const tip = await inStore(url, (store) => store.tip())
  const run = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await bellhop(['evidence', ...args], { cwd: folder.path })
    return { stdout, stderr, exitCode }
  }
  return {
    path: folder.path,
    file: (name: string) => join(folder.path, name),
    root: tip.root,
    url,
    run,
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

const said = (...lines: string[]) => ({ stdout: lines.join('\n'), stderr: '', exitCode: 0 })
const failed = (...lines: string[]) => ({ stdout: '', stderr: lines.join('\n'), exitCode: 1 })

describe('bellhop evidence export and import', () => {
  test('carry the evidence from one data folder to another, once', async () => {
    using one = await house()
    const summary = `exported ${COUNT} entries, up to ${COUNT}`
    expect(await one.run('export', 'e.jsonl', '--data', 'data')).toEqual(said(summary))
    const file = readFileSync(one.file('e.jsonl'), 'utf8')
    expect(await one.run('export', '--data', 'data')).toEqual({ stdout: file.trimEnd(), stderr: summary, exitCode: 0 })

    const { root } = one
    const dry = await one.run('import', 'e.jsonl', '--data', 'new', '--dry-run')
    expect(dry).toEqual(said(`would import ${COUNT} of ${COUNT} entries, all of them whole`))
    expect(existsSync(one.file('new'))).toBe(false)
    const imported = { ok: true, entries: COUNT, added: COUNT, position: COUNT, root }
    expect(await one.run('import', 'e.jsonl', '--data', 'new', '--json')).toEqual(said(JSON.stringify(imported)))
    expect(await entriesIn(folderAt(one.file('new')).store)).toEqual(await entriesIn(one.url))
    const again = await one.run('import', 'e.jsonl', '--data', 'new')
    expect(again).toEqual(said(`imported 0 of ${COUNT} entries, all of them whole`))
  })

  test('go on with a file that was cut off', async () => {
    using one = await house()
    await one.run('export', 'e.jsonl', '--data', 'data')
    const file = readFileSync(one.file('e.jsonl'), 'utf8')
    expect(await one.run('export', 'e.jsonl', '--data', 'data')).toEqual(
      failed(
        `bellhop: ${one.file('e.jsonl')} is there already`,
        '  choose another name, or go on with it with --resume',
      ),
    )
    writeFileSync(one.file('e.jsonl'), file.slice(0, file.length / 2))
    const cut = await one.run('import', 'e.jsonl', '--data', 'new')
    expect(cut).toMatchObject({ stdout: '', exitCode: 1 })
    expect(cut.stderr).toMatch(/^bellhop: the file is cut off after \d entries: imported \d\n {2}run it again/)
    const { root } = one
    expect(await one.run('export', 'e.jsonl', '--data', 'data', '--resume', '--json')).toEqual(
      said(JSON.stringify({ ok: true, entries: COUNT, position: COUNT, root })),
    )
    expect(readFileSync(one.file('e.jsonl'), 'utf8')).toBe(file)
    expect(await one.run('import', 'e.jsonl', '--data', 'new')).toMatchObject({ exitCode: 0 })
  })

  test('say what is wrong, and what to do', async () => {
    using one = await house()
    await one.run('export', 'e.jsonl', '--data', 'data')
    const file = readFileSync(one.file('e.jsonl'), 'utf8')
    writeFileSync(one.file('bad.jsonl'), file.replace('"id":"t1"', '"id":"t9"'))
    const message = 'line 4: entry t9 is not what it was when it was written'
    const remedy = 'look at the file with `bellhop verify`, and take an older copy'
    expect(await one.run('import', 'bad.jsonl', '--data', 'new')).toEqual(
      failed(`bellhop: ${message} [chain-broken]`, `  ${remedy}`),
    )
    const refusal = { code: 'chain-broken', message, remedy }
    expect(await one.run('import', 'bad.jsonl', '--data', 'new', '--json')).toEqual({
      ...said(JSON.stringify({ ok: false, refusal })),
      exitCode: 1,
    })
    expect(await one.run('import', 'none.jsonl', '--data', 'new')).toEqual(
      failed('bellhop: cannot read none.jsonl: ENOENT', '  name a file that you may read'),
    )
    expect(await one.run('export', '--data', 'nowhere')).toEqual(
      failed(`bellhop: there is no evidence in ${one.file('nowhere')}`, '  name the data folder with --data DIR'),
    )
    expect(await one.run('export', '--data', 'data', '--resume')).toEqual(
      failed('bellhop: only a file can be gone on with', '  name one, or leave out --resume'),
    )
    const { stderr } = await one.run('export', '--data', 'data', '--after', 'x')
    expect(stderr).toContain("argument 'x' is invalid. expected a position: a number from 0 on.")
  })
})

describe('bellhop evidence backup and restore', () => {
  test('put back what was saved, and keep what was there', async () => {
    using one = await house()
    const { root } = one
    const saved = `saved ${COUNT} entries in copy.db\n  root ${root}`
    expect(await one.run('backup', 'copy.db', '--data', 'data')).toEqual(said(saved))
    expect(await one.run('restore', 'copy.db', '--data', 'new')).toEqual(said(`restored ${COUNT} entries from copy.db`))
    expect(await entriesIn(folderAt(one.file('new')).store)).toEqual(await entriesIn(one.url))
    expect(await one.run('restore', 'copy.db', '--data', 'data')).toEqual(
      failed(
        `bellhop: there is evidence in ${one.url} already`,
        '  restore with --replace: what is there is moved aside, and not removed',
      ),
    )
    const dry = await one.run('restore', 'copy.db', '--data', 'data', '--replace', '--dry-run')
    expect(dry.stdout).toMatch(
      /^would restore \d+ entries from copy.db\n {2}what was there would be in .*before-restore/,
    )
    expect(readdirSync(one.file('data')).filter((name) => name.includes('before-restore'))).toEqual([])
    const replaced = await one.run('restore', 'copy.db', '--data', 'data', '--replace', '--json')
    const { aside, ...rest } = JSON.parse(replaced.stdout)
    expect(rest).toEqual({ ok: true, entries: COUNT, position: COUNT, root })
    expect(await entriesIn(aside)).toEqual(await entriesIn(one.url))
  })

  test('save what an instance has while it runs, and put back nothing under its feet', async () => {
    using one = await house()
    const unlock = lockFolder(folderAt(one.file('data')))
    expect(await one.run('backup', 'copy.db', '--data', 'data')).toMatchObject({ exitCode: 0 })
    expect(await one.run('restore', 'copy.db', '--data', 'data', '--replace')).toEqual(
      failed(
        `bellhop: another Bellhop runs on ${one.file('data')}`,
        '  talk to it with `bellhop say`, end it, or start this one with another --data DIR',
      ),
    )
    expect(await one.run('restore', 'copy.db', '--data', 'data', '--dry-run')).toEqual(
      failed(`bellhop: a Bellhop runs on ${one.file('data')}`, '  end it first, or name another --data DIR'),
    )
    unlock()
  })

  test.skipIf(postgresMissing)('move the evidence to PostgreSQL, and back', async () => {
    using one = await house()
    const url = await sharedPostgres().database()
    const there = async (...args: string[]) => {
      const { stdout, stderr, exitCode } = await bellhop(['evidence', ...args, '--data', 'other'], {
        cwd: one.path,
        env: { BELLHOP_EVIDENCE: url },
      })
      return { stdout, stderr, exitCode }
    }
    await one.run('export', 'e.jsonl', '--data', 'data')
    const dry = () => there('import', 'e.jsonl', '--dry-run')
    expect(await dry()).toEqual(said(`would import ${COUNT} of ${COUNT} entries, all of them whole`))
    // Not even a table was made.
    expect((await versionsOf(url)).version).toBe(0)
    await one.run('backup', 'copy.db', '--data', 'data')
    expect(await there('restore', 'copy.db')).toEqual(said(`restored ${COUNT} entries from copy.db`))
    expect(await dry()).toEqual(said(`would import 0 of ${COUNT} entries, all of them whole`))
    expect(await entriesIn(url)).toEqual(await entriesIn(one.url))
    expect(await there('backup', 'back.db')).toEqual(said(`saved ${COUNT} entries in back.db\n  root ${one.root}`))
    await one.run('restore', 'back.db', '--data', 'data', '--replace')
    expect(await entriesIn(one.url)).toEqual(await entriesIn(url))
  })
})

describe('a line of progress', () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = []
    return { isTTY, written, write: (text: string) => written.push(text) }
  }

  test('says how many, what share and how fast, at most ten times a second, and goes away', () => {
    const shown = screen(true)
    const clock = { now: 1000 }
    const progress = createProgress('exported', shown, () => clock.now)
    for (const [now, entries] of [
      [1050, 10],
      [1500, 2000],
      [1550, 2200],
      [2000, 12_345],
    ] as const) {
      clock.now = now
      progress.show(entries, 40_000)
    }
    clock.now = 3000
    progress.show(1000, null)
    clock.now = 3500
    progress.show(2000, null)
    progress.end()
    expect(shown.written).toEqual([
      '\r\u001b[Kexported 10 entries (0 %), 200 a second',
      '\r\u001b[Kexported 2,000 entries (5 %), 4,000 a second',
      '\r\u001b[Kexported 12,345 entries (30 %), 12,345 a second',
      '\r\u001b[Kexported 1,000 entries, 1,000,000 a second',
      '\r\u001b[Kexported 2,000 entries, 4,000 a second',
      '\r\u001b[K',
    ])
  })

  test('is not shown where nobody watches', () => {
    const shown = screen(false)
    const progress = createProgress('exported', shown)
    progress.show(10, 20)
    progress.end()
    expect(shown.written).toEqual([])
  })
})
