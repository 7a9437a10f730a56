import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { checkRule, describe, matchCommand } from '../../src/tools/commands.ts'
import { rule } from './run-bench.ts'

/** The paths of a command that a rule fits; null where it does not fit. */
const paths = (form: string, ...argv: string[]): string[] | null => matchCommand([rule(form)], argv)?.paths ?? null

group('a command fits a rule', () => {
  test('word by word, and no other way', () => {
    expect({
      same: paths('npm test', 'npm', 'test'),
      more: paths('npm test', 'npm', 'test', '--', 'x'),
      less: paths('npm test', 'npm'),
      another: paths('npm test', 'npm', 'Test'),
      elsewhere: paths('npm test', '/tmp/npm', 'test'),
      joined: paths('npm test', 'npm test'),
      empty: paths('npm test', 'npm', 'test', ''),
    }).toEqual({ same: [], more: null, less: null, another: null, elsewhere: null, joined: null, empty: null })
  })

  test('with the first rule that it is a form of', () => {
    const [narrow, wide] = [rule('git diff HEAD --'), rule('git diff <rev> --')]
    expect([
      matchCommand([narrow, wide], ['git', 'diff', 'HEAD', '--'])?.rule,
      matchCommand([narrow, wide], ['git', 'diff', 'main', '--'])?.rule,
      matchCommand([], ['git', 'diff', 'main', '--']),
    ]).toEqual([narrow, wide, null])
  })

  test('with paths, which are handed on to be judged', () => {
    expect({
      one: paths('cat <path>', 'cat', '../../etc/passwd'),
      many: paths('wc -l <path>...', 'wc', '-l', 'a', '/b', 'a'),
      none: paths('wc -l <path>...', 'wc', '-l'),
      tail: paths('cp <path>... <path>', 'cp', 'a', 'b', 'c'),
      spaces: paths('cat <path>', 'cat', 'a b'),
    }).toEqual({ one: ['../../etc/passwd'], many: ['a', '/b'], none: [], tail: ['a', 'b', 'c'], spaces: ['a b'] })
  })

  test('and a word that could be a path is judged as one, whatever else it could be', () => {
    expect({
      either: paths('ls <word>... <path>...', 'ls', 'a', 'b'),
      before: paths('tool <word> <path>...', 'tool', 'a', 'b'),
      afterwards: paths('tool <path>... <word>', 'tool', 'a', 'b'),
      revision: paths('git diff <rev>', 'git', 'diff', '.env'),
      file: paths('git diff <rev>', 'git', 'diff', 'secret/key'),
      told: paths('git diff <rev> -- <path>...', 'git', 'diff', 'main', '--', 'src/a.ts'),
    }).toEqual({
      either: ['a', 'b'],
      before: ['b'],
      afterwards: ['a'],
      revision: null,
      file: ['secret/key'],
      told: ['src/a.ts'],
    })
  })

  const fits = (form: string, words: string[]) => words.filter((word) => paths(form, 'tool', word) !== null)

  test('an option is only what the rule spells out', () => {
    const options = ['-', '--', '-x', '--output=/etc/passwd', '-rf']
    const forms = ['<path>', '<word>', '<rev>', '<text>', '<number>'].flatMap((kind) => [kind, `${kind}...`])
    expect(forms.flatMap((form) => fits(`tool ${form}`, options))).toEqual([])
    expect(fits('tool <-x|--long>', options)).toEqual(['-x'])
    expect(paths('tool -- <path>...', 'tool', '--', '-x')).toEqual(null)
  })

  test('a word is a name, and no way out', () => {
    const good = ['test:unit', 'a/b', 'v1.2.3', 'KEY=1', 'user@host', 'a..b', '~', '^1']
    const bad = [
      '',
      'a b',
      '/etc/passwd',
      '..',
      '../x',
      'a/../../b',
      'a;b',
      '$(x)',
      '`x`',
      'a\nb',
      'ä',
      'a\0b',
      '*',
      '<x>',
    ]
    expect(fits('tool <word>', [...good, ...bad])).toEqual(good)
  })

  test('a revision is one of git, or a range, but no file in one and no refspec', () => {
    const good = ['HEAD', 'HEAD~2..main', 'a...b', '@{u}', 'v1.0^{}', '^main', 'feature/x-1']
    const bad = ['HEAD:.env', ':x', '+main', 'a:b', '..', '../x', 'a/../b', '.env', 'a b', '--all', 'x\n']
    expect(fits('tool <rev>', [...good, ...bad])).toEqual(good)
  })

  test('a number is digits, a text is anything, and a choice is one of its words', () => {
    expect(fits('tool <number>', ['0', '12', '-1', '1e3', '0x1', '١', '', '1\n'])).toEqual(['0', '12'])
    expect(fits('tool <text>', ['', 'a "b" $(c)\n-d', 'a\0b', '-m'])).toEqual(['', 'a "b" $(c)\n-d'])
    expect(fits('tool <start|stop>', ['start', 'stop', 'start|stop', '', 'Start'])).toEqual(['start', 'stop'])
  })

  test('git has a language of its own for paths, and an address is no path', () => {
    const bad = [':(exclude)x', ':/', ':!x', '*.ts', 's?c', '[a]', 'a\\b', 'HEAD:x', 'file:///etc/passwd']
    expect(bad.map((path) => paths('git diff -- <path>...', 'git', 'diff', '--', path))).toEqual(bad.map(() => null))
    expect(paths('cat <path>', 'cat', 'file:///etc/passwd')).toEqual(null)
    expect(paths('cat <path>', 'cat', 'app/[id].ts')).toEqual(['app/[id].ts'])
  })

  test('a rule that is not well-formed fits nothing', () => {
    const forms = ['tool <x>', 'tool <path', 'tool path>', 'tool <constructor>', 'tool <>', 'tool a<path>']
    expect(forms.map((form) => paths(form, ...form.split(' ')))).toEqual(forms.map(() => null))
  })

  test('in a time that does not explode with the number of its places', () => {
    const form = `tool ${Array.from({ length: 99 }, () => '<word>...').join(' ')}`
    expect(paths(form, 'tool', ...Array.from({ length: 199 }, () => 'a'), '-')).toEqual(null)
  })

  test('exactly where its words do, one after the other', () => {
    const word = fc.constantFrom('a', 'b', '-x')
    const place = fc.constantFrom('a', '-x', '<word>', '<word>...', '<a|b>...')
    fc.assert(
      fc.property(fc.array(place, { maxLength: 6 }), fc.array(word, { maxLength: 6 }), (places, words) => {
        const single: Record<string, string> = {
          a: 'a',
          '-x': '-x',
          '<word>': '[ab]',
          '<word>...': '[ab]*',
          '<a|b>...': '[ab]*',
        }
        const letters = words.map((each) => (each === '-x' ? 'X' : each)).join('')
        const pattern = places.map((each) => (each === '-x' ? 'X' : single[each])).join('')
        const expected = new RegExp(`^${pattern}$`).test(letters) ? [] : null
        expect(paths(['tool', ...places].join(' '), 'tool', ...words)).toEqual(expected)
      }),
    )
  })
})

