import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

const NONE = { checks: {}, deploys: {} }
const OURS = join(CONFIG, 'peripherals')

/** A wall with as little as one can have. */
const PEEK = [
  'id: peek',
  'purpose: Look at one file.',
  'tools: [read]',
  'scope: { read: [README.md] }',
  'modes: [diagnose]',
  'role: viewer',
  'entry: [user-request]',
  'limits: { stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2 }',
  'examples:',
  '  allowed: [{ why: the file, tool: read, args: { path: README.md } }]',
  '  refused: [{ why: outside, tool: read, args: { path: .. } }]',
]

const WALL: PeripheralSpec = {
  id: 'peek',
  purpose: 'Look at one file.',
  tools: ['read'],
  scope: {
    read: ['README.md'],
    write: [],
    deny: [],
    hardLinks: false,
    evidence: 'none',
    web: { hosts: [], private: false },
  },
  sandbox: 'read-only',
  commands: [],
  approval: { policy: 'never', tools: [] },
  ceiling: null,
  modes: ['diagnose'],
  role: 'viewer',
  entry: ['user-request'],
  exit: [],
  context: [],
  phases: [],
  checks: [],
  limits: {
    stepsPerTurn: 3,
    stepsPerSession: 5000,
    secondsPerTurn: 3600,
    outputPerTurn: 4_000_000,
    outputBytes: 100,
    outputLines: 10,
    seconds: 2,
    memoryMb: 2048,
    processes: 256,
  },
  examples: {
    allowed: [{ why: 'the file', tool: 'read', args: { path: 'README.md' } }],
    refused: [{ why: 'outside', tool: 'read', args: { path: '..' } }],
  },
}

/** Peek with lines put in the place of those that begin alike, and others added. */
const peek = (instead: Record<string, string> = {}, ...more: string[]): string => {
  const lines = PEEK.map((line) => instead[line.split(':')[0]?.trim() ?? ''] ?? line)
  return [...lines, ...more, ''].join('\n')
}

