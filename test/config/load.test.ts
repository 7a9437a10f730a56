import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig, loadPeripherals } from '../../src/config/load.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Config } from '../../src/shapes/config.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { scratch } from '../support/folder.ts'

const CONFIG = join(import.meta.dirname, '../../config')

const DEFAULTS: Config = {
  http: { host: '127.0.0.1', port: 7070, hosts: [] },
  rooms: [{ id: 'lobby', faces: ['web', 'terminal', 'cli', 'api'], mode: 'execute', listener: 'claude-1' }],
  agents: [
    { id: 'claude-1', type: 'claude', runner: 'rehearsal', peripheral: 'explore' },
    { id: 'codex-1', type: 'codex', runner: 'rehearsal', peripheral: 'explore' },
    { id: 'tickle-1', type: 'tickle', runner: 'rehearsal', peripheral: 'explore' },
  ],
  lease: { ms: 6000, heartbeatMs: 1500 },
  worker: { turns: 64, steps: 8 },
  evidence: { sign: true, keep: { ephemeralDays: 7, bodyDays: null, largeDays: null } },
  sweepMs: 1000,
  drainMs: 10_000,
}

/** What loading complains about, as a person reads it. */
const complaint = (load: () => unknown): { message: string; fix: string } => {
  try {
    load()
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, fix: error.fix }
    throw error
  }
  throw new Error('nothing was complained about')
}