group('a rule', () => {
  test('is fine as most people would write it', () => {
    const forms = [
      'npm test',
      'go test ./...',
      'git diff <rev>... -- <path>...',
      'git commit -m <text>',
      './gradlew <build|test>',
    ]
    expect(forms.map((form) => checkRule(rule(form)))).toEqual(forms.map(() => null))
  })

  test('is told what is wrong with it', () => {
    const known = 'there are <path>, <word>, <rev>, <text>, <number> and <this|that>'
    expect(
      Object.fromEntries(
        [
          '<word> x',
          '<npm|yarn> test',
          '-x',
          'cat <file>',
          'cat <constructor>',
          'cat <path',
          'cat a<path>',
          'cat <path>..',
          'do <a|>',
          'do <path|a>',
          'git show <word>',
          '/usr/bin/git show <word>',
          'git show <text>',
        ].map((form) => [form, checkRule(rule(form))]),
      ),
    ).toEqual({
      '<word> x': 'the first word of a command is the name of a program, not "<word>"',
      '<npm|yarn> test': 'the first word of a command is the name of a program, not "<npm|yarn>"',
      '-x': 'the first word of a command is the name of a program, not "-x"',
      'cat <file>': `"<file>" is not known; ${known}`,
      'cat <constructor>': `"<constructor>" is not known; ${known}`,
      'cat <path': '"<path" is no placeholder: that is a whole word, such as <path> or <path>...',
      'cat a<path>': '"a<path>" is no placeholder: that is a whole word, such as <path> or <path>...',
      'cat <path>..': '"<path>.." is no placeholder: that is a whole word, such as <path> or <path>...',
      'do <a|>': '"<a|>" has an empty choice',
      'do <path|a>': '"<path|a>" would mean the very word "path", not a <path>',
      'git show <word>': 'a command of git has <rev> where others have <word>',
      '/usr/bin/git show <word>': 'a command of git has <rev> where others have <word>',
      'git show <text>': 'in a command of git, <text> stands after an option, such as -m',
    })
    expect(checkRule(rule(`x ${'a '.repeat(100)}`.trim()))).toEqual('a command has at most 100 words')
    expect(checkRule({ ...rule('x'), argv: ['a b'] })).toEqual(
      'the first word of a command is the name of a program, not "a b"',
    )
  })

  test('is shown as one would type it, and not hundreds of them', () => {
    expect(describe([])).toEqual('it may run no commands')
    expect(describe([rule('npm test'), rule('git diff <path>...')])).toEqual('it may run: npm test; git diff <path>...')
    const many = Array.from({ length: 22 }, (_, n) => rule(`x ${n}`))
    expect(describe(many)).toEqual(
      `it may run: ${many
        .slice(0, 20)
        .map(({ argv }) => argv.join(' '))
        .join('; ')}; and 2 more`,
    )
  })
})