/** A user's own folder of peripherals beside ours. */
const withUsers = (
  files: Record<string, string>,
  commands: { checks: Record<string, string[]>; deploys: Record<string, string[]> } = NONE,
) => {
  const folder = scratch()
  for (const [name, text] of Object.entries(files)) folder.write(name, text)
  const load = () => loadPeripherals(OURS, folder.path, commands)
  return {
    load,
    complaint: () => complaint(load).message.replaceAll(`${folder.path}/`, '').replaceAll(`${OURS}/`, 'ours/'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('the shipped peripherals load by their id, whether or not there is a folder of the user', () => {
  const ids = ['chat', 'deploy', 'edit', 'explore', 'mission-control', 'proof', 'reflect', 'test']
  expect([...loadPeripherals(OURS, null, NONE).keys()]).toEqual(ids)
  expect([...loadPeripherals(OURS, '/nowhere', NONE).keys()]).toEqual(ids)
})

test('a user adds a peripheral by a whole file, and what it does not say is as narrow as can be', () => {
  using user = withUsers({ 'peek.yaml': peek() })
  const specs = user.load()
  expect([...specs.keys()]).toEqual([
    'chat',
    'deploy',
    'edit',
    'explore',
    'mission-control',
    'proof',
    'reflect',
    'test',
    'peek',
  ])
  expect(specs.get('peek')).toEqual(WALL)
})

test('the folder of the user is the one beside the config file', () => {
  using folder = scratch()
  const file = folder.write(
    'mine.yaml',
    'agents:\n  - { id: claude-1, type: claude, runner: rehearsal, peripheral: peek }\n',
  )
  folder.write('peripherals/peek.yaml', peek())
  expect(loadHouse(CONFIG, file).specs.get('peek')).toEqual(WALL)
})

describe('the commands of the config', () => {
  const commands = {
    checks: { lint: ['npm', 'run', 'lint'], tests: ['./run-tests', '--all'] },
    deploys: { staging: ['./deploy', 'staging'] },
  }

  test('stand in the walls that name their list, with the purpose that counts', () => {
    const specs = loadPeripherals(OURS, null, commands)
    const configured = Object.values({ ...commands.checks, ...commands.deploys }).map((argv) => argv.join(' '))
    const rules = (id: string) => specs.get(id)?.commands.filter(({ argv }) => configured.includes(argv.join(' ')))
    expect(['edit', 'test', 'deploy'].map(rules)).toEqual([
      [
        { for: 'check', network: false, approve: false, argv: ['npm', 'run', 'lint'] },
        { for: 'check', network: false, approve: false, argv: ['./run-tests', '--all'] },
      ],
      [
        // A lint that finds nothing does not prove what tests prove.
        { for: 'check', network: false, approve: false, argv: ['npm', 'run', 'lint'] },
        { for: 'test', network: false, approve: false, argv: ['./run-tests', '--all'] },
      ],
      [{ for: 'deploy', phases: ['release'], network: true, approve: true, argv: ['./deploy', 'staging'] }],
    ])
  })

  test('must be able to run in a wall that checks with them', () => {
    using user = withUsers({ 'peek.yaml': peek({}, 'checks: [tests, lint, other]') }, commands)
    expect(user.complaint()).toBe(
      [
        'peek.yaml:12: checks.0: it runs the check tests when it is left, and no tool or command of it can',
        'peek.yaml:12: checks.1: it runs the check lint when it is left, and no tool or command of it can',
      ].join('\n'),
    )
  })

  test('are blamed on the line that names their list', () => {
    const lines = [
      'commands:',
      '  - { for: check, config: checks, phases: [one] }',
      '  - { for: look, argv: [ls], phases: [two] }',
    ]
    using user = withUsers({ 'peek.yaml': peek({ tools: 'tools: [read, run]' }, ...lines) }, commands)
    expect(user.complaint()).toBe(
      [
        'peek.yaml:13: commands.0.phases.0: the command npm run lint: there is no phase one',
        'peek.yaml:13: commands.0.phases.0: the command ./run-tests --all: there is no phase one',
        'peek.yaml:14: commands.1.phases.0: the command ls: there is no phase two',
      ].join('\n'),
    )
  })
})

describe('a mistake in a peripheral is told with its file and line', () => {
  const command = (rule: string, ...more: string[]) =>
    peek({ tools: 'tools: [read, run]' }, 'commands:', '  - { for: look, argv: [ls] }', `  - ${rule}`, ...more)

  test.each([
    [
      'an id that is not the name of the file',
      peek({ id: 'id: peak' }),
      '1: id: expected "peek", as the file is named',
    ],
    [
      'a tool there is not',
      peek({ tools: 'tools: [read, raed]' }),
      '3: tools.1: Invalid option: expected one of "read"|"list"|"glob"|"grep"|"edit"|"multi-edit"|"apply-patch"|"write"|"run"|"terminal"|"web-fetch"|"evidence"|"reflect"|"advance"|"hop"|"mc-inventory"|"mc-coverage"|"mc-review"|"mc-diff"|"mc-next"|"mc-sessions"|"mc-bulletin"|"mc-focus"|"mc-watch"|"mc-todo"|"mc-new"|"bell"|"whistle"|"park"|"cycle-get"|"cycle-list"|"cycle-begin"|"cycle-back"|"cycle-end"|"ledger-query"|"ledger-upsert"|"ledger-impact"|"approach-failed"|"classify"|"gate-check"|"proof-load"|"proof-statement"|"proof-mode"|"proof-licence"|"proof-save"|"tickle-scan"|"tickle-page"|"tickle-cycle"; or expected [a-z][a-z0-9-]{0,31}\\.[A-Za-z0-9_./-]{1,64}',
    ],
    ['no tools', peek({ tools: 'tools: []' }), '3: tools: Too small: expected array to have >=1 items'],
    [
      'a scope that is a word',
      peek({ scope: 'scope: workspace' }),
      '4: scope: Invalid input: expected object, received string',
    ],
    [
      'a key of the scope there is not',
      peek({ scope: 'scope: { reads: [README.md] }' }),
      '4: scope.reads: Unrecognized key: "reads"',
    ],
    [
      'a mode there is not',
      peek({ modes: 'modes: [party]' }),
      '5: modes.0: Invalid option: expected one of "discuss"|"diagnose"|"execute"',
    ],
    [
      'a role there is not',
      peek({ role: 'role: king' }),
      '6: role: Invalid option: expected one of "viewer"|"operator"|"approver"|"admin"',
    ],
    [
      'a way in that is none',
      peek({ entry: 'entry: [user-request, from-, please]' }),
      [
        '7: entry.1: Invalid option: expected one of "user-request"|"tests-passed"; or expected from-[a-z][a-z-]{0,31}',
        '7: entry.2: Invalid option: expected one of "user-request"|"tests-passed"; or expected from-[a-z][a-z-]{0,31}',
      ].join('\npeek.yaml:'),
    ],
    ['no way in', peek({ entry: 'entry: []' }), '7: entry: Too small: expected array to have >=1 items'],
    [
      'a limit of nothing',
      peek({ limits: 'limits: { stepsPerTurn: 0, outputBytes: 1, outputLines: 1, seconds: 1 }' }),
      '8: limits.stepsPerTurn: Too small: expected number to be >0',
    ],
    [
      'a limit that is missing',
      peek({ limits: 'limits: { stepsPerTurn: 1, outputBytes: 1, outputLines: 1 }' }),
      '8: limits.seconds: Invalid input: expected number, received undefined',
    ],
    [
      'an example that does not say why',
      peek({ allowed: '  allowed: [{ tool: read, args: {} }]' }),
      '10: examples.allowed.0.why: Invalid input: expected string, received undefined',
    ],
    [
      'no example of what is refused',
      peek({ refused: '  refused: []' }),
      '11: examples.refused: Too small: expected array to have >=1 items',
    ],
    ['a key there is not', peek({}, 'network: true'), '12: network: Unrecognized key: "network"'],
    ['a missing part', peek({ purpose: '#' }), '1: purpose: Invalid input: expected string, received undefined'],
    [
      'a sandbox there is not',
      peek({}, 'sandbox: none'),
      '12: sandbox: Invalid option: expected one of "read-only"|"workspace-write"|"full"',
    ],
    [
      'a policy there is not',
      peek({}, 'approval: { policy: sometimes }'),
      '12: approval.policy: Invalid option: expected one of "never"|"on-request"|"always"',
    ],
    [
      'a ceiling without a sandbox',
      peek({}, 'ceiling: { network: true }'),
      '12: ceiling.sandbox: Invalid option: expected one of "read-only"|"workspace-write"|"full"',
    ],
    [
      'a phase with a name that is none',
      peek({}, 'phases:', '  - { id: First, tools: [read] }'),
      '13: phases.0.id: expected a phase such as "review"',
    ],
    [
      'a command that is neither a form nor a list of the config',
      command('{ for: look }'),
      '14: commands.1: argv: Invalid input: expected array, received undefined; or config: Invalid option: expected one of "checks"|"deploys"',
    ],
    [
      'a command with a key there is not',
      command('{ for: look, argv: [ls], netwrok: true }'),
      '14: commands.1.netwrok: Unrecognized key: "netwrok"',
    ],
    [
      'a command for a purpose there is not',
      command('{ for: fun, argv: [ls] }'),
      '14: commands.1.for: Invalid option: expected one of "look"|"test"|"check"|"work"|"git"|"deploy"',
    ],
    ['a command that is a line', command('ls -l'), '14: commands.1: Invalid input: expected object, received string'],
    [
      'a word that is a number to YAML',
      command('{ for: look, argv: [head, -n, 5] }'),
      '14: commands.1.argv.2: Invalid input: expected string, received number',
    ],
    [
      'a list of commands that the config has not',
      command('{ for: check, config: cheks }'),
      '14: commands.1.config: Invalid option: expected one of "checks"|"deploys"',
    ],
    [
      'a placeholder there is not',
      command('{ for: look, argv: [ls, "<file>"] }'),
      '14: commands.1.argv: the command ls <file>: "<file>" is not known; there are <path>, <word>, <rev>, <text>, <number> and <this|that>',
    ],
    [
      'a placeholder for the program',
      command('{ for: look, argv: ["<word>"] }'),
      '14: commands.1.argv: the command <word>: the first word of a command is the name of a program, not "<word>"',
    ],
    [
      'a sandbox wider than the peripheral has',
      command('{ for: look, argv: [ls], sandbox: full }'),
      '14: commands.1.sandbox: the command ls has the sandbox full, wider than read-only',
    ],
    [
      'a command for a phase there is not',
      command('{ for: look, argv: [ls], phases: [later] }'),
      '14: commands.1.phases.0: the command ls: there is no phase later',
    ],
    [
      'a command of the ceiling that goes beyond it',
      command(
        '{ for: look, argv: [du] }',
        'ceiling:',
        '  sandbox: full',
        '  commands:',
        '    - { for: work, network: true, argv: [curl] }',
      ),
      '18: ceiling.commands.0.network: the command curl has the network, and its ceiling has not',
    ],
    [
      'an exit to nowhere',
      peek({ tools: 'tools: [read, hop]' }, 'exit:', '  - { when: always, to: [chta] }'),
      '13: exit.0.to.0: it leads to chta, which there is not; there is chat, deploy, edit, explore, mission-control, proof, reflect, test, peek',
    ],
    [
      'an exit to where it is not let in',
      peek({ tools: 'tools: [read, hop]' }, 'exit:', '  - { when: always, to: [chat] }'),
      '13: exit.0.to.0: it leads to chat, which does not let it in',
    ],
    [
      'an exit on a condition there is not',
      peek({ tools: 'tools: [read, hop]' }, 'exit:', '  - { when: bored, to: [chat] }'),
      '13: exit.0.when: Invalid option: expected one of "always"|"found-target"|"changed"|"blocked"|"pass"|"fail"|"flaky"|"deployed"|"reviewed"|"cycle-completed"',
    ],
    [
      'a tool of a server that the config has not',
      peek({ tools: 'tools: [read, docs.search]' }),
      '3: tools.1: docs.search is of a server that is not among servers in the config; there is none',
    ],
    [
      'a pattern that is none',
      peek({ scope: 'scope: { read: [README.md], deny: ["src/[a"] }' }),
      '4: scope.deny.0: src/[a is no pattern; expected one such as src/**',
    ],
    [
      'a host that is an address',
      peek({
        tools: 'tools: [read, web-fetch]',
        scope: 'scope: { read: [README.md], web: { hosts: ["https://docs.rs"] } }',
      }),
      '4: scope.web.hosts.0: https://docs.rs is no host; expected one such as docs.rs or *.python.org',
    ],
    [
      'an example in a phase there is not',
      peek({ refused: '  refused: [{ why: outside, phase: later, tool: read, args: { path: .. } }]' }),
      '11: examples.refused.0.phase: the example "outside": there is no phase later',
    ],
    ['a file that is no map', '- id: peek\n', '1: the file: Invalid input: expected object, received array'],
    [
      'YAML that does not close',
      'id: [peek\n',
      '2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ] satisfies [string, string, string][])('%s', (_what, text, expected) => {
    using user = withUsers({ 'peek.yaml': text })
    expect(user.complaint()).toBe(`peek.yaml:${expected}`)
  })
})

test('everything that is wrong is told at once', () => {
  using user = withUsers({
    'peek.yaml': peek({ tools: 'tools: [read, run, hop]' }),
    'spy.yaml': peek({ id: 'id: spy', tools: 'tools: [read, evidence]' }),
  })
  expect(user.complaint()).toBe(
    [
      'peek.yaml:3: tools.1: run can do nothing: no command may run',
      'peek.yaml:3: tools.2: hop can do nothing: there is no exit',
      'spy.yaml:3: tools.1: evidence can do nothing: no evidence may be asked for',
    ].join('\n'),
  )
})

test('a peripheral that is there already is not replaced, and it is said how to narrow it', () => {
  using folder = scratch()
  const file = folder.write('explore.yaml', peek({ id: 'id: explore' }))
  expect(complaint(() => loadPeripherals(OURS, folder.path, NONE))).toEqual({
    message: `${file}:1: id: there is a peripheral explore already`,
    fix: 'to make it narrower, begin the file with "narrows: explore" and name only what differs; else choose another id',
  })
})

test('a file among the peripherals that is none is said, not passed over', () => {
  using folder = scratch()
  const file = folder.write('peek.yml', '')
  expect(complaint(() => loadPeripherals(OURS, folder.path, NONE))).toEqual({
    message: `${file}: expected a name that ends in .yaml`,
    fix: 'rename or remove it',
  })
})

test('a folder in the place of a file, and a file in the place of the folder, are said', () => {
  using folder = scratch()
  mkdirSync(join(folder.path, 'peek.yaml'))
  expect(complaint(() => loadPeripherals(OURS, folder.path, NONE)).message).toBe(
    `cannot read ${folder.path}/peek.yaml: EISDIR: illegal operation on a directory, read`,
  )
  const file = folder.write('peripherals', '')
  expect(complaint(() => loadPeripherals(OURS, file, NONE))).toEqual({
    message: `cannot read the peripherals in ${file}: ENOTDIR: not a directory, scandir '${file}'`,
    fix: 'make it a folder with a file for each peripheral, or remove it',
  })
})

test('a folder of the user that leads nowhere is said: what it narrows must not be passed over', () => {
  using folder = scratch()
  const link = join(folder.path, 'peripherals')
  symlinkSync('elsewhere', link)
  expect(complaint(() => loadPeripherals(OURS, link, NONE)).message).toBe(
    `cannot read the peripherals in ${link}: ENOENT: no such file or directory, scandir '${link}'`,
  )
})

test('what is loaded is a spec as the evidence keeps it', () => {
  for (const spec of loadPeripherals(OURS, null, NONE).values()) expect(PeripheralSpec.parse(spec)).toEqual(spec)
})
