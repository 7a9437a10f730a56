import fc from 'fast-check'
import type { CommandRule, PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { ToolName } from '../../src/shapes/peripheral.ts'

/** Pieces that paths are made of, harmless by themselves, and some that are not. `@` is the folder above, `#` the workspace. */
const PIECES = [
  ['..', '.', '', 'src', 'docs', 'a.js', 'new.txt', 'ws', 'outside', 'secret.txt', 'deep', 'README.md', 'x y', ' '],
  ['out-link', 'up-link', 'root-link', 'file-link', 'chain', 'loop', 'nowhere', 'env-link', 'git-link', 'hard.txt'],
  [
    '.env',
    '.ENV',
    '.env.local',
    '.git',
    '.Git',
    'config',
    'keys',
    'server.pem',
    'git~1',
    '.env.',
    '.env ',
    '.e\u200bnv',
  ],
  [
    '．．',
    '‥',
    '..\\',
    '%2e%2e',
    '~',
    '$HOME',
    '\u202e',
    'é',
    'e\u0301',
    '\ud83d\ude00',
    'proc',
    'self',
    'cwd',
    'fd',
    '0',
  ],
  ['spill:t1.0', 'a\0b', 'a\nb', '-rf', '--', '*', '[a-z]', '{a,b}', '!src', 'n'.repeat(300), 'file:', 'C:'],
].flat()

const BEGINNINGS = [
  '',
  '',
  '',
  '/',
  '//',
  './',
  '../',
  '@/',
  '#/',
  '/proc/self/cwd/',
  '/proc/self/root@/',
  '/proc/self/root/',
  '/dev/',
]

export const anyPath = fc
  .tuple(fc.constantFrom(...BEGINNINGS), fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }))
  .map(([beginning, pieces]) => `${beginning}${pieces.join('/')}`)

/** Words that programs take for more than words. */
const WORDS = [
  [
    '',
    ' ',
    '-',
    '--',
    '-c',
    '-e',
    '-x',
    '-rf',
    '-o',
    '--output=x',
    '--exec=id',
    '--upload-pack=id',
    '--config=x',
    '--help',
  ],
  [
    ';',
    '|',
    '&&',
    '>',
    '>x',
    '$(id)',
    '`id`',
    '$HOME',
    '*',
    '?',
    '~',
    '!',
    '\\',
    '"',
    "'",
    '\n',
    '\t',
    'a\0b',
    '\ud800',
  ],
  ['sh', 'bash', '/bin/sh', './x', '../x', 'env', 'sudo', 'node', 'git', 'npm', 'LS', 'ls ', 'PATH=.', 'LD_PRELOAD=x'],
  [
    'ext::sh',
    'http://x',
    'file:///x',
    'HEAD',
    'HEAD:.env',
    ':/',
    ':(top)',
    '+main',
    ':main',
    'a..b',
    '@{-1}',
    '@x',
    'main:x',
  ],
  [
    'src',
    'src/a.js',
    'README.md',
    '.env',
    '.git/config',
    '..',
    '../outside',
    '/etc/passwd',
    '@/outside',
    '1',
    '007',
    '-1',
    '1e9',
  ],
].flat()

const anyWord = fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 6 }), anyPath)

/** A command that is almost a form of a rule, or not at all. */
export const anyArgvFor = ({ commands, ceiling }: PeripheralSpec): fc.Arbitrary<string[]> => {
  const rules = [...commands, ...(ceiling?.commands ?? [])]
  const plain = fc.array(anyWord, { minLength: 1, maxLength: 6 })
  return rules.length === 0
    ? plain
    : fc.oneof(fc.constantFrom(...rules).chain(formOf), fc.constantFrom(...rules).chain(bentForm), plain)
}

const formOf = ({ argv }: CommandRule): fc.Arbitrary<string[]> =>
  fc.tuple(...argv.map(wordsFor)).map((words) => words.flat())

const wordsFor = (place: string): fc.Arbitrary<string[]> => {
  const [, inner = '', many = ''] = /^<(.*)>(\.\.\.)?$/.exec(place) ?? []
  const one = inner === '' ? fc.constant(place) : wordFor(inner)
  return many === '' ? one.map((word) => [word]) : fc.array(one, { maxLength: 3 })
}

const NAMES = ['main', 'HEAD', 'HEAD~1', 'v1', 'zod', '@scope/x', 'a..b', 'origin', 'src', 'HEAD^{tree}', 'x@1.2.3']

const wordFor = (inner: string): fc.Arbitrary<string> => {
  if (inner.includes('|')) return fc.constantFrom(...inner.split('|'))
  if (inner === 'number') return fc.nat().map(String)
  if (inner === 'path') return fc.oneof(fc.constantFrom('src', 'src/a.js', 'README.md', '.'), anyPath)
  return fc.oneof(fc.constantFrom(...NAMES), anyWord)
}

/** The same with a word put in, taken out or put in the place of another. */
const bentForm = (rule: CommandRule): fc.Arbitrary<string[]> =>
  fc
    .tuple(formOf(rule), fc.nat(8), fc.constantFrom('in', 'out', 'over'), anyWord)
    .map(([argv, at, how, word]) =>
      argv.toSpliced(at % (argv.length + 1), how === 'in' ? 0 : 1, ...(how === 'out' ? [] : [word])),
    )
    .filter((argv) => argv.length > 0)

