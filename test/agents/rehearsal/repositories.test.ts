import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Repository, repository } from './driver.ts'

// a busy machine may take its time

/** Repositories the rehearsal has never seen, in several languages, asked through the real ripgrep. */
const asked = (files: Record<string, string>) => {
  let repo: Repository
  beforeAll(async () => {
    repo = await repository(files)
  })
  afterAll(() => repo[Symbol.asyncDispose]())
  return {
    answer: async (request: string) => (await repo.ask(request)).answer.split('\n'),
    steps: async (request: string) => (await repo.ask(request)).steps.map(({ tool }) => tool),
  }
}

const text = (...lines: string[]): string => `${lines.join('\n')}\n`

describe('a TypeScript repository', () => {
  const { answer, steps } = asked({
    'README.md': text('# Shop', '', 'It sells things.'),
    'src/wait.ts': text('export const wait = (ms: number) =>', '  new Promise((done) => setTimeout(done, ms))'),
    'src/jobs/again.ts': text(
      "import { wait } from '../wait.ts'",
      '',
      'export async function withRetry(job: () => Promise<void>) {',
      '  await wait(10) // TODO: longer each time',
      '  return job()',
      '}',
    ),
    'src/store.ts': text(
      "import { withRetry } from './jobs/again.ts'",
      'export class Store {',
      '  open(path: string) {',
      '    return withRetry(async () => this.load(path))',
      '  }',
      '}',
    ),
    'test/store.test.ts': text(
      'const wait = 3',
      "test('Store', () => new Store().open('x')) // FIXME",
      'withRetry(async () => {',
      '})',
    ),
  })

  test('shows where a name is defined, the source before the tests', async () => {
    expect(await answer('where is wait defined?')).toEqual([
      'rehearsal, no model: “wait” is defined at src/wait.ts:1.',
      '  1 | export const wait = (ms: number) =>',
      '  2 |   new Promise((done) => setTimeout(done, ms))',
      '1 more place:',
      '  test/store.test.ts:1  const wait = 3',
    ])
    expect(await steps('where is wait defined?')).toEqual(['grep', 'read'])
  })

  test('finds the nearest definition for a name of several words', async () => {
    expect(await answer('@claude where is the retry logic?')).toEqual([
      'rehearsal, no model: nothing is called “retry logic”; the nearest definition with “retry” is at src/jobs/again.ts:3.',
      "  1 | import { wait } from '../wait.ts'",
      '  2 |',
      '  3 | export async function withRetry(job: () => Promise<void>) {',
      '  4 |   await wait(10) // TODO: longer each time',
      '  5 |   return job()',
      '  6 | }',
    ])
  })

  test('finds a method by its class and name', async () => {
    expect((await answer('where does Store.open live?'))[0]).toBe(
      'rehearsal, no model: “Store.open” is defined at src/store.ts:3.',
    )
  })

  test('says honestly that a name is only mentioned', async () => {
    expect((await answer('where is settimeout defined?'))[0]).toBe(
      'rehearsal, no model: no definition of “settimeout” found; it is mentioned at src/wait.ts:2.',
    )
    expect(await answer('where is the moon?')).toEqual([
      'rehearsal, no model: nothing here is called “moon”, and nothing mentions it.',
    ])
  })

  test('names who uses something, apart from where it is defined', async () => {
    expect(await answer('who uses withRetry?')).toEqual([
      'rehearsal, no model: “withRetry” is used on 3 lines in 2 files, defined at src/jobs/again.ts:3:',
      "  src/store.ts:1  import { withRetry } from './jobs/again.ts'",
      '  src/store.ts:4  return withRetry(async () => this.load(path))',
      '  test/store.test.ts:3  withRetry(async () => {',
    ])
  })

  test('searches below a folder, also one that is named without its parent', async () => {
    expect(await answer('find TODOs in src')).toEqual([
      'rehearsal, no model: “TODO” is on 1 line in 1 file:',
      '  src/jobs/again.ts:4  await wait(10) // TODO: longer each time',
    ])
    expect((await answer('find TODOs in jobs'))[0]).toBe(
      'rehearsal, no model: “TODO” is on 1 line in 1 file: (there is no jobs; this is src/jobs)',
    )
  })

  test('reads the only file of a name, in whatever case', async () => {
    expect(await answer('read the readme')).toEqual([
      'rehearsal, no model: there is no readme; the only file of that name is README.md, lines 1-3:',
      '  1 | # Shop',
      '  2 |',
      '  3 | It sells things.',
    ])
  })

  test('counts', async () => {
    expect(await answer('how many ts files in src?')).toEqual(['rehearsal, no model: 3 files matching *.ts in src.'])
    expect(await answer('how many lines does store.ts have?')).toEqual([
      'rehearsal, no model: src/store.ts has 6 lines. (there is no store.ts; this is src/store.ts)',
    ])
    expect((await answer('how many todos?'))[0]).toBe('rehearsal, no model: “TODO” is on 1 line in 1 file:')
  })
})

