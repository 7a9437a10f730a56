import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parse } from '../../../src/agents/rehearsal/language/grammar.ts'
import type { Intent, Scope } from '../../../src/agents/rehearsal/language/intent.ts'

// a busy machine may take its time
vi.setConfig({ testTimeout: 30_000 })

const anywhere: Scope = { where: null, glob: null }
const define = (name: string, scope: Partial<Scope> = {}): Intent => ({ kind: 'define', name, ...anywhere, ...scope })
const uses = (name: string, scope: Partial<Scope> = {}): Intent => ({ kind: 'uses', name, ...anywhere, ...scope })
const list = (scope: Partial<Scope> = {}): Intent => ({ kind: 'list', ...anywhere, ...scope })
const read = (path: string, from: number | null = null, to = from): Intent => ({ kind: 'read', path, from, to })
const text = (pattern: string) => ({ pattern, syntax: 'literal', ignoreCase: false }) as const
const regex = (pattern: string, ignoreCase = false) => ({ pattern, syntax: 'regex', ignoreCase }) as const
const search = (pattern: ReturnType<typeof text | typeof regex>, scope: Partial<Scope> = {}): Intent => ({
  kind: 'search',
  ...pattern,
  ...anywhere,
  ...scope,
})
const matches = (pattern: string, scope: Partial<Scope> = {}): Intent => ({
  kind: 'count',
  of: 'matches',
  ...text(pattern),
  ...anywhere,
  ...scope,
})
const files = (scope: Partial<Scope> = {}): Intent => ({ kind: 'count', of: 'files', ...anywhere, ...scope })
const lines = (path: string): Intent => ({ kind: 'count', of: 'lines', path })
const help: Intent = { kind: 'help' }
const unknown: Intent = { kind: 'unknown' }

type Table = [request: string, intent: Intent][]

