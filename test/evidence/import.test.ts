import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GENESIS, hashEntry } from '../../src/evidence/hash.ts'
import { copyStore } from '../../src/evidence/transfer/copy.ts'
import { LINE_BYTES } from '../../src/evidence/transfer/format.ts'
import { importFrom } from '../../src/evidence/transfer/import.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { type RefusalCode, refusals } from '../../src/shapes/refusal.ts'
import { ADA, idsOf, must, said, type TestStore, testStore } from '../support/store.ts'
import { contentOf } from './file.ts'
import { answersOf, everything, exported, fileOf, fill, imported, lines, linesOf, sample } from './filled.ts'
import { accepted, bodies, inRoom, opened } from './history.ts'

/** What a refused import answers. */
const no = (code: RefusalCode, message: string) => ({
  ok: false,
  refusal: { code, message, remedy: refusals[code].remedy },
})

type Line = Record<string, unknown>

/** The file with one of its lines, counted from 1, changed. */
const changedAt = (file: string, number: number, change: (line: Line) => Line): string =>
  fileOf(linesOf(file).map((line, i) => (i + 1 === number ? JSON.stringify(change(JSON.parse(line))) : line)))

/** Imports into a store that must be none the wiser: neither from a dry run, nor from what is refused. */
const refusedBy = async ({ store, url }: TestStore, file: string | Buffer): Promise<unknown> => {
  const content = await contentOf(url)
  const dry = await imported(store, file, true)
  const answer = await imported(store, file)
  expect(dry).toEqual(answer)
  expect(await contentOf(url)).toEqual(content)
  return answer
}

/** One other value for each field of an entry. */
const others: { [K in keyof Entry]: unknown } = {
  id: 'somebody-else',
  position: 99,
  version: 1,
  session: 'room-den',
  seq: 7,
  subject: { type: 'room', id: 'den' },
  type: 'conjecture',
  claim: 'goal',
  author: { ...ADA, id: 'eve' },
  at: '2026-01-02T03:04:06.000Z',
  tags: ['room/den'],
  inReplyTo: 'a-0',
  forkOf: 'a-0',
  pattern: 'a/b',
  conjecture: true,
  ephemeral: true,
  body: { event: 'message', text: 'another' },
  bodyHash: GENESIS,
  prevHash: GENESIS,
  hash: GENESIS,
}

/** An entry whose hash is right, whatever else is wrong with it. */
const rehashed = (line: Line): Line => ({ ...line, hash: hashEntry(line as Entry) })

/** An export of more entries than are written at once. */
const twoBatches = (() => {
  let made: Promise<{ file: string; entries: Entry[] }> | null = null
  const make = async () => {
    await using house = await testStore()
    must(await house.store.append(lines('a', 520)))
    return { file: await exported(house.store), entries: await everything(house.store) }
  }
  return () => {
    made ??= make()
    return made
  }
})()