describe('a Python repository', () => {
  const { answer } = asked({
    'shop/__init__.py': text('from .cart import Cart'),
    'shop/cart.py': text(
      'MAX_ITEMS = 10',
      '',
      'class Cart:',
      '    def add_item(self, item):',
      '        # XXX: check MAX_ITEMS',
      '        self.items.append(item)',
    ),
    'shop/settings.yaml': text('retry:', '  limit: 3'),
    'shop/prices.py': text('PRICES = dict(', '    tea=3,', ')'),
    'tests/test_cart.py': text('def test_add_item():', '    Cart().add_item(1)'),
  })

  test.each([
    ['where is Cart?', 'shop/cart.py:3'],
    ['where is add_item defined?', 'shop/cart.py:4'],
    ['what is MAX_ITEMS?', 'shop/cart.py:1'],
    ['where is retry configured?', 'shop/settings.yaml:1'],
    ['where is PRICES?', 'shop/prices.py:1'],
  ])('%s', async (request, place) => {
    expect((await answer(request))[0]).toMatch(new RegExp(`is defined at ${place}\\.$`))
  })

  test('finds words however they are joined', async () => {
    expect((await answer('where is "add item"?'))[0]).toBe(
      'rehearsal, no model: “add item” is defined at shop/cart.py:4.',
    )
  })

  test('lists the files of a language', async () => {
    expect(await answer('list all python files in shop')).toEqual([
      'rehearsal, no model: 3 files matching *.py in shop:',
      '  shop/__init__.py',
      '  shop/cart.py',
      '  shop/prices.py',
    ])
  })

  test('searches by regex, and says what is wrong with one', async () => {
    expect((await answer('grep /cart\\(\\)/i'))[0]).toBe('rehearsal, no model: “cart\\(\\)” is on 1 line in 1 file:')
    expect((await answer('grep /cart(/'))[0]).toMatch(/^rehearsal, no model: the step failed: .*unclosed group/)
  })

  test('tries the rarest word of a phrase that nobody wrote', async () => {
    expect(await answer('find append the cart')).toEqual([
      'rehearsal, no model: nothing says “append the cart”; of its words, “append” is on 1 line in 1 file:',
      '  shop/cart.py:6  self.items.append(item)',
    ])
  })
})

describe('a Rust repository with a book', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`book/part-${at}.md`, text(`# Part ${at}`)]))
  const { answer } = asked({
    ...many,
    'Cargo.toml': text('[package]', 'name = "bell"'),
    'src/lib.rs': text('pub mod ring;', 'macro_rules! ding { () => {} }'),
    'src/ring.rs': text(
      'pub(crate) struct Bell<T> { tone: T }',
      '',
      'impl<T> Bell<T> {',
      '    pub fn ring(&self) -> usize { 1 }',
      '}',
    ),
    'book/bells.md': text('# Bells', '', '## How a bell rings', '', 'It rings.'),
    'book/a/notes.md': text('first'),
    'book/b/notes.md': text('second'),
  })

  test.each([
    ['where is Bell defined?', 'src/ring.rs:1'],
    ['where is Bell::ring?', 'src/ring.rs:4'],
    ['where is ding?', 'src/lib.rs:2'],
    ['where is "how a bell rings"?', 'book/bells.md:3'],
  ])('%s', async (request, place) => {
    expect((await answer(request))[0]).toMatch(new RegExp(`is defined at ${place}\\.$`))
  })

  test('shows folders with their counts where files are many', async () => {
    expect(await answer('show the tree')).toEqual([
      'rehearsal, no model: 46 files:',
      '  Cargo.toml',
      '  book/  43 files',
      '  src/  2 files',
    ])
  })

  test('names the candidates where a name is not the only one', async () => {
    expect(await answer('read notes.md')).toEqual([
      'rehearsal, no model: there is no notes.md; files of that name:',
      '  book/a/notes.md',
      '  book/b/notes.md',
    ])
  })

  test('opens a folder as a list', async () => {
    expect(await answer('open src')).toEqual([
      'rehearsal, no model: src is a folder; 2 files:',
      '  src/lib.rs',
      '  src/ring.rs',
    ])
  })

  test('says plainly that a file is not there', async () => {
    expect((await answer('read src/nothing.rs'))[0]).toMatch(/^rehearsal, no model: the step failed: .*no such file/i)
  })
})