describe('where something is defined', () => {
  test.each<Table[number]>([
    ['where is parse defined?', define('parse')],
    ['where is parse', define('parse')],
    ["where's parse?", define('parse')],
    ['Where’s Parse?', define('Parse')],
    ['wheres parse', define('parse')],
    ['WHERE IS parse DEFINED', define('parse')],
    ['where   is \t parse    defined  ??', define('parse')],
    ['where does parse live', define('parse')],
    ['where does parse come from?', define('parse')],
    ['where parse is defined', define('parse')],
    ['where can I find parse?', define('parse')],
    ['where do we handle retries?', define('retries')],
    ['find the definition of parse', define('parse')],
    ['definition of parse', define('parse')],
    ['what is parse?', define('parse')],
    ['what does parse do?', define('parse')],
    ['how does the retry logic work?', define('retry logic')],
    ['which file defines parse?', define('parse')],
    ['in which file is parse defined?', define('parse')],
    ['what file is parse in?', define('parse')],
    ['go to parse', define('parse')],
    ['show parse', define('parse')],
    ['where is the function parse defined', define('parse')],
    ['where is the parse function?', define('parse')],
    ['find class Store', define('Store')],
    ['show me the parse function', define('parse')],
    ['where is parse() defined?', define('parse')],
    ['where is `parse()`?', define('parse')],
    ["where is 'parse'?", define('parse')],
    ['where is “parse”?', define('parse')],
    ['where is "retry logic"?', define('retry logic')],
    ['where is the retry logic?', define('retry logic')],
    ['where is foo.bar.Baz defined', define('foo.bar.Baz')],
    ['where is C++?', define('C++')],
    ['where is $el?', define('$el')],
    ['where is Größe defined?', define('Größe')],
    ['where is 変数 defined?', define('変数')],
    ['where is parse defined in src?', define('parse', { where: 'src' })],
    ['where in src is parse defined?', define('parse', { where: 'src' })],
    ['where is parse in the src/tools folder?', define('parse', { where: 'src/tools' })],
    ['where is parse in ts files?', define('parse', { glob: '*.ts' })],
    ['where is parse defined in this repo?', define('parse')],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('who uses something', () => {
  test.each<Table[number]>([
    ['who uses parse?', uses('parse')],
    ['who calls parse() in src/', uses('parse', { where: 'src' })],
    ['what imports parse', uses('parse')],
    ['where is parse used?', uses('parse')],
    ['where do we call parse?', uses('parse')],
    ['where in src is parse used?', uses('parse', { where: 'src' })],
    ['usages of parse', uses('parse')],
    ['callers of Store.open', uses('Store.open')],
    ['find all references to parse in *.py', uses('parse', { glob: '*.py' })],
    ['show me all usages of parse', uses('parse')],
    ['is parse used anywhere?', uses('parse')],
    ['where is Größe used?', uses('Größe')],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('text to search for', () => {
  test.each<Table[number]>([
    ['find TODOs in src', search(text('TODO'), { where: 'src' })],
    ['find   TODOs   under  the  src   folder', search(text('TODO'), { where: 'src' })],
    ['find all fixmes inside the test directory', search(text('FIXME'), { where: 'test' })],
    ['FIND TODOS IN src', search(text('TODO'), { where: 'src' })],
    ['list TODOs within src', search(text('TODO'), { where: 'src' })],
    ['any TODOs?', search(text('TODO'))],
    ['are there any TODO comments in src?', search(text('TODO'), { where: 'src' })],
    ['search for "some text" in docs', search(text('some text'), { where: 'docs' })],
    ["search for 'it’s  spaced' in docs", search(text('it’s  spaced'), { where: 'docs' })],
    ['find the string "foo bar" in "my folder"', search(text('foo bar'), { where: 'my folder' })],
    ['find "in src"', search(text('in src'))],
    ['find "TODOs"', search(text('TODOs'))],
    ['search src for TODO', search(text('TODO'), { where: 'src' })],
    ['look in the docs folder for TODO', search(text('TODO'), { where: 'docs' })],
    ['look for Store', search(text('Store'))],
    ['find retry logic', search(text('retry logic'))],
    ['find retry logic in ts files under src', search(text('retry logic'), { where: 'src', glob: '*.ts' })],
    ['find retry logic in src in *.{ts,tsx}', search(text('retry logic'), { where: 'src', glob: '*.{ts,tsx}' })],
    ['which files mention redis?', search(text('redis'))],
    ['find a.b[c](d)* in src', search(text('a.b[c](d)*'), { where: 'src' })],
    ['grep /re.x/i in src', search(regex('re.x', true), { where: 'src' })],
    ['grep /a\\/b c/ in src', search(regex('a/b c'), { where: 'src' })],
    ['search src for /x+/', search(regex('x+'), { where: 'src' })],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('files to list', () => {
  test.each<Table[number]>([
    ['list files in src', list({ where: 'src' })],
    ['list files', list()],
    ['ls', list()],
    ['ls ./src/', list({ where: 'src' })],
    ['list files in .', list()],
    ['show the tree', list()],
    ['what is in src?', list({ where: 'src' })],
    ["what's in the src folder?", list({ where: 'src' })],
    ['what is src/tools?', list({ where: 'src/tools' })],
    ['show me the contents of src', list({ where: 'src' })],
    ['which files match *.ts', list({ glob: '*.ts' })],
    ['list *.md in docs', list({ where: 'docs', glob: '*.md' })],
    ['list files in src matching **/*.ts', list({ where: 'src', glob: '**/*.ts' })],
    ['list all Python files', list({ glob: '*.py' })],
    ['list .rs files in crates', list({ where: 'crates', glob: '*.rs' })],
    ['list test files', list({ glob: '*test*' })],
    ['find files named retry', list({ glob: '*retry*' })],
    ['where is package.json?', list({ glob: 'package.json' })],
    ['list files in ../..', list({ where: '../..' })],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('files to read', () => {
  test.each<Table[number]>([
    ['read README.md', read('README.md')],
    ['read README.md.', read('README.md')],
    ['read the readme', read('readme')],
    ['open X', read('X')],
    ['cat ./src/a.ts', read('src/a.ts')],
    ['read "my file.txt"', read('my file.txt')],
    ['read ../../etc/passwd', read('../../etc/passwd')],
    ['show me src/a.ts', read('src/a.ts')],
    ['show me a.ts in src', read('src/a.ts')],
    ["what's in README.md?", read('README.md')],
    ['what does README.md say?', read('README.md')],
    ['show me the contents of README.md', read('README.md')],
    ['show me src/a.ts lines 10-20', read('src/a.ts', 10, 20)],
    ['show me lines 20–10 of src/a.ts', read('src/a.ts', 10, 20)],
    ['lines 10 to 20 of src/a.ts', read('src/a.ts', 10, 20)],
    ['read src/a.ts from line 5 to line 9', read('src/a.ts', 5, 9)],
    ['show lines 3-4 in src/a.ts', read('src/a.ts', 3, 4)],
    ['show me line 0 of src/a.ts', read('src/a.ts', 1)],
    ['read X:10-20', read('X', 10, 20)],
    ['read src/a.ts:10', read('src/a.ts', 10)],
    ['read src/a.ts:10:4', read('src/a.ts', 10)],
    ['open src/a.ts#L3-L9', read('src/a.ts', 3, 9)],
    ['print the first 20 lines of X', read('X', 1, 20)],
    [`read a.ts:${'9'.repeat(30)}`, read('a.ts', 1_000_000_000)],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('things to count', () => {
  test.each<Table[number]>([
    ['how many TODOs in src', matches('TODO', { where: 'src' })],
    ['how many TODOs are there in src?', matches('TODO', { where: 'src' })],
    ['count TODOs', matches('TODO')],
    ['number of "as const" in ts files', matches('as const', { glob: '*.ts' })],
    ['how many times is parse used?', matches('parse')],
    ['how many files contain redis', matches('redis')],
    ['how many ts files', files({ glob: '*.ts' })],
    ['how many ts files are in src?', files({ where: 'src', glob: '*.ts' })],
    ['how many files are there?', files()],
    ['how many lines does README.md have?', lines('README.md')],
    ['how many lines in README.md', lines('README.md')],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('courtesy is heard and left out', () => {
  test.each<Table[number]>([
    ['@claude where is parse?', define('parse')],
    ['hey claude, where is parse?', define('parse')],
    ['claude: where is parse?', define('parse')],
    ['Hi there! Where is parse defined? Thanks!', define('parse')],
    ['can you please tell me where parse is defined in src?', define('parse', { where: 'src' })],
    ['show me where parse is defined, please', define('parse')],
    ['could you open src/a.ts for me please?', read('src/a.ts')],
    ["I'd like you to find TODOs in src, thank you", search(text('TODO'), { where: 'src' })],
    ['I need the definition of parse', define('parse')],
    ["i'm looking for the retry logic", search(text('retry logic'))],
    ['I am new here.\nwhere is parse?', define('parse')],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('help, and what is no request', () => {
  test.each<Table[number]>([
    ['help', help],
    ['help please', help],
    ['what can you do?', help],
    ['who are you?', help],
    ['', unknown],
    ['?', unknown],
    ['hello', unknown],
    ['claude', unknown],
    ['where', unknown],
    ['where is it?', unknown],
    ['what is this?', unknown],
    ['what is the weather like today in Paris?', unknown],
    ['find', unknown],
    ['read', unknown],
    ['how many', unknown],
    ['fix the bug', unknown],
    ['run the tests', unknown],
    ['rename parse to parseLine', unknown],
    ['show the last 20 lines of X', unknown],
    [`where is ${'x'.repeat(1000)}?`, unknown],
  ])('%s', (request, intent) => expect(parse(request)).toEqual(intent))
})

describe('any text', () => {
  const piece = fc.constantFrom(...`find where is in src " ' “ / * . ? , : 1-2`.split(' '), '\n', ' ')
  const chat = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 40 }).map((pieces) => pieces.join(' ')),
  )

  test('is parsed, the same way each time', () => {
    fc.assert(
      fc.property(chat, (request) => {
        expect(parse(request)).toEqual(parse(request))
      }),
    )
  })

  test('in quotes is searched for as it stands', () => {
    const quotable = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
      .filter((it) => /^[^"\p{C}]*\S[^"\p{C}]*$/u.test(it))
    fc.assert(
      fc.property(quotable, (it) => {
        expect(parse(`please find "${it}" in src`)).toEqual(search(text(it), { where: 'src' }))
      }),
    )
  })

  // A step that backtracks would not come to an end at this length.
  const units = [
    '"',
    '“ ',
    "' ",
    '/ ',
    '/a ',
    '"a".',
    'a. ',
    'a\n',
    '!',
    'in the ',
    'please ',
    'find ',
    '\\/',
    './',
    ':1',
    '{',
  ]
  test.each(units)('of 200 000 characters such as %j comes to an end', (unit) => {
    expect(parse(`find ${unit.repeat(200_000 / unit.length)}`)).toHaveProperty('kind')
  })
})