const URLS = [
  ...[
    'https://nodejs.org/api',
    'https://nodejs.org.',
    'http://NODEJS.org/x',
    'https://x.nodejs.org/',
    'https://docs.rs:8443/',
    'ftp://docs.rs/',
  ],
  ...[
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://localhost/',
    'http://nodejs.org@127.0.0.1/',
    'https://ada:x@docs.rs/',
  ],
  ...[
    '//docs.rs/',
    'docs.rs',
    '',
    'https://dоcs.rs/',
    'https://docs.rs%2f@x/',
    'https://10.0.0.1/',
    'http://8.8.8.8/',
    'http://[2606:4700::1111]/',
  ],
]

const anyText = fc.constantFrom('', 'a', 'e', '\n', 'x\ny', '\0')
const anyEscalate = fc.option(fc.constantFrom({ why: 'please' }, { why: '' }, {}, true), { nil: undefined, freq: 4 })

/** The arguments of each tool: mostly of the right shape, with anything in them. */
const argsFor = (tool: string, spec: PeripheralSpec): fc.Arbitrary<Record<string, unknown>> => {
  const path = anyPath
  const shapes: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
    read: fc.record({ path, from: fc.integer({ min: 0, max: 9 }) }, { requiredKeys: ['path'] }),
    list: fc.record({ path, depth: fc.integer({ min: 0, max: 21 }) }, { requiredKeys: [] }),
    glob: fc.record({ pattern: fc.constantFrom('**', '*.js', '{', '../**'), path }, { requiredKeys: ['pattern'] }),
    grep: fc.record(
      { pattern: fc.constantFrom('.', '(', '--pre=sh'), path, glob: fc.constantFrom('*', '.env*') },
      { requiredKeys: ['pattern'] },
    ),
    edit: fc.record({ path, old: anyText, new: anyText }),
    'multi-edit': fc.record({ path, edits: fc.array(fc.record({ old: anyText, new: anyText }), { maxLength: 2 }) }),
    'apply-patch': fc.tuple(path, path, fc.nat(2)).map(([from, to, kind]) => ({ patch: patchOf(from, to, kind) })),
    write: fc.record({ path, text: anyText, escalate: anyEscalate }, { requiredKeys: ['path', 'text'] }),
    run: fc.record(
      { argv: anyArgvFor(spec), escalate: anyEscalate, terminal: fc.constantFrom('x', '--x') },
      { requiredKeys: ['argv'] },
    ),
    terminal: fc.record({ do: fc.constantFrom('read', 'list', 'exec'), name: fc.constantFrom('x', '../x') }),
    'web-fetch': fc.record({ url: fc.constantFrom(...URLS) }),
    evidence: fc.record({ path, text: anyText, session: fc.constant('s-attic') }, { requiredKeys: [] }),
    reflect: fc.record({ worked: anyText, didNot: anyText, next: anyText }),
    advance: fc.record({ outputs: fc.dictionary(fc.constantFrom('plan', 'summary', '__proto__'), anyText) }),
    'mc-new': fc.record({
      path: fc.oneof(
        path,
        path.map((way) => `${way}/M-x.md`),
      ),
      title: anyText,
    }),
    'pattern-new': fc.record(
      {
        path: fc.oneof(
          path,
          path.map((way) => `${way}/x/SKILL.md`),
          fc.constant('patterns/x/SKILL.md'),
        ),
        words: fc.record({ description: anyText, text: anyText }),
      },
      { requiredKeys: ['path'] },
    ),
    'pattern-read': fc.record({ pattern: fc.oneof(anyText, path) }),
    'pattern-select': fc.record({ pattern: anyText, why: anyText, over: fc.constant([]) }),
    'mc-inventory': fc.record({ mission: anyText }, { requiredKeys: [] }),
    'mc-focus': fc.record({ mission: fc.option(anyText) }, { requiredKeys: [] }),
    'mc-todo': fc.record({ add: anyText }),
    'mc-watch': fc.record({ bulletins: fc.constantFrom('on', 'off', 'loud') }),
    hop: fc.record({
      to: fc.constantFrom('chat', 'explore', 'edit', 'test', 'deploy', 'reflect', 'nowhere', '__proto__'),
    }),
  }
  return (Object.hasOwn(shapes, tool) ? shapes[tool] : undefined) ?? fc.constant({})
}

const patchOf = (from: string, to: string, kind: number): string =>
  [
    `*** Begin Patch\n*** Add File: ${to}\n+x\n*** End Patch\n`,
    `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n@@\n-a\n+b\n*** End Patch\n`,
    `--- a/${from}\n+++ b/${to}\n@@ -1 +1 @@\n-a\n+b\n`,
  ][kind] ?? ''

/** Any call of any tool, for somebody who stands behind a wall. */
export const anyCallFor = (spec: PeripheralSpec): fc.Arbitrary<ToolCall> =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.constantFrom(...spec.tools) },
      fc.constantFrom(...ToolName.options, 'bash', '__proto__'),
    )
    .chain((tool) => fc.tuple(fc.constant(tool), argsFor(tool, spec)))
    .map(([tool, args]) => ({ tool, args }))