describe('an import of a line that was changed', () => {
  test.each(Object.keys(others) as (keyof Entry)[])('refuses another %s, and the batch', async (field) => {
    const { file, entries } = await twoBatches()
    const changed = changedAt(file, 511, (line) => ({ ...line, [field]: others[field] }))
    const why =
      field === 'position'
        ? 'entry a-509 has position 99, and 510 comes next'
        : `entry ${field === 'id' ? others.id : 'a-509'} is not what it was when it was written`
    await using other = await testStore()
    expect(await imported(other.store, changed)).toEqual(
      no('chain-broken', `line 511: ${why} (500 entries before it were taken)`),
    )
    expect(await everything(other.store)).toEqual(entries.slice(0, 500))
  })

  test('refuses it also where the entry itself is here already', async () => {
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const file = await exported(house.store)
    for (const field of Object.keys(others) as (keyof Entry)[]) {
      const changed = changedAt(file, 3, (line) => ({ ...line, [field]: others[field] }))
      expect(await refusedBy(house, changed)).toMatchObject({ ok: false, refusal: { code: 'chain-broken' } })
    }
  })

  test('refuses fields that the version of the entry had not', async () => {
    const { file } = await sample()
    await using other = await testStore()
    for (const field of ['forkOf', 'pattern', 'conjecture', 'ephemeral'] as const) {
      const changed = changedAt(file, 3, (line) => ({ ...line, [field]: others[field] }))
      expect(await refusedBy(other, changed)).toEqual(
        no('request-invalid', 'line 3: not an entry: old-1 has fields that its version had not'),
      )
    }
  })

  test.each<[string, RefusalCode, string, (line: Line) => Line]>([
    [
      'a body that is not of its event',
      'request-invalid',
      'not an entry: body.text: Invalid input: expected string, received number',
      (line) => ({ ...line, body: { event: 'message', text: 7 } }),
    ],
    [
      'a field that no entry has',
      'request-invalid',
      'not an entry: Unrecognized key: "more"',
      (line) => ({ ...line, more: 1 }),
    ],
    [
      'an entry without a body, and no word of why',
      'request-invalid',
      'not an entry: remains: Invalid input: expected object, received undefined',
      (line) => ({ ...line, body: null }),
    ],
    [
      'the type of another event',
      'request-invalid',
      'not an entry: a-0 is conjecture/observation and message',
      (line) => rehashed({ ...line, type: 'conjecture' }),
    ],
    [
      'a body that is always kept, and is not there',
      'request-invalid',
      'not an entry: a-0 has no body, and a body like that is always kept',
      (line) =>
        rehashed({
          ...line,
          type: 'coordination',
          claim: 'goal',
          body: null,
          remains: { event: 'accepted', size: 9, terms: [], by: 'c0' },
        }),
    ],
    [
      'a time in another form',
      'request-invalid',
      'not an entry: a-0 has 2026-01-02T03:04:05Z as its time',
      (line) => rehashed({ ...line, at: '2026-01-02T03:04:05Z' }),
    ],
    [
      'a number that JSON has, and no hash',
      'request-invalid',
      'not an entry: 0 is nothing that JSON can hold',
      (line) => ({ ...line, body: { ...bodies['step-intended'], call: { tool: 'x', args: { n: 'MINUS' } } } }),
    ],
    [
      'something deeper than any body',
      'request-invalid',
      'not an entry: Maximum call stack size exceeded',
      (line) => ({ ...line, body: { ...bodies['step-intended'], call: { tool: 'x', args: { n: 'DEEP' } } } }),
    ],
    ['a list', 'request-invalid', 'not an entry: Invalid input: expected object, received array', () => [] as never],
    ['nothing', 'request-invalid', 'not an entry: Invalid input: expected object, received null', () => null as never],
  ])('refuses %s', async (_what, code, message, change) => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 3)))
    const deep = 1_000_000
    const file = changedAt(await exported(house.store), 2, change)
      .replace('"MINUS"', '-0')
      .replace('"DEEP"', `${'['.repeat(deep)}${']'.repeat(deep)}`)
    expect(await refusedBy(other, file)).toEqual(no(code, `line 2: ${message}`))
  })

  test('takes no harm from names that mean something to the language', async () => {
    await using house = await testStore()
    await using other = await testStore()
    const args = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toJSON":1}')
    const body = { ...bodies['step-intended'], call: { tool: 'x', args } }
    must(await house.store.append([{ ...said('a', ''), body }, said('b', 'after it')]))
    const file = await exported(house.store)
    must(await imported(other.store, file))
    expect(await exported(other.store)).toBe(file)
    expect(({} as { admin?: boolean }).admin).toBe(undefined)
    const named = file.replace('"id":"b"', '"__proto__":{"admin":true},"id":"b"')
    expect(await refusedBy(other, named)).toEqual(
      no('request-invalid', 'line 3: not an entry: Unrecognized key: "__proto__"'),
    )
  })
})

