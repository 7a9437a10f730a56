import { chmodSync, linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { swapping } from '../workspace/swapping.ts'
import { type Bench, bench, failure, fine } from './bench.ts'

/** A ripgrep of the test's own making, alone on the path. */
const fakeRipgrep = (it: Bench, ...script: string[]): { path: string } => {
  chmodSync(it.write('bin/rg', ['#!/bin/sh', ...script].join('\n')), 0o755)
  return { path: join(it.above, 'bin') }
}

const FILES = {
  'README.md': 'Retry the kettle.\nretry (twice)\nretryable\n',
  'src/retry.ts': 'export const retry = 1\n',
  'src/deep/kettle.ts': '// RETRY\n',
  'src/deep/kettle.py': '# retry.\n',
}

describe('grep', () => {
  test.each([
    [
      'an expression',
      { pattern: 'retr[yi]e?\\b' },
      ['README.md:2:retry (twice)', 'src/deep/kettle.py:1:# retry.', 'src/retry.ts:1:export const retry = 1'],
    ],
    ['a literal with signs in it', { pattern: 'retry (twice)', literal: true }, ['README.md:2:retry (twice)']],
    [
      'a literal that would match more as an expression',
      { pattern: 'retry.', literal: true },
      ['src/deep/kettle.py:1:# retry.'],
    ],
    ['a whole word', { pattern: 'retry', word: true, path: 'README.md' }, ['README.md:2:retry (twice)']],
    [
      'whatever the case',
      { pattern: 'RETRY', ignoreCase: true, word: true },
      [
        'README.md:1:Retry the kettle.',
        'README.md:2:retry (twice)',
        'src/deep/kettle.py:1:# retry.',
        'src/deep/kettle.ts:1:// RETRY',
        'src/retry.ts:1:export const retry = 1',
      ],
    ],
    ['the case as given', { pattern: 'RETRY' }, ['src/deep/kettle.ts:1:// RETRY']],
    ['below a folder', { pattern: 'retry', path: 'src/deep' }, ['src/deep/kettle.py:1:# retry.']],
    ['in one file', { pattern: 'retry', path: 'src/retry.ts' }, ['src/retry.ts:1:export const retry = 1']],
    [
      'in files of a name at any depth',
      { pattern: 'retry', ignoreCase: true, glob: '*.ts' },
      ['src/deep/kettle.ts:1:// RETRY', 'src/retry.ts:1:export const retry = 1'],
    ],
    [
      'in files of a path',
      { pattern: 'retry', ignoreCase: true, glob: 'src/*.ts' },
      ['src/retry.ts:1:export const retry = 1'],
    ],
    ['in files of several names', { pattern: 'kettle', glob: '*.{md,py}' }, ['README.md:1:Retry the kettle.']],
    [
      'all of it together',
      { pattern: 'RETRY.', literal: true, word: true, ignoreCase: true, path: 'src', glob: '**/*.py' },
      ['src/deep/kettle.py:1:# retry.'],
    ],
    ['what is nowhere', { pattern: 'teapot' }, []],
    ['in files there are none of', { pattern: 'retry', glob: '*.rs' }, []],
  ] as const)('finds %s', async (_what, args, hits) => {
    using it = await bench(FILES)
    const paths = [...new Set(hits.map((hit) => hit.split(':')[0] ?? ''))]
    expect(await it.grep(args)).toEqual(fine(hits.join('\n'), paths))
  })

  test('names a file once, however many of its lines match', async () => {
    using it = await bench({ 'a.txt': 'x\nx\nx\n' })
    expect(await it.grep({ pattern: 'x' })).toEqual(fine('a.txt:1:x\na.txt:2:x\na.txt:3:x', ['a.txt']))
  })

  test.each([
    ['(', ['regex parse error:', 'unclosed group']],
    ['[a', ['regex parse error:', 'unclosed character class']],
    ['*', ['regex parse error:', 'repetition operator missing expression']],
    ['a{2,1}', ['regex parse error:', 'invalid repetition count range']],
    ['(?=a)b', ['regex parse error:', 'look-around']],
    ['a\nb', ['not allowed in a regex']],
    ['a{1000}{1000}{1000}', ['exceeds size limit']],
    ['\0', ['null bytes']],
  ])('says what is wrong with the expression %j', async (pattern, sentences) => {
    using it = await bench({ 'a.txt': 'ab\n' })
    const report = await it.grep({ pattern })
    expect(report.kind).toBe('failed')
    const told = report.kind === 'failed' ? report.message : ''
    expect(sentences.filter((sentence) => !told.includes(sentence))).toEqual([])
    expect(told.length).toBeLessThan(1500)
  })

  test.each(['[', '{a', 'a}'])('says that %j is not a glob pattern', async (glob) => {
    using it = await bench({ 'a.txt': 'a\n' })
    expect(await it.grep({ pattern: 'a', glob })).toEqual(failure(`not a glob pattern: ${glob}`))
  })

  test('a long line is shown in part', async () => {
    using it = await bench({ 'a.txt': `${'x'.repeat(100_000)}needle\n` })
    const report = await it.grep({ pattern: 'needle' })
    expect(report).toMatchObject({ kind: 'ok', paths: ['a.txt'], cut: null })
    expect(JSON.stringify(report).length).toBeLessThan(600)
  })

  test('Windows line ends are no part of a hit', async () => {
    using it = await bench({ 'a.txt': 'one\r\ntwo\r\n' })
    expect(await it.grep({ pattern: 'two' })).toEqual(fine('a.txt:2:two', ['a.txt']))
  })

  test('a binary file shows nothing, asked for by name or not', async () => {
    using it = await bench({ 'a.bin': '\0needle\n', 'b.txt': 'needle\n' })
    expect(await it.grep({ pattern: 'needle' })).toEqual(fine('b.txt:1:needle', ['b.txt']))
    expect(await it.grep({ pattern: 'needle', path: 'a.bin' })).toEqual(fine('', []))
  })
})

describe('glob', () => {
  const TREE = ['README.md', 'a.ts', 'src/a.test.ts', 'src/a.ts', 'src/deep/b.ts', 'src/deep/c.py', 'test/a.ts']
  const open = () => bench(Object.fromEntries(TREE.map((name) => [name, `${name}\n`])))

  test.each([
    ['**', TREE],
    ['**/*', TREE],
    ['*', TREE],
    ['*.ts', ['a.ts', 'src/a.test.ts', 'src/a.ts', 'src/deep/b.ts', 'test/a.ts']],
    ['a.ts', ['a.ts', 'src/a.ts', 'test/a.ts']],
    ['/a.ts', ['a.ts']],
    ['./a.ts', ['a.ts']],
    ['src/*.ts', ['src/a.test.ts', 'src/a.ts']],
    ['src/**/*.ts', ['src/a.test.ts', 'src/a.ts', 'src/deep/b.ts']],
    ['**/deep/*', ['src/deep/b.ts', 'src/deep/c.py']],
    ['{src,test}/a.ts', ['src/a.ts', 'test/a.ts']],
    ['*.{py,md}', ['README.md', 'src/deep/c.py']],
    ['?.ts', ['a.ts', 'src/a.ts', 'src/deep/b.ts', 'test/a.ts']],
    ['[bc].*', ['src/deep/b.ts', 'src/deep/c.py']],
    ['readme.md', []],
    ['[rR][eE][aA][dD]*', ['README.md']],
    ['*.rs', []],
    ['../**', []],
    ['**/../**', []],
    ['*******', TREE],
    ['*a*.*t*s*', ['a.ts', 'src/a.test.ts', 'src/a.ts', 'test/a.ts']],
    ['{*a.*,*b.*,*c.*,*d.*,*e.*}', TREE.filter((name) => name !== 'README.md')],
  ])('%j finds the files of that name', async (pattern, expected) => {
    using it = await open()
    expect(await it.glob({ pattern })).toEqual(fine(expected.join('\n'), expected))
  })

  test('below a folder, a pattern is about the path from there', async () => {
    using it = await open()
    expect(await it.glob({ pattern: '*.ts', path: 'src/deep' })).toEqual(fine('src/deep/b.ts', ['src/deep/b.ts']))
    expect(await it.glob({ pattern: 'deep/*.ts', path: 'src' })).toEqual(fine('src/deep/b.ts', ['src/deep/b.ts']))
    expect(await it.glob({ pattern: '/a.ts', path: join(it.root, 'src') })).toEqual(fine('src/a.ts', ['src/a.ts']))
    expect(await it.glob({ pattern: 'src/*.ts', path: 'src' })).toEqual(fine('', []))
  })

  test('of a file, it is about its name', async () => {
    using it = await open()
    expect(await it.glob({ pattern: '*.ts', path: 'src/a.ts' })).toEqual(fine('src/a.ts', ['src/a.ts']))
    expect(await it.glob({ pattern: '*.py', path: 'src/a.ts' })).toEqual(fine('', []))
  })

  test('a folder with nothing in it has no files', async () => {
    using it = await open()
    mkdirSync(join(it.root, 'empty'))
    expect(await it.glob({ pattern: '**', path: 'empty' })).toEqual(fine('', []))
  })

  test.each(['[', '{a', 'a}', '[a-'])('says that %j is not a glob pattern', async (pattern) => {
    using it = await open()
    expect(await it.glob({ pattern })).toEqual(failure(`not a glob pattern: ${pattern}`))
  })

  test.each([`${'*a'.repeat(30)}*b`, `${'{*a*a*a,b}'.repeat(4)}c`, `${'**/'.repeat(40)}b`])(
    '%j comes to an end on a name made for it to fail',
    async (pattern) => {
      using it = await bench({ [`${'a'.repeat(200)}.txt`]: 'a\n' })
      expect(await it.glob({ pattern })).toEqual(fine('', []))
      expect(await it.grep({ pattern: 'a', glob: pattern })).toEqual(fine('', []))
    },
  )

  test('a pattern of more than 64 alternatives is none', async () => {
    using it = await open()
    const pattern = '{a,b}'.repeat(7)
    expect(await it.glob({ pattern })).toEqual(failure(`not a glob pattern: ${pattern}`))
  })
})

describe('file names', () => {
  const names = [
    '-dash.txt',
    '--files',
    'a b.txt',
    'a:1:b.txt',
    "it's",
    '$(x)',
    '[a]*',
    '{b,c}',
    'ünï.txt',
    '\\x',
    ' lead',
  ]

  test('come out as they are, whatever is in them', async () => {
    using it = await bench(Object.fromEntries(names.map((name) => [`in/${name}`, 'needle\n'])))
    const glob = await it.glob({ pattern: '**' })
    const grep = await it.grep({ pattern: 'needle' })
    const expected = names.map((name) => `in/${name}`).sort()
    expect(glob.kind === 'ok' && glob.paths.sort()).toEqual(expected)
    expect(grep.kind === 'ok' && grep.paths.sort()).toEqual(expected)
    expect(grep.kind === 'ok' && grep.output.split('\n').sort()).toEqual(
      expected.map((name) => `${name}:1:needle`).sort(),
    )
  })

  test.each(names.map((name) => [name]))('can be asked for: %j', async (name) => {
    using it = await bench({ [`${name}/${name}`]: 'needle\n' })
    const path = `${name}/${name}`
    expect(await it.grep({ pattern: 'needle', path: name })).toEqual(fine(`${path}:1:needle`, [path]))
    expect(await it.grep({ pattern: 'needle', path })).toEqual(fine(`${path}:1:needle`, [path]))
    expect(await it.glob({ pattern: '**', path: name })).toEqual(fine(path, [path]))
  })

  test('with a line break cannot pass for another file: they are left out', async () => {
    using it = await bench({ 'README.md': 'true\n', 'x\n./README.md': 'forged\n', 'y\nsrc/a.ts': 'forged\n' })
    it.write(`ws/z\n${join(it.root, 'README.md')}`, 'forged\n')
    expect(await it.glob({ pattern: '**' })).toEqual(fine('README.md', ['README.md']))
    expect(await it.grep({ pattern: '.' })).toEqual(fine('README.md:1:true', ['README.md']))
  })
})

describe('what stays out', () => {
  const hide = (it: Bench) => {
    it.write('outside/link.txt', 'SECRET\n')
    symlinkSync('../outside', join(it.root, 'folder-link'))
    symlinkSync('../outside/link.txt', join(it.root, 'file-link.txt'))
    symlinkSync('seen.txt', join(it.root, 'inner-link.txt'))
  }
  const TREE = {
    'seen.txt': 'seen\n',
    'src/seen.txt': 'seen\n',
    '.env': 'SECRET\n',
    '.config/token.txt': 'SECRET\n',
    'src/.hidden.txt': 'SECRET\n',
    '.gitignore': 'ignored.txt\n/out\nsrc/private/\n!.env\n',
    'ignored.txt': 'SECRET\n',
    'src/ignored.txt': 'SECRET\n',
    'out/build.txt': 'SECRET\n',
    'src/private/a.txt': 'SECRET\n',
    '.ignore': '*.log\n',
    'src/a.log': 'SECRET\n',
    'data/secret.txt': 'SECRET\n',
    'src/data/secret.txt': 'SECRET\n',
  }
  const SEEN = ['seen.txt', 'src/seen.txt']
  const patterns = [
    '**',
    '**/*',
    '*',
    '*.txt',
    '**/*.txt',
    '{,.}*',
    '**/.*',
    '.*',
    '.*/**',
    '{**,**/.*}',
    '!x',
    '*secret*',
  ]
  const open = async (git: boolean) => {
    const it = await bench(TREE, { offLimits: ['data', 'src/data'] })
    if (git) it.write('ws/.git/HEAD', 'SECRET\n')
    hide(it)
    return it
  }

  test.each([true, false])('hidden, ignored, linked and off limits: in a git repository: %s', async (git) => {
    using it = await open(git)
    expect(await it.grep({ pattern: '.' })).toEqual(fine(SEEN.map((name) => `${name}:1:seen`).join('\n'), SEEN))
    for (const pattern of patterns) {
      const [glob, grep] = [await it.glob({ pattern }), await it.grep({ pattern: '.', glob: pattern })]
      const seen = pattern === '*secret*' || /^(\*\*\/)?\.\*/.test(pattern) ? [] : SEEN
      expect([pattern, glob]).toEqual([pattern, fine(seen.join('\n'), seen)])
      expect([pattern, grep]).toEqual([pattern, fine(seen.map((name) => `${name}:1:seen`).join('\n'), seen)])
    }
  })

  test('the same holds below a folder', async () => {
    using it = await open(true)
    for (const path of ['src', './src/', join(it.root, 'src')]) {
      expect(await it.glob({ pattern: '**', path })).toEqual(fine('src/seen.txt', ['src/seen.txt']))
      expect(await it.grep({ pattern: '.', path })).toEqual(fine('src/seen.txt:1:seen', ['src/seen.txt']))
    }
  })

  test.each([
    ['.bellhop', 'bellhop'],
    ['data', 'data2'],
    ['da ta', 'data'],
    ['data ', 'data'],
    [' data', 'data'],
    ['data\t', 'other'],
    ['da[t]a', 'data'],
    ['da*ta', 'daXta'],
    ['da?ta', 'daXta'],
    ['{a,b}', 'a'],
    ['!data', 'data'],
    ['#data', 'data'],
    ['-data', 'data'],
    ['back\\slash', 'backslash'],
    ['line\nbreak', 'line'],
    ['dätä', 'data'],
    ['a/b/data', 'data'],
    ['a/da[t]a/c ', 'a/data'],
  ])('a data folder called %j stays out, and its neighbour %j does not', async (data, neighbour) => {
    const seen = `${neighbour}/seen.txt`
    using it = await bench({ [`${data}/secret.txt`]: 'SECRET\n', [seen]: 'seen\n' }, { offLimits: [data] })
    expect(await it.glob({ pattern: '**' })).toEqual(fine(seen, [seen]))
    expect(await it.grep({ pattern: '.' })).toEqual(fine(`${seen}:1:seen`, [seen]))
  })
})

describe('limits', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i + 100}.txt`, 'x\n']))

  const spilt = (report: ReturnType<typeof fine>, spill: string) => ({ ...report, spill })

  test('of as many lines as are found keep nothing back', async () => {
    using it = await bench(many(5))
    const names = Object.keys(many(5))
    const limits = { outputLines: 5 }
    expect(await it.glob({ pattern: '**' }, { limits })).toEqual(fine(names.join('\n'), names))
    expect(await it.grep({ pattern: 'x' }, { limits })).toEqual(
      fine(names.map((name) => `${name}:1:x`).join('\n'), names),
    )
  })

  test('of fewer lines are kept exactly, and all of them can be read', async () => {
    using it = await bench(many(5))
    const names = Object.keys(many(4))
    const limits = { outputLines: 4 }
    const hits = (some: string[]) => some.map((name) => `${name}:1:x`).join('\n')
    expect(await it.glob({ pattern: '**' }, { limits })).toEqual(
      spilt(fine(names.join('\n'), names, 'cut after 4 lines; all 5: read spill:1'), 'spill:1'),
    )
    expect(await it.grep({ pattern: 'x' }, { limits })).toEqual(
      spilt(fine(hits(names), names, 'cut after 4 lines; all 5: read spill:2'), 'spill:2'),
    )
    expect(await it.read({ path: 'spill:2' })).toEqual(fine(hits(Object.keys(many(5))), []))
  })

  test.each([
    [26, 2],
    [8, 0],
  ])('of %i bytes for three names of eight and a line break show %i', async (outputBytes, shown) => {
    using it = await bench(many(3))
    const names = Object.keys(many(shown))
    expect(await it.glob({ pattern: '**' }, { limits: { outputBytes } })).toEqual(
      spilt(fine(names.join('\n'), names, `cut after ${shown} lines; all 3: read spill:1`), 'spill:1'),
    )
  })

  test('of just as many bytes as three names need show them', async () => {
    using it = await bench(many(3))
    const names = Object.keys(many(3))
    expect(await it.glob({ pattern: '**' }, { limits: { outputBytes: 27 } })).toEqual(fine(names.join('\n'), names))
  })

  test('a search that finds much more than it may show or keep ends early', async () => {
    using it = await bench({ 'a.txt': 'needle\n'.repeat(300_000) })
    const report = await it.grep({ pattern: 'needle' })
    const shown = Array.from({ length: 2000 }, (_, i) => `a.txt:${i + 1}:needle`).join('\n')
    expect(report).toEqual(
      spilt(fine(shown, ['a.txt'], 'cut after 2000 lines; the first 53216: read spill:1'), 'spill:1'),
    )
  })
})

describe('what is denied', () => {
  const SECRETS = ['certs/site.pem', 'deploy.key', 'id_rsa', 'Secrets.JSON', 'sub/credentials.json', 'prod.env']
  const TREE = { 'seen.txt': 'needle\n', ...Object.fromEntries(SECRETS.map((name) => [name, 'needle\n'])) }

  test('appears in no search, nor does a word of it', async () => {
    using it = await bench(TREE)
    expect(await it.grep({ pattern: 'needle' })).toEqual(fine('seen.txt:1:needle', ['seen.txt']))
    expect(await it.glob({ pattern: '**' })).toEqual(fine('seen.txt', ['seen.txt']))
    for (const path of SECRETS) {
      const name = `${path} is closed to everybody: it is git's own, or may hold secrets`
      expect(await it.grep({ pattern: 'needle', path })).toMatchObject({
        refusal: { code: 'out-of-scope', message: name },
      })
      expect(await it.glob({ pattern: '**', path })).toMatchObject({ refusal: { code: 'out-of-scope', message: name } })
    }
  })

  test('by the scope of a peripheral does not either; nor what it does not open', async () => {
    using it = await bench({ 'src/a.ts': 'needle\n', 'src/gen/b.ts': 'needle\n', 'docs/c.md': 'needle\n' })
    const scope = { read: ['src/**'], deny: ['gen'] }
    expect(await it.grep({ pattern: 'needle' }, { scope })).toEqual(fine('src/a.ts:1:needle', ['src/a.ts']))
    expect(await it.glob({ pattern: '**', path: 'src' }, { scope })).toEqual(fine('src/a.ts', ['src/a.ts']))
    expect(await it.glob({ pattern: '**', path: 'docs' }, { scope })).toMatchObject({
      refusal: { code: 'out-of-scope' },
    })
  })

  test('a file with several names is left out, and that is said; unless the scope opens them', async () => {
    using it = await bench({ 'a.txt': 'needle\n', 'b.txt': 'needle\n' })
    linkSync(join(it.root, 'a.txt'), join(it.above, 'elsewhere'))
    const note = 'left out: a file with several names (hard links)'
    expect(await it.grep({ pattern: 'needle' })).toEqual(fine('b.txt:1:needle', ['b.txt'], note))
    expect(await it.glob({ pattern: '**' })).toEqual(fine('b.txt', ['b.txt'], note))
    const scope = { hardLinks: true }
    expect(await it.glob({ pattern: '**' }, { scope })).toEqual(fine('a.txt\nb.txt', ['a.txt', 'b.txt']))
    expect(await it.grep({ pattern: 'needle' }, { scope })).toEqual(
      fine('a.txt:1:needle\nb.txt:1:needle', ['a.txt', 'b.txt']),
    )
  })
})

