import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GENESIS } from '../../src/evidence/hash.ts'
import { exportTo } from '../../src/evidence/transfer/export.ts'
import { scratch } from '../support/folder.ts'
import { must, said, testStore } from '../support/store.ts'
import { openUnguarded } from './file.ts'
import { exported, imported, lines, linesOf, sample } from './filled.ts'

describe('an export to a file', () => {
  test('is the same as one to a stream, readable by its owner alone, and overwrites nothing', async () => {
    using folder = scratch()
    await using house = await testStore()
    const { file, answers } = await sample()
    must(await imported(house.store, file))
    const path = join(folder.path, 'evidence.jsonl')
    const { position, root } = answers.tip
    expect(await exportTo(house.store, path)).toEqual({ entries: position, position, root })
    expect(readFileSync(path, 'utf8')).toBe(file)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await expect(exportTo(house.store, path)).rejects.toMatchObject({
      message: `${path} is there already`,
      fix: 'choose another name, or go on with it with --resume',
    })
    expect(readFileSync(path, 'utf8')).toBe(file)
  })

  test('that was cut off at any byte comes out whole when it goes on', async () => {
    using folder = scratch()
    await using house = await testStore()
    const { file } = await sample()
    must(await imported(house.store, file))
    const whole = Buffer.from(file)
    const path = join(folder.path, 'evidence.jsonl')
    // Every cut in the first and the last lines, which are not entries, and any in between.
    const edges = [...Array(60).keys(), ...Array(200).keys()].map((n, i) => (i < 60 ? n : whole.length - n))
    const cuts = fc.oneof(fc.constantFrom(...edges), fc.nat({ max: whole.length }))
    await fc.assert(
      fc.asyncProperty(cuts, async (cut) => {
        writeFileSync(path, whole.subarray(0, cut))
        await exportTo(house.store, path, { resume: true })
        expect(readFileSync(path).equals(whole)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('goes on with what was written since, and with a file that is not there yet', async () => {
    using folder = scratch()
    await using house = await testStore()
    const path = join(folder.path, 'evidence.jsonl')
    for (const after of [0, 3]) {
      must(await house.store.append(lines(`a${after}`, 5)))
      const file = `${path}-${after}`
      await exportTo(house.store, file, { resume: true, after })
      expect(readFileSync(file, 'utf8')).toBe(await exported(house.store, after))
      must(await house.store.append(lines(`b${after}`, 700)))
      const { position, root } = await house.store.tip()
      expect(await exportTo(house.store, file, { resume: true })).toEqual({ entries: position - after, position, root })
      expect(readFileSync(file, 'utf8')).toBe(await exported(house.store, after))
      await expect(exportTo(house.store, file, { resume: true, after: 1 })).rejects.toMatchObject({
        message: `the file begins after ${after}, not after 1`,
        fix: 'leave out --after, or choose another name',
      })
    }
  })

  test('that is asked to stop does so after whole lines, and goes on from there', async () => {
    using folder = scratch()
    await using house = await testStore()
    for (const n of [1, 2, 3]) must(await house.store.append(lines(`n${n}`, 400)))
    const path = join(folder.path, 'evidence.jsonl')
    const ends = new AbortController()
    await expect(
      exportTo(house.store, path, { signal: ends.signal, progress: () => ends.abort() }),
    ).rejects.toMatchObject({ message: 'stopped after 500 entries', fix: 'go on with --resume' })
    expect(linesOf(readFileSync(path, 'utf8')).length).toBe(501)
    await exportTo(house.store, path, { resume: true })
    expect(readFileSync(path, 'utf8')).toBe(await exported(house.store))
  })

  test.each([
    ['some notes', 'my notes'],
    ['lines of notes', 'one\ntwo\n'],
    ['an export of a later format', '{"bellhop":"evidence","version":2,"after":0}\n'],
    [
      'an export of another store',
      '{"bellhop":"evidence","version":1,"after":0}\n{"position":1,"id":"m1","hash":"00"}\n',
    ],
  ])('does not go on with %s, and leaves it alone', async (_what, content) => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const path = folder.write('notes.txt', content)
    await expect(exportTo(house.store, path, { resume: true })).rejects.toMatchObject({
      message: `${path} is no export of this store`,
      fix: 'choose another name',
    })
    expect(readFileSync(path, 'utf8')).toBe(content)
  })

  test('does not go on with an export of a store that went another way', async () => {
    using folder = scratch()
    await using one = await testStore()
    await using other = await testStore()
    must(await one.store.append([said('a', 'one')]))
    must(await other.store.append([said('a', 'two')]))
    const path = join(folder.path, 'evidence.jsonl')
    await exportTo(one.store, path)
    await expect(exportTo(other.store, path, { resume: true })).rejects.toThrow(`${path} is no export of this store`)
  })

  test('says where it cannot be written', async () => {
    await using house = await testStore()
    await expect(exportTo(house.store, '/proc/none/evidence.jsonl')).rejects.toThrow(
      'cannot write /proc/none/evidence.jsonl: ENOENT',
    )
  })

  test('begins where the store has come to at most', async () => {
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    const { root } = await house.store.tip()
    expect(linesOf(await exported(house.store, 3)).map((line) => JSON.parse(line))).toEqual([
      { bellhop: 'evidence', version: 1, after: 3 },
      { end: true, entries: 0, position: 3, root },
    ])
    await expect(exported(house.store, 4)).rejects.toMatchObject({
      message: 'there is nothing after 4: the store ends at 3',
      fix: 'give a smaller --after',
    })
  })

  test.each([
    ['an entry that was removed', 'delete from entry where position = 2', 'entry 2 is not there'],
    ['a last entry that was removed', 'delete from entry where position = 3', 'entry 3 is not there'],
    ['a body that was removed', 'delete from body where position = 2', 'entry a-1 has lost its body'],
    [
      'a hash that was changed',
      `update entry set hash = '${GENESIS}' where position = 2`,
      'its entries do not add up to its root',
    ],
  ])('has no end where the store has %s', async (_what, change, why) => {
    using folder = scratch()
    await using house = await testStore()
    must(await house.store.append(lines('a', 3)))
    using file = openUnguarded(house.url)
    file.run(change)
    const path = join(folder.path, 'evidence.jsonl')
    await expect(exportTo(house.store, path)).rejects.toMatchObject({
      message: `the evidence store is damaged: ${why}`,
      fix: 'look at it with `bellhop verify`, and go back to an older backup',
    })
    expect(readFileSync(path, 'utf8')).not.toContain('"end"')
  })
})