describe('an import of a file', () => {
  test.each<[string, RefusalCode, string, (lines: string[]) => string[]]>([
    [
      'a line that was removed',
      'chain-broken',
      'line 3: entry a-2 has position 3, and 2 comes next',
      (all) => all.toSpliced(2, 1),
    ],
    [
      'a line that is there twice',
      'chain-broken',
      'line 4: entry a-1 has position 2, and 3 comes next',
      (all) => all.toSpliced(2, 0, all[2] ?? ''),
    ],
    [
      'a last entry that was removed',
      'chain-broken',
      'line 4: the file should have 3 entries up to 3, and has 2 up to 2',
      (all) => all.toSpliced(3, 1),
    ],
    [
      'another root',
      'chain-broken',
      'line 5: the entries do not add up to the root that the file says they have',
      (all) => all.map((line) => line.replace(/"root":"\w+"/, `"root":"${GENESIS}"`)),
    ],
    [
      'half an end',
      'request-invalid',
      'line 5: not an end: position',
      (all) => all.with(4, '{"end":true,"entries":3}'),
    ],
    ['more after the end', 'request-invalid', 'line 6: nothing is expected after the end', (all) => [...all, '{}']],
    ['a line that is no JSON', 'request-invalid', 'line 3: not JSON', (all) => all.with(2, '{"id":')],
    ['a line that is empty', 'request-invalid', 'line 3: not JSON', (all) => all.toSpliced(2, 0, '')],
  ])('refuses %s', async (_what, code, message, change) => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 3)))
    const file = fileOf(change(linesOf(await exported(house.store))))
    expect(await refusedBy(other, file)).toEqual(no(code, message))
  })

  test('refuses what is no UTF-8', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append([said('a', 'é')]))
    const file = Buffer.from(await exported(house.store), 'latin1')
    expect(await refusedBy(other, file)).toEqual(no('request-invalid', 'line 2: not JSON'))
  })

  test('refuses a line that is too long, before it is all in memory', async () => {
    await using other = await testStore()
    let read = 0
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('{"bellhop":"evidence","version":1,"after":0}\n')
      for (;;) {
        read += 1
        yield Buffer.alloc(1 << 20, 'x')
      }
    }
    expect(await importFrom(other.store, endless())).toEqual(
      no('request-too-large', `line 2: a line has ${LINE_BYTES} bytes at most`),
    )
    expect(read).toBe((LINE_BYTES >> 20) + 1)
  })

  test.each([
    ['nothing of evidence', 'hello\n', 'this is no export of evidence'],
    ['a store', 'SQLite format 3\0', 'this is no export of evidence'],
    ['other JSON', '{"version":1}\n', 'this is no export of evidence'],
    [
      'a later format',
      '{"bellhop":"evidence","version":2,"after":0}\n',
      'the export was made by a newer Bellhop (format 2, this one knows 1)',
    ],
  ])('says when it has %s', async (_what, file, message) => {
    await using house = await testStore()
    await expect(imported(house.store, file)).rejects.toMatchObject({ name: 'Problem', message })
  })

  test('that was cut off keeps what it had, and goes on when it comes whole', async () => {
    await using house = await testStore()
    const drafts = [...lines('a', 8), { ...said('r', 'a reply with ünïcödé'), inReplyTo: 'a-2' }]
    must(await house.store.append(drafts))
    const whole = Buffer.from(await exported(house.store))
    const answers = await answersOf(house.store)
    const first = whole.indexOf('\n') + 1
    const last = whole.length - 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: first, max: last - 1 }), async (cut) => {
        await using other = await testStore()
        const part = whole.subarray(0, cut)
        const there = part.toString().split('\n').length - 2 + (whole[cut] === 0x0a ? 1 : 0)
        const entries = there === 1 ? '1 entry' : `${there} entries`
        await expect(imported(other.store, part, true)).rejects.toThrow(`the file is cut off after ${entries}`)
        await expect(imported(other.store, part)).rejects.toThrow(
          `the file is cut off after ${entries}: imported ${there}`,
        )
        expect(must(await imported(other.store, whole)).added).toBe(9 - there)
        expect(await answersOf(other.store)).toEqual(answers)
      }),
      { numRuns: 20 },
    )
    // Only the last newline is missing: nothing is.
    await using other = await testStore()
    expect(must(await imported(other.store, whole.subarray(0, last))).added).toBe(9)
  })

  test('comes to the same in whatever pieces it is read', async () => {
    const { file, answers } = await sample()
    const whole = Buffer.from(file)
    await using house = await testStore()
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 20_000 })), async (sizes) => {
        const pieces: Buffer[] = []
        for (let from = 0; from < whole.length; from += pieces.at(-1)?.length ?? 1) {
          pieces.push(whole.subarray(from, from + (sizes.next().value ?? 1)))
        }
        expect(must(await importFrom(house.store, Readable.from(pieces)))).toMatchObject({ root: answers.tip.root })
      }),
      { numRuns: 10 },
    )
    expect(await answersOf(house.store)).toEqual(answers)
  })

  test('says how far it has come', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 1200)))
    const file = Buffer.from(await exported(house.store))
    const seen: [number, number | null][] = []
    const progress = (entries: number, of: number | null) => void seen.push([entries, of && Math.round(of / 100)])
    must(await importFrom(other.store, Readable.from([file]), { size: file.length, progress }))
    expect(seen).toEqual([
      [500, 12],
      [1000, 12],
      [1200, 12],
    ])
  })
})

