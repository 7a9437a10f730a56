import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

const OURS = join(CONFIG, 'peripherals')
const NONE = { checks: {}, deploys: {} }
const SHIPPED = loadPeripherals(OURS, null, NONE)

const ours = (id: string): PeripheralSpec => {
  const spec = SHIPPED.get(id)
  if (!spec) throw new Error(`there is no ${id}`)
  return spec
}

/** The walls with files of a user's beside ours, each given as its lines. */
const withUsers = (files: Record<string, string[]>, checks: Record<string, string[]> = {}) => {
  const folder = scratch()
  for (const [name, lines] of Object.entries(files)) folder.write(name, `${lines.join('\n')}\n`)
  const load = () => loadPeripherals(OURS, folder.path, { ...NONE, checks })
  return {
    load,
    /** The walls that are not as they were. */
    changed: () => [...load()].filter(([id, spec]) => JSON.stringify(spec) !== JSON.stringify(SHIPPED.get(id))),
    complaint: () => {
      const { message, fix } = complaint(load)
      return { message: message.replaceAll(`${folder.path}/`, ''), fix }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** Only what must still be refused is taken over: what may be refused now is not promised to be allowed. */
const narrowed = (id: string, part: Partial<PeripheralSpec>): PeripheralSpec => ({
  ...ours(id),
  examples: { allowed: [], refused: ours(id).examples.refused },
  ...part,
})

describe('a file that narrows a peripheral', () => {
  test.each([
    ['nothing', 'explore', [], {}],
    ['its purpose', 'explore', ['purpose: Look.'], { purpose: 'Look.' }],
    [
      'where it reads, below a folder that was open, and what it must not see',
      'explore',
      ['scope: { read: [src/**, README.md], deny: ["*.sql"] }'],
      { scope: { ...ours('explore').scope, read: ['src/**', 'README.md'], deny: ['*.sql'] } },
    ],
    [
      'where it writes',
      'edit',
      ['scope: { write: [src/**] }'],
      { scope: { ...ours('edit').scope, write: ['src/**'] } },
    ],
    [
      'whose evidence it asks for, and which hosts it fetches from',
      'explore',
      ['scope: { evidence: session, web: { hosts: [docs.rs] } }'],
      { scope: { ...ours('explore').scope, evidence: 'session', web: { hosts: ['docs.rs'], private: false } } },
    ],
    [
      'its modes and its role',
      'explore',
      ['modes: [execute]', 'role: approver'],
      { modes: ['execute'], role: 'approver' },
    ],
    [
      'a limit, and no other than that',
      'test',
      ['limits: { seconds: 60 }'],
      { limits: { ...ours('test').limits, seconds: 60 } },
    ],
    [
      'its commands',
      'explore',
      ['commands:', '  - [git, status, "<--short|--branch>..."]', '  - [git, branch, --list]'],
      { commands: ours('explore').commands.filter(({ argv }) => ['status', 'branch'].includes(argv[1] ?? '')) },
    ],
    ['its sandbox, and with it that of every command', 'edit', ['sandbox: read-only'], { sandbox: 'read-only' }],
    [
      'what it asks about',
      'edit',
      ['approval: { policy: always, tools: [write] }'],
      { approval: { policy: 'always', tools: ['write'] } },
    ],
    ['that nothing can be opened beyond it', 'edit', ['ceiling: null'], { ceiling: null }],
    [
      'the ways in',
      'explore',
      [
        'entry: [user-request, from-chat, from-edit, from-deploy, from-reflect, from-mission-control, from-proof, from-discipline, from-mission]',
      ],
      {},
    ],
    [
      'a tool: the commands go with it, and the ceiling, which had no more',
      'edit',
      ['tools: [read, edit, hop]'],
      { tools: ['read', 'edit', 'hop'], commands: [], ceiling: null },
    ],
    ['a check more', 'edit', ['checks: [audit, lint]'], { checks: ['lint', 'types', 'tests', 'audit'] }],
    [
      'what must be allowed, and must be refused besides',
      'explore',
      [
        'scope: { deny: [legal/**] }',
        'examples:',
        '  allowed: [{ why: the plan, tool: read, args: { path: plan.md } }]',
        '  refused: [{ why: a contract, tool: read, args: { path: legal/contract.md } }]',
      ],
      {
        scope: { ...ours('explore').scope, deny: ['legal/**'] },
        examples: {
          allowed: [{ why: 'the plan', tool: 'read', args: { path: 'plan.md' } }],
          refused: [
            ...ours('explore').examples.refused,
            { why: 'a contract', tool: 'read', args: { path: 'legal/contract.md' } },
          ],
        },
      },
    ],
  ] satisfies [string, string, string[], Partial<PeripheralSpec>][])('may say less: %s', (_what, id, lines, part) => {
    using user = withUsers({ 'less.yaml': [`narrows: ${id}`, ...lines] })
    expect(user.changed()).toEqual([[id, narrowed(id, part)]])
  })

  test.each([
    [
      'a tool it has not',
      'explore',
      ['tools: [read, write]'],
      '2: tools.1: write is not among read, list, glob, grep, run, web-fetch, evidence, hop, bell, whistle, park, pattern-search, pattern-read',
    ],
    ['a mode it has not', 'edit', ['modes: [execute, diagnose]'], '2: modes.1: diagnose is not among execute'],
    ['a lower role', 'explore', ['role: viewer'], '2: role: viewer lets through more than operator'],
    [
      'a wider sandbox',
      'explore',
      ['sandbox: workspace-write'],
      '2: sandbox: workspace-write lets through more than read-only',
    ],
    [
      'more to read than nothing',
      'reflect',
      ['scope: { read: [README.md] }'],
      '2: scope.read.0: README.md cannot be seen to lie within nothing',
    ],
    [
      'more to write than nothing',
      'test',
      ['scope: { write: ["**"] }'],
      '2: scope.write.0: ** cannot be seen to lie within nothing',
    ],
    ['more evidence', 'edit', ['scope: { evidence: room }'], '2: scope.evidence: room lets through more than session'],
    [
      'a host more',
      'explore',
      ['scope:', '  web:', '    hosts: [docs.rs, example.org]'],
      '4: scope.web.hosts.1: example.org is not among developer.mozilla.org, nodejs.org, www.typescriptlang.org, docs.python.org, doc.rust-lang.org, docs.rs, go.dev, pkg.go.dev',
    ],
    [
      'private addresses',
      'explore',
      ['scope: { web: { hosts: [docs.rs], private: true } }'],
      '2: scope.web.private: Unrecognized key: "private"',
    ],
    [
      'files with several names',
      'explore',
      ['scope: { hardLinks: true }'],
      '2: scope.hardLinks: Unrecognized key: "hardLinks"',
    ],
    [
      'a command it has not',
      'test',
      ['commands:', '  - [npm, test]', '  - [npm, publish]'],
      '4: commands.1: test has no command npm publish',
    ],
    [
      'a command with other words',
      'explore',
      ['commands: [[git, status, "<text>..."]]'],
      '2: commands.0: explore has no command git status <text>...',
    ],
    [
      'a command with a rule of its own',
      'explore',
      ['commands: [{ for: look, argv: [ls] }]'],
      '2: commands.0: Invalid input: expected array, received object',
    ],
    [
      'fewer questions',
      'deploy',
      ['approval: { policy: never, tools: [write] }'],
      '2: approval.tools.0: write is not among read, run, evidence, advance, hop',
    ],
    [
      'questions where nobody was asked',
      'explore',
      ['approval: { policy: on-request }'],
      '2: approval.policy: on-request would let through what never does not',
    ],
    [
      'a ceiling of its own',
      'explore',
      ['ceiling: { sandbox: full }'],
      '2: ceiling: Invalid input: expected null, received object',
    ],
    [
      'a way in it has not',
      'deploy',
      ['entry: [user-request]'],
      '2: entry.0: user-request is not among from-test, tests-passed',
    ],
    [
      'a way out it has not',
      'explore',
      ['exit:', '  - { when: found-target, to: [edit, deploy] }'],
      '3: exit.0.to.1: explore does not lead to deploy when found-target',
    ],
    [
      'a way out on an easier condition',
      'explore',
      ['exit: [{ when: always, to: [edit] }]'],
      '2: exit.0.to.0: explore does not lead to edit when always',
    ],
    [
      'a limit that is higher',
      'test',
      ['limits:', '  seconds: 60', '  memoryMb: 4097'],
      '4: limits.memoryMb: expected at most 4096, which test has',
    ],
    ['a limit there is not', 'test', ['limits: { minutes: 1 }'], '2: limits.minutes: Unrecognized key: "minutes"'],
    ['a tool without a phase', 'deploy', ['phases: []'], '2: phases: Unrecognized key: "phases"'],
    ['context it did not take over', 'deploy', ['context: [review]'], '2: context: Unrecognized key: "context"'],
    ['another id', 'deploy', ['id: release'], '2: id: Unrecognized key: "id"'],
  ] satisfies [string, string, string[], string][])('may not say more: %s', (_what, id, lines, expected) => {
    using user = withUsers({ 'more.yaml': [`narrows: ${id}`, ...lines] })
    expect(user.complaint().message).toBe(`more.yaml:${expected}`)
  })

  test('is told what it may do', () => {
    using user = withUsers({ 'more.yaml': ['narrows: edit', 'sandbox: full', 'limits: { seconds: 301 }'] })
    expect(user.complaint()).toEqual({
      message: [
        'more.yaml:2: sandbox: full lets through more than workspace-write',
        'more.yaml:3: limits.seconds: expected at most 300, which edit has',
      ].join('\n'),
      fix: 'a file that narrows edit may only take away',
    })
  })

  test('narrows something that is there', () => {
    using user = withUsers({ 'more.yaml': ['# mine', 'narrows: edti'] })
    expect(user.complaint()).toEqual({
      message: 'more.yaml:2: narrows: there is no peripheral edti',
      fix: 'narrow one of alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test, or leave "narrows" out and write a whole one',
    })
  })

  test('may be one of several: what all of them leave is left', () => {
    using user = withUsers({
      'a.yaml': ['narrows: explore', 'tools: [read, grep, hop]', 'limits: { seconds: 10 }'],
      'b.yaml': ['narrows: explore', 'tools: [read, hop]', 'role: approver'],
    })
    expect(user.changed()).toEqual([
      [
        'explore',
        narrowed('explore', {
          tools: ['read', 'hop'],
          commands: [],
          role: 'approver',
          limits: { ...ours('explore').limits, seconds: 10 },
        }),
      ],
    ])
  })

  test('cannot give back what another one took', () => {
    using user = withUsers({
      'a.yaml': ['narrows: explore', 'tools: [read, hop]'],
      'b.yaml': ['narrows: explore', 'tools: [read, grep, hop]'],
    })
    expect(user.complaint().message).toBe('b.yaml:2: tools.1: grep is not among read, hop')
  })

  test('may narrow what the user added, whatever their files are called', () => {
    const wall = [
      'purpose: Look at one file.',
      'tools: [read]',
      'scope: { read: [docs/**, "!src/**"], web: { hosts: ["*.python.org"] } }',
      'modes: [diagnose]',
      'role: viewer',
      'entry: [user-request]',
      'limits: { stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2, memoryMb: 64 }',
      'examples:',
      '  allowed: [{ why: the file, tool: read, args: { path: docs/a.md } }]',
      '  refused: [{ why: outside, tool: read, args: { path: .. } }]',
    ]
    using user = withUsers({
      'a.yaml': [
        'narrows: peek',
        'scope: { read: [docs/api/**, "!src/**"], web: { hosts: [docs.python.org] } }',
        'limits: { seconds: 1 }',
      ],
      'peek.yaml': ['id: peek', ...wall],
    })
    const { scope, limits } = user.load().get('peek') ?? {}
    expect([scope?.read, scope?.web.hosts, limits?.seconds, limits?.memoryMb]).toEqual([
      ['docs/api/**', '!src/**'],
      ['docs.python.org'],
      1,
      64,
    ])
  })
})

describe('a pattern lies within what was open', () => {
  const wall = [
    'id: peek',
    'purpose: Look at some files.',
    'tools: [read]',
    'scope: { read: [src/**, /lib/**, docs/*.md, "!secret/**", "p?t/**"] }',
    'modes: [diagnose]',
    'role: viewer',
    'entry: [user-request]',
    'limits: { stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2 }',
    'examples:',
    '  allowed: [{ why: a file, tool: read, args: { path: src/a.md } }]',
    '  refused: [{ why: outside, tool: read, args: { path: .. } }]',
  ]

  test.each([
    'src/**',
    'src/a/**',
    'src/*.ts',
    'src/{a,b}/[c-d]*',
    'src/**/**',
    '/lib/a/**',
    'docs/*.md',
    '!secret/**',
    'p?t/**',
  ])('that is the same, or below a folder that was open as a whole: %s', (glob) => {
    using user = withUsers({ 'peek.yaml': wall, 'less.yaml': ['narrows: peek', `scope: { read: ["${glob}"] }`] })
    expect(user.load().get('peek')?.scope.read).toEqual([glob])
  })

  test.each([
    '**',
    '*',
    'src',
    'src*/**',
    '{src,etc}/**',
    'sr?/**',
    './src/**',
    '/src/**',
    'SRC/**',
    'srcs/**',
    'docs/a.md',
    'docs/**',
    '!src/**',
    '!**',
    '../**',
    '/**',
    'p?t/a',
    'pat/**',
  ])('and nothing else is taken for that: %s', (glob) => {
    using user = withUsers({ 'peek.yaml': wall, 'less.yaml': ['narrows: peek', `scope: { read: ["${glob}"] }`] })
    expect(user.complaint().message).toBe(
      `less.yaml:2: scope.read.0: ${glob} cannot be seen to lie within src/**, /lib/**, docs/*.md, !secret/**, p?t/**`,
    )
  })
})

describe('what a narrowing makes impossible elsewhere goes with it', () => {
  test('a way in that is closed closes the exits that led there', () => {
    using user = withUsers({ 'less.yaml': ['narrows: edit', 'entry: [user-request]'] })
    expect(user.changed().map(([id, { exit, entry, context }]) => ({ id, exit, entry, context }))).toEqual([
      {
        id: 'chat',
        exit: [{ when: 'always', to: ['explore', 'reflect', 'mission-control', 'discipline', 'alfworld'] }],
        entry: ours('chat').entry,
        context: [],
      },
      {
        id: 'deploy',
        exit: [
          { when: 'deployed', to: ['explore'] },
          { when: 'always', to: ['reflect', 'chat'] },
        ],
        entry: ours('deploy').entry,
        context: ours('deploy').context,
      },
      {
        id: 'discipline',
        exit: [{ when: 'always', to: ['chat', 'explore', 'reflect'] }],
        entry: ours('discipline').entry,
        context: ours('discipline').context,
      },
      { id: 'edit', exit: ours('edit').exit, entry: ['user-request'], context: [] },
      {
        id: 'explore',
        exit: [{ when: 'always', to: ['reflect', 'chat', 'discipline'] }],
        entry: ours('explore').entry,
        context: ours('explore').context,
      },
      {
        id: 'reflect',
        exit: [
          { when: 'reviewed', to: ['explore'] },
          { when: 'always', to: ['chat', 'mission-control', 'discipline'] },
        ],
        entry: ours('reflect').entry,
        context: ours('reflect').context,
      },
      {
        id: 'test',
        exit: [
          { when: 'pass', to: ['deploy'] },
          { when: 'always', to: ['reflect', 'chat', 'discipline'] },
        ],
        entry: ours('test').entry,
        context: ours('test').context,
      },
    ])
  })

  test('tests that cannot run lead nowhere, and nobody comes in by them', () => {
    // A mission shows by tests what it has done, too.
    const look = '[[git, diff, "<--stat|--name-only>..."]]'
    using user = withUsers({
      'fewer.yaml': ['narrows: mission', `commands: ${look}`],
      'less.yaml': ['narrows: test', 'tools: [read, grep, hop]'],
    })
    expect(user.complaint()).toEqual({
      message: 'fewer.yaml, less.yaml: with this, deploy: nobody ever gets in',
      fix: 'correct the peripherals: what they declare must be able to happen',
    })
  })

  test('nobody who is asked for nothing pushes anything, or comes from there', () => {
    using user = withUsers({ 'less.yaml': ['narrows: deploy', 'approval: { policy: never }'] })
    expect(user.changed().map(([id, { exit, entry }]) => ({ id, exit, entry }))).toEqual([
      { id: 'deploy', exit: ours('deploy').exit.slice(1), entry: ours('deploy').entry },
      {
        id: 'explore',
        exit: ours('explore').exit,
        entry: ours('explore').entry.filter((way) => way !== 'from-deploy'),
      },
    ])
  })

  test('where no exit is left, there is no hop either', () => {
    using user = withUsers({
      'less.yaml': ['narrows: reflect', 'exit: [{ when: always, to: [chat] }]'],
      'more-less.yaml': ['narrows: chat', 'entry: [user-request, from-explore, from-edit, from-test, from-deploy]'],
    })
    expect(user.load().get('reflect')).toEqual(
      narrowed('reflect', { exit: [], tools: ['evidence', 'reflect', 'bell', 'whistle', 'park'] }),
    )
  })

  test.each([
    [
      'less.yaml:1: tools: evidence can do nothing: no evidence may be asked for',
      ['narrows: edit', 'scope: { evidence: none }'],
    ],
    [
      'less.yaml:2: tools: terminal can do nothing: run is missing, which starts one',
      ['narrows: edit', 'tools: [read, write, terminal, hop]'],
    ],
    [
      'less.yaml:1: phases: nobody gets to the phase release: review has no advance',
      ['narrows: deploy', 'tools: [read, run, hop]'],
    ],
    [
      'less.yaml:3: scope: src/{a is no pattern; expected one such as src/**',
      ['narrows: explore', '# mine', 'scope: { deny: ["src/{a"] }'],
    ],
  ])('but what its own file leaves without a use is told: %s', (expected, lines) => {
    using user = withUsers({ 'less.yaml': lines })
    expect(user.complaint().message).toBe(expected)
  })
})

describe('a check', () => {
  const checks = { lint: ['npm', 'run', 'lint'] }

  test('must still be able to run when its wall is narrowed', () => {
    using tool = withUsers({ 'less.yaml': ['narrows: edit', 'tools: [read, edit, hop]'] }, checks)
    using command = withUsers({ 'less.yaml': ['narrows: edit', 'commands: [[cargo, "<fmt|check|build>"]]'] }, checks)
    using both = withUsers({ 'less.yaml': ['narrows: edit', 'commands: [[npm, run, lint]]'] }, checks)
    const form = 'commands: [[npm, run, "<format|lint|build|typecheck|types|check|dev|start>"]]'
    using by = withUsers({ 'less.yaml': ['narrows: edit', form] }, checks)
    const left = [both, by].map((user) => user.load().get('edit')?.commands.length)
    expect([tool.complaint().message, command.complaint().message, left]).toEqual([
      'less.yaml:1: checks: it runs the check lint when it is left, and no tool or command of it can',
      'less.yaml:1: checks: it runs the check lint when it is left, and no tool or command of it can',
      [1, 1],
    ])
  })
})

describe('of two rules that fit one command, the first counts', () => {
  const wall = (...commands: string[]) => [
    'id: odd',
    'purpose: Commands that overlap.',
    'tools: [read, run]',
    'sandbox: full',
    'commands:',
    ...commands.map((rule) => `  - { ${rule} }`),
    'approval: { policy: on-request }',
    'modes: [execute]',
    'role: operator',
    'entry: [user-request]',
    'limits: { stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2 }',
    'examples:',
    '  allowed: [{ why: a file, tool: read, args: { path: a.md } }]',
    '  refused: [{ why: outside, tool: read, args: { path: .. } }]',
  ]
  const told = (gone: string, stays: string) =>
    `less.yaml:2: commands: ${gone} cannot go while ${stays} stays, which would let more of the same through`

  test.each([
    ['would not ask', 'for: work, approve: true, argv: [npm, publish]', 'for: work, argv: [npm, "<publish|test>"]'],
    ['has a wider sandbox', 'for: look, sandbox: read-only, argv: [make, list]', 'for: work, argv: [make, "<word>"]'],
    ['has the network', 'for: work, argv: [npm, ci]', 'for: work, network: true, argv: [npm, "<word>..."]'],
    ['counts as a test', 'for: check, argv: [make, lint]', 'for: test, argv: [make, "<word>"]'],
    ['does not look at paths', 'for: look, argv: [cat, "<path>"]', 'for: look, argv: [cat, "<text>"]'],
    ['has the path in its own words', 'for: look, argv: [cat, "<path>"]', 'for: look, argv: [cat, "<.env|.npmrc>"]'],
    [
      'has the paths elsewhere',
      'for: look, argv: [diff, "<path>..."]',
      'for: look, argv: [diff, "<word>", "<path>..."]',
    ],
    [
      'has no end',
      'for: work, approve: true, argv: [npm, run, deploy]',
      'for: work, argv: [npm, "<run|test|deploy>..."]',
    ],
  ])('the second cannot stay without it where it %s', (_what, first, second) => {
    const [gone, stays] = [first, second].map((rule) => rule.replace(/.*argv: \[(.*)\]/, '$1'))
    using user = withUsers({ 'odd.yaml': wall(first, second), 'less.yaml': ['narrows: odd', `commands: [[${stays}]]`] })
    const said = (words = '') => words.replaceAll(', ', ' ').replaceAll('"', '')
    expect(user.complaint().message).toBe(told(said(gone), said(stays)))
  })

  test.each([
    ['is of another command', 'for: work, approve: true, argv: [npm, publish]', 'for: work, argv: [npm, "<test|ci>"]'],
    [
      'is of another length',
      'for: work, approve: true, argv: [npm, publish]',
      'for: work, argv: [npm, publish, --dry-run]',
    ],
    [
      'lets through no more',
      'for: work, network: true, argv: [npm, "<word>"]',
      'for: work, approve: true, argv: [npm, ci]',
    ],
  ])('the second stays where it %s', (_what, first, second) => {
    const stays = second.replace(/.*argv: (\[.*\])/, '$1')
    using user = withUsers({ 'odd.yaml': wall(first, second), 'less.yaml': ['narrows: odd', `commands: [${stays}]`] })
    expect(
      user
        .load()
        .get('odd')
        ?.commands.map(({ argv }) => argv.join(' ')),
    ).toEqual([stays.replace(/[[\]"]/g, '').replaceAll(', ', ' ')])
  })
})