describe('what a search says is not believed', () => {
  const CANARY = 'CANARY-4711'

  test.each([
    ['a line that the file does not have', `a.txt\\0001:${CANARY}`],
    ['a line that is not there', `a.txt\\0009:fine`],
    ['a file that is not there', `b.txt\\0001:${CANARY}`],
    ['a file behind a link', `link/secret.txt\\0001:${CANARY}`],
    ['a file that is a link', `file-link\\0001:${CANARY}`],
    ['a place outside', `../outside/secret.txt\\0001:${CANARY}`],
    ['a place outside, absolute', `/etc/passwd\\0001:root`],
    ['nonsense', CANARY],
  ])('neither %s by grep', async (_what, said) => {
    using it = await bench({ 'a.txt': 'fine\n', 'z.txt': 'true\n' })
    it.write('outside/secret.txt', `${CANARY}\n`)
    symlinkSync('../outside', join(it.root, 'link'))
    symlinkSync('../outside/secret.txt', join(it.root, 'file-link'))
    const rg = fakeRipgrep(it, `printf './${said}\\n'`, "printf './z.txt\\0001:true\\n'")
    expect(await it.grep({ pattern: 'x' }, rg)).toEqual(fine('z.txt:1:true', ['z.txt']))
  })

  test('nor a name that is not there, or is no file, by glob', async () => {
    using it = await bench({ 'a.txt': 'fine\n', 'src/b.txt': '' })
    it.write(`outside/${CANARY}`, '')
    symlinkSync('../outside', join(it.root, 'link'))
    const rg = fakeRipgrep(it, ...['c.txt', `link/${CANARY}`, 'link', 'src', 'a.txt'].map((name) => `echo ./${name}`))
    expect(await it.glob({ pattern: '**' }, rg)).toEqual(fine('a.txt', ['a.txt']))
  })

  test.each(['grep', 'glob'] as const)(
    'a folder that is swapped for a link while %s walks shows nothing',
    async (tool) => {
      const inside = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`here/f${i}.txt`, 'needle inside\n']))
      using it = await bench(inside)
      for (let i = 0; i < 50; i++) it.write(`outside/g${i}.txt`, `needle ${CANARY}\n`)
      for (let i = 0; i < 50; i++) it.write(`outside/f${i}.txt`, `needle ${CANARY}\n`)
      using _swaps = swapping(join(it.root, 'here'), join(it.above, 'outside'), join(it.above, 'aside'))
      const rounds = process.env['BELLHOP_LONG'] ? 300 : 40
      for (let i = 0; i < rounds; i++) {
        const report = await it[tool]({ pattern: tool === 'grep' ? 'needle' : '**' })
        expect(JSON.stringify(report)).not.toMatch(/CANARY|g\d+\.txt/)
      }
    },
  )
})