describe('an import into a store that has evidence', () => {
  test('adds what follows on what is there, and passes over the rest', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 700)))
    must(await imported(other.store, await exported(house.store)))
    must(await house.store.append(lines('b', 700)))
    must(await other.store.append([inRoom('den')('d', ADA, bodies.message)]))
    const file = await exported(house.store)
    const { position, root } = await house.store.tip()
    const answer = { ok: true, value: { entries: 1400, added: 700, position, root } }
    expect(await imported(other.store, file, true)).toEqual(answer)
    expect((await other.store.tip()).position).toBe(701)
    expect(await imported(other.store, file)).toEqual(answer)
    expect(await other.store.chain('room-lobby')).toMatchObject(
      (await house.store.chain('room-lobby')).map(({ position: _, ...entry }) => entry),
    )
  })

  test('takes what came about since the last export, whatever came about here besides', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await other.store.append([inRoom('den')('d', ADA, bodies.message)]))
    must(await house.store.append(lines('a', 5)))
    must(await imported(other.store, await exported(house.store)))
    must(await house.store.append(lines('b', 3)))
    const file = await exported(house.store, 5)
    const { position, root } = await house.store.tip()
    expect(await imported(other.store, file)).toEqual({ ok: true, value: { entries: 3, added: 3, position, root } })
    expect((await other.store.chain('room-lobby')).map(({ hash }) => hash)).toEqual(
      (await house.store.chain('room-lobby')).map(({ hash }) => hash),
    )
  })

  test('refuses a chain that went another way', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 3)))
    must(await imported(other.store, await exported(house.store)))
    must(await house.store.append([said('h', 'here')]))
    must(await other.store.append([said('o', 'other'), said('p', 'and on')]))
    expect(await refusedBy(other, await exported(house.store))).toEqual(
      no(
        'chain-diverges',
        'line 5: entry h does not follow on what is here of room-lobby: it is number 4, and number 6 comes next',
      ),
    )
  })

  test('refuses another entry under an id that is there', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append([said('a', 'one')]))
    must(await other.store.append([said('a', 'two')]))
    expect(await refusedBy(other, await exported(house.store))).toEqual(
      no('id-conflict', 'line 2: entry a exists with other content'),
    )
  })

  test('refuses a reply to what is not there', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append([said('a', 'one'), inRoom('den')('b', ADA, bodies.message, 'a')]))
    expect(await refusedBy(other, await exported(house.store, 1))).toEqual(
      no('target-missing', 'line 2: entry b goes on from a, which does not exist'),
    )
  })

  test('refuses what goes on from another beginning', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append([said('a', 'one'), inRoom('den')('b', ADA, bodies.message)]))
    must(await other.store.append([said('a', 'two')]))
    expect(await refusedBy(other, await exported(house.store, 1))).toEqual(
      no('chain-diverges', 'line 3: what is here up to 1 is not what the file goes on from'),
    )
  })

  test('makes evidence of what happened elsewhere, and nothing more: no session opens, no turn waits, no mode changes', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(
      await house.store.append([
        said('a', 'one'),
        opened('s-1', 'lobby', 'claude-1'),
        accepted('t1', 's-1'),
        inRoom('porch')('mode', ADA, { event: 'mode-changed', from: 'discuss', to: 'execute' }),
      ]),
    )
    must(await other.store.append([opened('s-2', 'lobby', 'claude-1')]))
    const file = await exported(house.store)
    expect(must(await imported(other.store, file)).added).toBe(4)
    expect(await other.store.unfinishedTurns()).toEqual([])
    expect((await other.store.sessions(10)).map(({ id }) => id)).toEqual(['s-2'])
    expect(await other.store.roomMode('porch')).toBe(null)
    expect(idsOf(await other.store.chain('s-1'))).toEqual(['s-1.opened', 't1'])
    // So it stays in a copy, as one that a backup of a server or a move to one is.
    await using copy = await testStore()
    await copyStore(other.store, copy.store, () => {})
    expect(await contentOf(copy.url)).toEqual(await contentOf(other.url))
    // Where there was nothing before, it is moved, also in two goes: all of it is as it was.
    await using third = await testStore()
    const some = Buffer.from(file).subarray(0, Math.floor(Buffer.from(file).length * 0.6))
    await imported(third.store, some.toString()).catch(() => null)
    must(await imported(third.store, file))
    expect((await third.store.unfinishedTurns()).map(({ id }) => id)).toEqual(['t1'])
    expect(await third.store.roomMode('porch')).toBe('execute')
  })

  test('says so when somebody else wrote at the same time', async () => {
    await using house = await testStore()
    await using other = await testStore()
    must(await house.store.append(lines('a', 600)))
    const file = Buffer.from(await exported(house.store))
    async function* interrupted(): AsyncGenerator<Buffer> {
      yield file
      must(await other.store.append([inRoom('den')('d', ADA, bodies.message)]))
    }
    expect(await importFrom(other.store, interrupted())).toEqual(
      no('chain-diverges', 'all of it was imported, but somebody else wrote here at the same time'),
    )
    expect((await other.store.chain('room-lobby')).length).toBe(600)
  })
})

test('a dry run of an import finds a whole file whole, and writes nothing', async () => {
  await using house = await testStore()
  await using other = await testStore()
  await fill(house)
  for (const n of [1, 2, 3]) must(await house.store.append(lines(`n${n}`, 400)))
  const { position, root } = await house.store.tip()
  const content = await contentOf(other.url)
  expect(await imported(other.store, await exported(house.store), true)).toEqual({
    ok: true,
    value: { entries: position, added: position, position, root },
  })
  expect(await contentOf(other.url)).toEqual(content)
})
