import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchOf, textOf, wordsOf } from '../../src/evidence/words.ts'
import { ROOT } from '../support/built.ts'
import { idsOf, must, said, type TestStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { openRaw } from './file.ts'

describe('the words of a text', () => {
  test('are its letters, digits and underscores, in lower case, each once', () => {
    expect(wordsOf('The retry_count of the RETRY: 42, not x-2.')).toEqual([
      'the',
      'retry_count',
      'of',
      'retry',
      '42',
      'not',
      'x',
      '2',
    ])
    expect(wordsOf('')).toEqual([])
    expect(wordsOf('… — !?')).toEqual([])
  })

  test('are the same however a character is written', () => {
    expect(wordsOf('ﬁle ＦＩＬＥ file №5 Größe Gro\u0308ße 東京')).toEqual(['file', 'no5', 'größe', '東京'])
  })

  test('are cut where they are too long, never in the middle of a character', () => {
    expect(wordsOf(`${'a'.repeat(70)} ${'a'.repeat(80)} ${'b'.repeat(63)}𐐨`)).toEqual([
      'a'.repeat(64),
      `${'b'.repeat(63)}\uFFFD`,
    ])
    expect(searchOf(`${'a'.repeat(70)} ${'b'.repeat(63)}𐐨 c c*`)).toEqual([
      { word: 'a'.repeat(64), prefix: true },
      { word: `${'b'.repeat(63)}\uFFFD`, prefix: true },
      { word: 'c', prefix: false },
      { word: 'c', prefix: true },
    ])
  })

  test('are found in a text of any length, also where expressions are not compiled as well as they could be', async () => {
    const longest = ['x', 'é', '語', ' ', '☃'].map((char) => `'${char}'.repeat(8_000_000)`)
    const script = `import { wordsOf } from './src/evidence/words.ts'; console.log([${longest}].map((text) => wordsOf(text).join()).join('|'))`
    // As in a process that has made so many expressions that it has no room for better ones.
    const how = ['--no-regexp-optimization', '--import', 'tsx', '--input-type=module', '-e', script]
    const { stdout } = await execa(process.execPath, how, { cwd: ROOT })
    expect(stdout).toBe(`${'x'.repeat(64)}|${'é'.repeat(64)}|${'語'.repeat(64)}||`)
  })

  test('are those of every string in a value, and not of its keys', () => {
    expect(textOf({ key: 'a', list: ['b', { deep: 'c' }, 1, true, null] })).toBe('a\nb\nc')
  })
})

describe.each(engines)('a search for words, on $name', ({ testStore }) => {
  const many = Array.from({ length: 200_000 }, (_, i) => `word${i}`).join(' ')
  const texts = {
    plain: 'The retry of the queue',
    operators: "and OR not near('x') AND & | ! :* 'quoted' \"twice\" (a) ^b -c",
    long: `${'l'.repeat(100)} end`,
    pairs: `${'p'.repeat(63)}𐐨𐐨 𐐀`,
    half: 'before \ud83d after \0 zero',
    unicode: 'Größe naïve 東京 ЖУРНАЛ ﬁn',
    many,
    numbers: '2026-01-02 3.14 0x1f 1_000',
  }
  let house: TestStore
  beforeAll(async () => {
    house = await testStore()
    for (const [id, text] of Object.entries(texts)) must(await house.store.append([said(id, text)]))
  })
  afterAll(() => house[Symbol.asyncDispose]())

  const found = async (text: string) => idsOf(must(await house.store.query({ text, order: 'oldest' })).entries)

  test.each<[string, (keyof typeof texts)[]]>([
    ['retry', ['plain']],
    ['Retry QUEUE', ['plain']],
    ['retr', []],
    ['retr*', ['plain']],
    ['re* qu* th*', ['plain']],
    ['retry not', []],
    ['and or NOT near', ['operators']],
    ['a', ['operators']],
    ["'a' & !b | (c):*", ['operators']],
    ['"twice', ['operators']],
    ['* near *', ['operators']],
    ['l'.repeat(100), ['long']],
    ['l'.repeat(64), ['long']],
    ['l'.repeat(63), []],
    [`${'l'.repeat(63)}*`, ['long']],
    [`${'p'.repeat(63)}𐐨𐐨`, ['pairs']],
    ['𐐨', ['pairs']],
    ['before after zero', ['half']],
    ['GRÖßE', ['unicode']],
    ['gro\u0308ße', ['unicode']],
    ['NAÏVE 東京', ['unicode']],
    ['東', []],
    ['東*', ['unicode']],
    ['журнал', ['unicode']],
    ['fin', ['unicode']],
    ['word7', ['many']],
    ['word9*', ['many']],
    ['2026 01 02', ['numbers']],
    ['2026-01-02', ['numbers']],
    ['3.14', ['numbers']],
    ['1_000', ['numbers']],
    ['1', []],
    ['message', Object.keys(texts) as (keyof typeof texts)[]],
  ])('finds %j in %j', async (text, ids) => {
    expect(await found(text)).toEqual(ids)
    expect(await house.store.count({ text })).toEqual({ ok: true, value: ids.length })
  })

  test('goes by the first words of an entry that has too many', async () => {
    expect(await found('word199999')).toEqual([])
    expect(await house.store.get('many')).toMatchObject({ body: { event: 'message', text: many } })
  })

  test('finds a word also among other filters, whichever of them is the rarer', async () => {
    await using crowd = await testStore()
    const drafts = Array.from({ length: 600 }, (_, i) => ({
      ...said(`m${i}`, i === 7 || i === 9 ? 'rare' : 'common'),
      tags: ['room/lobby', ...(i > 7 ? [] : ['few'])],
    }))
    must(await crowd.store.append(drafts))
    const find = async (filters: object) => idsOf(must(await crowd.store.query(filters)).entries)
    expect(await find({ text: 'rare' })).toEqual(['m9', 'm7'])
    expect(await find({ text: 'rare', room: 'lobby' })).toEqual(['m9', 'm7'])
    expect(await find({ text: 'rare', tag: 'few' })).toEqual(['m7'])
    expect(await find({ text: 'common', tag: 'few', limit: 2 })).toEqual(['m6', 'm5'])
  })

  test('finds nothing in a body that was let go', async () => {
    await using house = await testStore()
    must(await house.store.append([said('a', 'gone soon'), said('b', 'gone too')]))
    const { engine } = house.store
    await engine.db.transaction().execute((tx) => engine.deleteWords(tx, [1]))
    expect(idsOf(must(await house.store.query({ text: 'gone' })).entries)).toEqual(['b'])
    await using raw = await openRaw(house.url)
    expect((await raw.words()).map(({ position }) => position)).toEqual([2])
  })
})