describe('when ripgrep', () => {
  test.each(['grep', 'glob'] as const)('is missing, %s fails and names the doctor', async (tool) => {
    using it = await bench({ 'a.txt': 'a\n' })
    mkdirSync(join(it.above, 'empty'))
    for (const path of [join(it.above, 'empty'), '/not/there', '']) {
      expect(await it[tool]({ pattern: 'a' }, { path })).toEqual(
        failure('ripgrep is missing: `./bellhop doctor` says how to install it'),
      )
    }
  })

  test('takes too long, it is ended and said so', async () => {
    using it = await bench({ 'a.txt': 'a\n' })
    expect(
      await it.grep({ pattern: 'a' }, { ...fakeRipgrep(it, 'exec /bin/sleep 60'), limits: { seconds: 1 } }),
    ).toEqual(failure('the search took longer than 1 s'))
  })

  test('is no longer wanted, it is ended and said so', async () => {
    using it = await bench({ 'a.txt': 'a\n' })
    const signal = AbortSignal.abort()
    expect(await it.grep({ pattern: 'a' }, { signal })).toEqual(failure('the search was cancelled'))
  })

  test('dies of a signal after it found something, that is no answer', async () => {
    using it = await bench({ 'a.txt': 'a\n' })
    const report = await it.glob({ pattern: '**' }, fakeRipgrep(it, 'echo ./a.txt', 'kill -9 $$'))
    expect(report).toMatchObject({ kind: 'failed', message: expect.stringMatching(/^ripgrep failed: .*SIGKILL/) })
  })

  test('fails in a way of its own, what it says is told', async () => {
    using it = await bench({ 'a.txt': 'a\n' })
    const report = await it.glob({ pattern: '**' }, fakeRipgrep(it, 'echo no such flag >&2', 'exit 3'))
    expect(report).toEqual(failure('no such flag'))
  })

  test('cannot read some of the files, what it found in the others is shown, and that there is more', async () => {
    using it = await bench({ 'a.txt': 'needle\n' })
    // A folder deeper than a path can be long: nobody can read that, not even root.
    const dig =
      'n=$(printf %0200d 7); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do mkdir $n; cd -P $n; done'
    await execa('bash', ['-c', dig], { cwd: it.root, reject: false })
    try {
      const cut = 'some files could not be read'
      expect(await it.grep({ pattern: 'needle' })).toEqual(fine('a.txt:1:needle', ['a.txt'], cut))
      expect(await it.glob({ pattern: '*.txt' })).toEqual(fine('a.txt', ['a.txt'], cut))
    } finally {
      await execa('rm', ['-rf', it.root])
    }
  })

  test('has nothing to search in, the place is named', async () => {
    using it = await bench()
    for (const tool of ['grep', 'glob'] as const)
      expect(await it[tool]({ pattern: 'x', path: 'not/there' })).toEqual(failure('there is no file not/there'))
  })

  test('is given what looks like a flag, that is a pattern like any other', async () => {
    const flags = [
      '--pre=cat',
      '-f/etc/passwd',
      '--files',
      '-uuu',
      '--',
      '-e',
      '--hidden',
      '--replace=x',
      '--version',
      '-h',
    ]
    using it = await bench({ 'a.txt': `${flags.join('\n')}\n`, '.hidden': 'SECRET\n' })
    for (const [i, flag] of flags.entries()) {
      const hit = flags.flatMap((line, at) => (line.includes(flag) ? [`a.txt:${at + 1}:${line}`] : []))
      expect(hit).toContain(`a.txt:${i + 1}:${flag}`)
      expect(await it.grep({ pattern: flag, literal: true })).toEqual(fine(hit.join('\n'), ['a.txt']))
      expect(await it.glob({ pattern: flag })).toEqual(fine('', []))
      expect(await it.grep({ pattern: '.', glob: flag })).toEqual(fine('', []))
    }
  })
})
