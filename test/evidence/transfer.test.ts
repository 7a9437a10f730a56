import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { compact } from '../../src/evidence/keep.ts'
import { copyStore } from '../../src/evidence/transfer/copy.ts'
import { exportInto, exportLines } from '../../src/evidence/transfer/export.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { must, said, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { DAY_MS, policyOf } from './every-kind.ts'
import { contentOf, projectionsOf, verdictsOf } from './file.ts'
import { answersOf, everything, exported, fileOf, fill, imported, lines, linesOf, sample } from './filled.ts'

describe.each(engines)('evidence in $name', (engine) => {
  test('is exported as a header, its entries oldest first, and an end with the root', async () => {
    await using house = await engine.testStore()
    await fill(house)
    const { entries, tip, dropped } = await answersOf(house.store)
    const by = new Map(dropped.map((row) => [row.position, row.by]))
    const lines = linesOf(await exported(house.store)).map((line) => JSON.parse(line))
    expect(lines.at(0)).toEqual({ bellhop: 'evidence', version: 1, after: 0 })
    expect(lines.at(-1)).toEqual({ end: true, entries: entries.length, position: tip.position, root: tip.root })
    expect(lines.slice(1, -1).map(({ remains: _, ...entry }) => entry)).toEqual(entries)
    const gone = lines.filter(({ body }) => body === null)
    expect(gone.map(({ position, remains }) => [position, remains.by])).toEqual([...by])
    expect(gone.find(({ id }) => id === 'l1').remains).toEqual({
      event: 'message',
      size: 39_029,
      terms: [
        'session:room-lobby',
        'subject:room/lobby',
        'type:forum-post',
        'claim:observation',
        'event:message',
        'author:ada',
        'tag:room/lobby',
      ],
      by: 'c0',
    })
  })

  test.each(engines)('comes out of an export in $name as it went in', async (other) => {
    const { file, answers } = await sample()
    await using house = await engine.testStore()
    const { entries, tip } = answers
    const { position, root } = tip
    expect(await imported(house.store, file)).toEqual({
      ok: true,
      value: { entries: entries.length, added: entries.length, position, root },
    })
    expect(await answersOf(house.store)).toEqual(answers)

    await using next = await other.testStore()
    must(await imported(next.store, await exported(house.store)))
    expect(await answersOf(next.store)).toEqual(answers)
    expect(await exported(next.store)).toBe(file)
  })

  test('that is let go while it is exported or copied is followed by what says so', async () => {
    await using house = await engine.testStore()
    const { store, clock } = house
    must(await store.append(lines('old', 3)))
    clock.now += 10 * DAY_MS
    must(await store.append(lines('new', 3)))
    const verify = (session: string) => verifyChain(store, session)
    const letGo = async (newId: () => string, bodyDays: number) =>
      must(await compact({ store, policy: policyOf({ bodyDays }), now: clock.now, newId, verify, dry: false }))

    const file = exportLines(store)
    const text = [(await file.next()).value]
    expect((await letGo(() => 'c1', 5)).bodies).toBe(3)
    for await (const more of file) text.push(more)
    await using other = await engine.testStore()
    must(await imported(other.store, text.join('')))

    clock.now += 10 * DAY_MS
    /** Lets go what is left once somebody has begun to read. */
    const pages: typeof store.pages = async function* (...from) {
      await letGo(() => 'c2', 5)
      yield* store.pages(...from)
    }
    await using third = await testStore()
    await copyStore({ ...store, pages }, third.store, () => {})
    for (const { store: there } of [other, third])
      expect((await verdictsOf(there)).map(({ violations }) => violations)).toEqual([[], []])
    expect([await other.store.head(), await third.store.head()]).toEqual([7, 8])
  })

  test('is exported as of one moment while others write, and that is whole', async () => {
    await using house = await engine.testStore()
    await fill(house)
    for (const n of [1, 2, 3]) must(await house.store.append(lines(`n${n}`, 400)))
    const { position, root } = await house.store.tip()
    const stream = new PassThrough()
    const reading = text(stream)
    const late: Promise<unknown>[] = []
    const progress = (entries: number) => void late.push(house.store.append([said(`late-${entries}`, 'new')]))
    const entries = position
    expect(await exportInto(house.store, stream, { progress })).toEqual({ entries, position, root })
    stream.end()
    await Promise.all(late)
    expect((await house.store.tip()).position).toBe(position + late.length)
    expect(late.length).toBeGreaterThan(2)

    await using other = await testStore()
    must(await imported(other.store, await reading))
    expect(await everything(other.store)).toEqual((await everything(house.store)).slice(0, position))
    expect((await verdictsOf(other.store)).filter(({ ok }) => !ok)).toEqual([])
  })

  test('is imported once: a second time there is nothing new', async () => {
    const { file } = await sample()
    await using house = await engine.testStore()
    const first = must(await imported(house.store, file))
    const content = await contentOf(house.url)
    expect(must(await imported(house.store, file))).toEqual({ ...first, added: 0 })
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('goes on from where another store has come to', async () => {
    const { file, answers } = await sample()
    await using house = await engine.testStore()
    await using replica = await engine.testStore()
    must(await imported(house.store, file))
    const lines = linesOf(file)
    const first = lines.slice(0, 21)
    await expect(imported(replica.store, fileOf(first))).rejects.toMatchObject({
      message: 'the file is cut off after 20 entries: imported 20',
      fix: 'run it again with the whole file: what is here already is passed over',
    })
    const rest = await exported(house.store, 20)
    expect(linesOf(rest)[0]).toBe('{"bellhop":"evidence","version":1,"after":20}')
    // Cut off once more on the way: what is asked of it, the sessions that are open and the turns that wait, too, is as if it had come at once.
    await expect(imported(replica.store, fileOf(linesOf(rest).slice(0, 8)))).rejects.toMatchObject({
      message: 'the file is cut off after 7 entries: imported 7',
    })
    expect(must(await imported(replica.store, rest)).added).toBe(answers.entries.length - 27)
    expect(await answersOf(replica.store)).toEqual(answers)
    expect(await projectionsOf(replica.url)).toEqual(await projectionsOf(house.url))
  })
})