/** The config with a user's file of these lines. */
const withUser = (...lines: string[]) => {
  const folder = scratch()
  const file = folder.write('mine.yaml', `${lines.join('\n')}\n`)
  return {
    file,
    load: () => loadConfig(CONFIG, file),
    complaint: () => complaint(() => loadConfig(CONFIG, file)).message.replaceAll(file, 'mine.yaml'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('the defaults load as they are documented', () => {
  expect(loadConfig(CONFIG, null)).toEqual(DEFAULTS)
})

test.each([
  ['an empty file', [''], DEFAULTS],
  ['a file of comments', ['# nothing yet'], DEFAULTS],
  ['one value', ['sweepMs: 250'], { ...DEFAULTS, sweepMs: 250 }],
  ['one value inside a part', ['lease:', '  ms: 3000'], { ...DEFAULTS, lease: { ms: 3000, heartbeatMs: 1500 } }],
  [
    'a list, which is replaced whole',
    ['http:', '  hosts: [a.example]'],
    {
      ...DEFAULTS,
      http: { ...DEFAULTS.http, hosts: ['a.example'] },
    },
  ],
  [
    'values in several parts',
    ['worker: { turns: 2 }', 'http: { port: 0 }'],
    {
      ...DEFAULTS,
      worker: { turns: 2, steps: 8 },
      http: { ...DEFAULTS.http, port: 0 },
    },
  ],
  [
    'a room that listens to nobody',
    ['rooms:', '  - { id: quiet, faces: [web], mode: discuss, listener: null }'],
    {
      ...DEFAULTS,
      rooms: [{ id: 'quiet', faces: ['web'], mode: 'discuss', listener: null }],
    },
  ],
] satisfies [string, string[], Config][])('a user file changes only what it names: %s', (_what, lines, expected) => {
  using user = withUser(...lines)
  expect(user.load()).toEqual(expected)
})

test('what is given on the command line wins over both files', () => {
  using user = withUser('http: { host: 0.0.0.0, port: 1 }')
  expect(loadConfig(CONFIG, user.file, { port: 2 }).http).toEqual({ host: '0.0.0.0', port: 2, hosts: [] })
  expect(loadConfig(CONFIG, user.file, { host: '::1', port: undefined }).http).toEqual({
    host: '::1',
    port: 1,
    hosts: [],
  })
})

test.each([
  ['an unknown key', ['# mine', 'colour: blue'], 'mine.yaml:2: colour: Unrecognized key: "colour"'],
  [
    'an unknown key inside a part',
    ['http:', '  port: 1', '  prot: 2'],
    'mine.yaml:3: http.prot: Unrecognized key: "prot"',
  ],
  [
    'a wrong type',
    ['http:', '  port: seventy'],
    'mine.yaml:2: http.port: Invalid input: expected number, received string',
  ],
  [
    'a number out of range',
    ['http: { port: 65536 }'],
    'mine.yaml:1: http.port: Too big: expected number to be <=65535',
  ],
  [
    'a beat that is too slow for the lease',
    ['lease:', '  ms: 1000', '  heartbeatMs: 900'],
    'mine.yaml:3: lease.heartbeatMs: expected at most half of lease.ms, which is 1000',
  ],
  [
    'an agent in a peripheral that is not there',
    ['agents:', '  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edit }'],
    'mine.yaml:2: agents.0.peripheral: expected one of the peripherals explore',
  ],
  [
    'a part that was left empty',
    ['sweepMs: 100', 'lease:'],
    'mine.yaml:2: lease: Invalid input: expected object, received null',
  ],
  ['a list where a map belongs', ['- http'], 'mine.yaml:1: the file: Invalid input: expected object, received array'],
  ['a sentence', ['hello'], 'mine.yaml:1: the file: Invalid input: expected object, received string'],
  ['a key of every object', ['__proto__: { sweepMs: 1 }'], 'mine.yaml:1: __proto__: Unrecognized key: "__proto__"'],
  [
    'a listener that is no agent',
    ['rooms:', '  - id: lobby', '    faces: [web]', '    mode: execute', '    listener: claude-9'],
    'mine.yaml:5: rooms.0.listener: expected one of the agents claude-1, codex-1, tickle-1, or null',
  ],
  [
    'a listener that the file took away',
    ['sweepMs: 100', 'agents:', '  - { id: codex-1, type: codex, runner: rehearsal, peripheral: explore }'],
    'mine.yaml:1: rooms.0.listener: expected one of the agents codex-1, or null',
  ],
  [
    'two agents of one name',
    [
      'agents:',
      '  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore }',
      '  - { id: claude-1, type: codex, runner: rehearsal, peripheral: explore }',
    ],
    'mine.yaml:1: agents: two agents are called "claude-1"',
  ],
  [
    'two rooms of one name',
    ['', 'rooms:', ...['web', 'cli'].map((face) => `  - { id: a, faces: [${face}], mode: execute, listener: null }`)],
    'mine.yaml:2: rooms: two rooms are called "a"',
  ],
  [
    'an agent of no known type',
    ['agents:', '  - { id: claude-1, type: clod, runner: rehearsal, peripheral: explore }'],
    'mine.yaml:2: agents.0.type: Invalid option: expected one of "claude"|"codex"|"tickle"',
  ],
  [
    'a name that is none',
    ['agents:', '  - { id: Claude 1, type: claude, runner: rehearsal, peripheral: explore }'],
    'mine.yaml:2: agents.0.id: expected a lower-case name such as "claude-1"',
  ],
  ['no agents at all', ['agents: []'], 'mine.yaml:1: agents: Too small: expected array to have >=1 items'],
  [
    'several things at once, each with its line',
    ['sweepMs: 1', 'drainMs: soon', 'worker:', '  turns: 0'],
    [
      'mine.yaml:4: worker.turns: Too small: expected number to be >0',
      'mine.yaml:1: sweepMs: Too small: expected number to be >=100',
      'mine.yaml:2: drainMs: Invalid input: expected number, received string',
    ].join('\n'),
  ],
  [
    'YAML that does not close',
    ['http:', '  hosts: [a'],
    'mine.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['YAML with tabs', ['http:', '\tport: 1'], 'mine.yaml:2: Tabs are not allowed as indentation'],
  ['a key that is there twice', ['sweepMs: 100', 'sweepMs: 200'], 'mine.yaml:2: Map keys must be unique'],
  [
    'a host with a star, which YAML takes for an alias',
    ['http:', '  hosts: [*.example.com]'],
    'mine.yaml:2: *.example.com stands for nothing; put it in quotes',
  ],
] satisfies [string, string[], string][])('a mistake is told with its file and line: %s', (_what, lines, expected) => {
  using user = withUser(...lines)
  expect(user.complaint()).toBe(expected)
})

test('a file that is not there is told with its path, and what to do', () => {
  expect(complaint(() => loadConfig(CONFIG, '/nowhere/mine.yaml'))).toEqual({
    message: "cannot read /nowhere/mine.yaml: ENOENT: no such file or directory, open '/nowhere/mine.yaml'",
    fix: 'check the path given with --config',
  })
})

test('a folder in place of a file is told', () => {
  using folder = scratch()
  expect(complaint(() => loadConfig(CONFIG, folder.path))).toEqual({
    message: `cannot read ${folder.path}: EISDIR: illegal operation on a directory, read`,
    fix: 'check the path given with --config',
  })
})

test('what is wrong with a file is followed by what to do', () => {
  using user = withUser('colour: blue')
  expect(complaint(user.load).fix).toBe('correct the file and start again')
})

/** A copy of the shipped config that a test may change. */
const copyOfConfig = () => {
  const folder = scratch()
  cpSync(CONFIG, folder.path, { recursive: true })
  return folder
}

const EXPLORE = [
  'id: explore',
  'purpose: Look around.',
  'tools: [read]',
  'scope: workspace',
  'modes: [diagnose]',
  'role: viewer',
  'limits: { stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2 }',
  'examples:',
  '  allowed: [{ why: a file, tool: read, args: { path: a } }]',
  '  refused: [{ why: outside, tool: read, args: { path: .. } }]',
]

test('the shipped peripherals load by their id', () => {
  const specs = loadPeripherals(CONFIG)
  expect([...specs.keys()]).toEqual(['explore'])
  const { examples, ...wall } = specs.get('explore') as PeripheralSpec
  expect(wall).toEqual({
    id: 'explore',
    purpose: 'Look around in the workspace and answer questions about it. Changes nothing.',
    tools: ['read', 'glob', 'grep'],
    scope: 'workspace',
    modes: ['diagnose', 'execute'],
    role: 'operator',
    limits: { stepsPerTurn: 25, outputBytes: 51_200, outputLines: 2000, seconds: 20 },
  })
  expect([examples.allowed.length, examples.refused.length]).toEqual([3, 5])
})

test('a user adds a peripheral by adding a file', () => {
  using folder = copyOfConfig()
  folder.write('peripherals/peek.yaml', EXPLORE.join('\n').replace('id: explore', 'id: peek'))
  const specs = loadPeripherals(folder.path)
  expect([...specs.keys()]).toEqual(['explore', 'peek'])
  expect(specs.get('peek')?.limits).toEqual({ stepsPerTurn: 3, outputBytes: 100, outputLines: 10, seconds: 2 })
})

test('a file among the peripherals that is none is said, not passed over', () => {
  using folder = copyOfConfig()
  const file = folder.write('peripherals/peek.yml', '')
  expect(() => loadPeripherals(folder.path)).toThrow(`${file}: expected a name that ends in .yaml`)
})

const altered = (change: (lines: string[]) => string[]) => [...change([...EXPLORE]), ''].join('\n')
const instead = (old: string, line: string) => (lines: string[]) =>
  lines.map((each) => (each.startsWith(old) ? line : each))

test.each([
  [
    'an id that is not the name of the file',
    instead('id:', 'id: peek'),
    '1: id: expected "explore", as the file is named',
  ],
  [
    'a tool there is not',
    instead('tools:', 'tools: [read, write]'),
    '3: tools.1: Invalid option: expected one of "read"|"glob"|"grep"',
  ],
  ['no tools', instead('tools:', 'tools: []'), '3: tools: Too small: expected array to have >=1 items'],
  ['a scope there is not', instead('scope:', 'scope: everything'), '4: scope: Invalid input: expected "workspace"'],
  [
    'a mode there is not',
    instead('modes:', 'modes: [party]'),
    '5: modes.0: Invalid option: expected one of "discuss"|"diagnose"|"execute"',
  ],
  [
    'a role there is not',
    instead('role:', 'role: king'),
    '6: role: Invalid option: expected one of "viewer"|"operator"|"approver"|"admin"',
  ],
  [
    'a limit of nothing',
    instead('limits:', 'limits: { stepsPerTurn: 0, outputBytes: 1, outputLines: 1, seconds: 1 }'),
    '7: limits.stepsPerTurn: Too small: expected number to be >0',
  ],
  [
    'an example that does not say why',
    instead('  allowed:', '  allowed: [{ tool: read, args: {} }]'),
    '9: examples.allowed.0.why: Invalid input: expected string, received undefined',
  ],
  [
    'no example of what is refused',
    instead('  refused:', '  refused: []'),
    '10: examples.refused: Too small: expected array to have >=1 items',
  ],
  ['a key there is not', (lines) => [...lines, 'network: true'], '11: network: Unrecognized key: "network"'],
  [
    'a missing part',
    (lines) => lines.filter((line) => !line.startsWith('purpose')),
    '1: purpose: Invalid input: expected string, received undefined',
  ],
] satisfies [string, (lines: string[]) => string[], string][])(
  'a mistake in a peripheral is told with its file and line: %s',
  (_what, change, expected) => {
    using folder = scratch()
    mkdirSync(join(folder.path, 'peripherals'))
    const file = folder.write('peripherals/explore.yaml', altered(change))
    expect(complaint(() => loadPeripherals(folder.path)).message).toBe(`${file}:${expected}`)
  },
)
