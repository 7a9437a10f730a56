import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from '../../../src/agents/rehearsal/language/grammar.ts'
import type { Intent, Scope } from '../../../src/agents/rehearsal/language/intent.ts'

// a busy machine may take its time

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

const intents = (request: string): Intent[] => parse(request).map((part) => part.intent)

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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
})

describe('several files to read', () => {
  test.each<Table[number]>([
    ['read A and B', { kind: 'reads', paths: ['A', 'B'] }],
    ['read the files a.js, b.js and "c d.js" in src', { kind: 'reads', paths: ['src/a.js', 'src/b.js', 'src/c d.js'] }],
    ['show me a.ts & b.ts', { kind: 'reads', paths: ['a.ts', 'b.ts'] }],
    ['show the cart and the item', unknown],
    ['read one two', unknown],
    ['read a, b, c, d, e and f', unknown],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
})

describe('changes', () => {
  const replace = (old: string, text: string, path: string, all = false): Intent => ({
    kind: 'replace',
    old,
    new: text,
    path,
    all,
  })
  test.each<Table[number]>([
    ['replace "a, b" with "c. d" in src/x.js', replace('a, b', 'c. d', 'src/x.js')],
    ['@codex please replace `"a"` by `it\'s` in "my file.js".', replace('"a"', "it's", 'my file.js')],
    ['change timeout to 30 in src/x.js', replace('timeout', '30', 'src/x.js')],
    ['change "a\tb" to "\t" in x.js', replace('a\tb', '\t', 'x.js')],
    ['replace "a" with "" in ./x.js', replace('a', '', 'x.js')],
    ['replace "\\n" with "n" in x.js', replace('\\n', 'n', 'x.js')],
    ['in src/x.js, change a to b', replace('a', 'b', 'src/x.js')],
    ['replace "a" with "b" in x.js everywhere', replace('a', 'b', 'x.js', true)],
    ['replace "a" with "b" everywhere in the file x.js', replace('a', 'b', 'x.js', true)],
    ['replace all occurrences of "a" with "b" in x.js', replace('a', 'b', 'x.js', true)],
    ['change all to none in x.js', replace('all', 'none', 'x.js')],
    ['replace "a" with "b" in ../../etc/passwd', replace('a', 'b', '../../etc/passwd')],
    [
      'create notes/today.md with "# Today\\n\\ttea"',
      { kind: 'create', path: 'notes/today.md', text: '# Today\n\ttea' },
    ],
    ['create x.js with `a\\nb`', { kind: 'create', path: 'x.js', text: 'a\\nb' }],
    ['write "look in src" to a new file notes', { kind: 'create', path: 'notes', text: 'look in src' }],
    ['write hello  world to notes.txt', { kind: 'create', path: 'notes.txt', text: 'hello  world' }],
    ['create .git/hooks/pre-commit with "id"', { kind: 'create', path: '.git/hooks/pre-commit', text: 'id' }],
    ['create something with care', unknown],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
})

describe('things to run', () => {
  const run = (...argv: string[]): Intent => ({ kind: 'run', argv })
  test.each<Table[number]>([
    ['run git status --short', run('git', 'status', '--short')],
    ['can you run npm test?', run('npm', 'test')],
    ['run `npm test`, please', run('npm', 'test')],
    ['run git log --format="a  b" -1', run('git', 'log', '--format=a  b', '-1')],
    ['run node -e \'a "b"\'', run('node', '-e', 'a "b"')],
    ['run go test ./... -v', run('go', 'test', './...', '-v')],
    ['run ls /usr/bin/s', run('ls', '/usr/bin/s')],
    ['run cat a; rm -r b && $(c) | d > e', run('cat', 'a;', 'rm', '-r', 'b', '&&', '$(c)', '|', 'd', '>', 'e')],
    ['run ls in src', run('ls', 'in', 'src')],
    ["run echo what's up", run('echo', "what's", 'up')],
    ['run the tests', { kind: 'test' }],
    ['Run all my tests, please!', { kind: 'test' }],
    ['test it', { kind: 'test' }],
    ['are the tests green?', { kind: 'test' }],
    ['fetch https://nodejs.org/api/?a=b,c', { kind: 'fetch', url: 'https://nodejs.org/api/?a=b,c' }],
    ['fetch file:///etc/passwd', { kind: 'fetch', url: 'file:///etc/passwd' }],
    ['show me http://127.0.0.1:6379/', { kind: 'fetch', url: 'http://127.0.0.1:6379/' }],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
})

describe('what comes after the work', () => {
  test.each<Table[number]>([
    ['commit "Less time, in src"', { kind: 'commit', message: 'Less time, in src' }],
    ['commit all of the changes with the message Less  time', { kind: 'commit', message: 'Less  time' }],
    ['push', { kind: 'push' }],
    ['git push', { kind: 'push' }],
    ['push the commit', { kind: 'push' }],
    ['what did you do?', { kind: 'evidence' }],
    ['show me the evidence', { kind: 'evidence' }],
    ['reflect', { kind: 'reflect' }],
    ['review the session', { kind: 'reflect' }],
    ['hop to test', { kind: 'hop', to: 'test' }],
    ['hop to ../x', { kind: 'hop', to: '../x' }],
    ['go to the edit peripheral', { kind: 'hop', to: 'edit' }],
    ['ship it!', { kind: 'hop', to: 'deploy' }],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
})

describe('a call by hand', () => {
  const use = (tool: string, args: Record<string, unknown>): Intent => ({ kind: 'use', call: { tool, args } })
  test.each<Table[number]>([
    ['use hop {"to": "test"}', use('hop', { to: 'test' })],
    ['@codex please use the tool read {"path": "a"}.', use('read', { path: 'a' })],
    [
      'use write {"path":"a","text":"x. Then y, then run it }{ \\"q\\"\\n"}',
      use('write', { path: 'a', text: 'x. Then y, then run it }{ "q"\n' }),
    ],
    ['use run {\n  "argv": ["sh",\n "-c", "id"]\n}', use('run', { argv: ['sh', '-c', 'id'] })],
    ['use read{"path":"a"}', use('read', { path: 'a' })],
    ['use rm {}', use('rm', {})],
    ['use ../x {"a": null}', use('../x', { a: null })],
    ['use "wr\\u0000 ite" {"path": "\\u0000"}', use('wr\0 ite', { path: '\0' })],
    ['USE read {"path": " a "}', use('read', { path: ' a ' })],
    ['use evidence', use('evidence', {})],
    ['use write {path: a}', { kind: 'use', call: null }],
    ['use write {"path": "a', { kind: 'use', call: null }],
    ['use write {"path": "a"} and so on', unknown],
    ['find use a {b} in src', search(text('use a {b}'), { where: 'src' })],
    ['find "use a {b}"', search(text('use a {b}'))],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))

  test('keeps a key that other objects have by themselves', () => {
    const [part] = parse('use read {"__proto__": {"path": "a"}}')
    expect(part?.intent.kind === 'use' && Object.entries(part.intent.call?.args ?? {})).toEqual([
      ['__proto__', { path: 'a' }],
    ])
  })

  test('has any JSON object for arguments, as it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true }), (args) => {
        const json = JSON.stringify(args)
        expect(intents(`use write ${json}`)).toEqual([use('write', JSON.parse(json))])
      }),
    )
  })
})

describe('parts', () => {
  const change: Intent = { kind: 'replace', old: 'a', new: 'b', path: 'x.js', all: false }
  test.each<[string, [Intent['kind'], string, boolean][]]>([
    [
      'replace a with b in x.js, then run the tests',
      [
        ['replace', 'replace a with b in x.js', false],
        ['test', 'run the tests', true],
      ],
    ],
    [
      'replace a with b in x.js and then test',
      [
        ['replace', 'replace a with b in x.js', false],
        ['test', 'test', true],
      ],
    ],
    [
      'replace a with b in x.js then run the tests',
      [
        ['replace', 'replace a with b in x.js', false],
        ['test', 'run the tests', true],
      ],
    ],
    [
      'Replace a with b in x.js. Then test it. And then deploy.',
      [
        ['replace', 'Replace a with b in x.js', false],
        ['test', 'test it', true],
        ['hop', 'deploy', true],
      ],
    ],
    [
      'use hop {"to": "test"}, then read a.js',
      [
        ['use', 'use hop {"to": "test"}', false],
        ['read', 'read a.js', true],
      ],
    ],
    [
      'run npm test, then use hop {"to": "deploy"}',
      [
        ['run', 'run npm test', false],
        ['use', 'use hop {"to": "deploy"}', true],
      ],
    ],
    [
      'replace a with b in x.js, then fix it',
      [
        ['replace', 'replace a with b in x.js', false],
        ['unknown', 'fix it', true],
      ],
    ],
    ['@codex then run the tests', [['test', 'run the tests', true]]],
    ['find if then else', [['search', 'find if then else', false]]],
    ['find "a, then run the tests"', [['search', 'find "a, then run the tests"', false]]],
    ['read a.js. Is that so? Then test it.', [['read', 'read a.js', false]]],
  ])('%s', (request, parts) => {
    expect(parse(request).map(({ intent, said, after }) => [intent.kind, said, after])).toEqual(parts)
  })

  test('are six at most', () => {
    const words = Array.from({ length: 9 }, () => 'replace a with b in x.js')
    expect(intents(words.join('. Then '))).toEqual(Array.from({ length: 6 }, () => change))
  })
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
    ['run the build', unknown],
    ['run the tests in src', unknown],
    ['replace "a" with "b"', unknown],
    ['replace a b with c in x.js', unknown],
    ['replace "" with "b" in x.js', unknown],
    ['commit', unknown],
    ['commit and push', unknown],
    ['deploy it to production', unknown],
    ['use redis for caching', unknown],
    ['fix the bug, then run the tests', unknown],
    ['rename parse to parseLine', unknown],
    ['show the last 20 lines of X', unknown],
    [`where is ${'x'.repeat(1000)}?`, unknown],
  ])('%s', (request, intent) => expect(intents(request)).toEqual([intent]))
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
      .filter((it) => /^[^"\p{C}]*[^"\p{C}\s][^"\p{C}]*$/u.test(it))
    fc.assert(
      fc.property(quotable, (it) => {
        expect(intents(`please find "${it}" in src`)).toEqual([search(text(it), { where: 'src' })])
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
    'use a {',
    'use a {} "b ',
    'use "',
    ', then ',
    ', then run a',
    ' then use a {}',
    'a, ',
    'a and ',
  ]
  const heads = ['run a', 'read a and', 'replace a with', 'use a {']
  const texts = [...units.map((unit) => ['find', unit] as const), ...heads.map((head) => [head, 'a '] as const)]
  test.each(texts)('of 200 000 characters such as %s %j comes to an end', (head, unit) => {
    expect(parse(`${head} ${unit.repeat(200_000 / unit.length)}`)).not.toEqual([])
  })
})
