import { expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import type { Config } from '../../src/shapes/config.ts'
import { agentConfig } from '../support/agent.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

const DEFAULTS: Config = {
  http: { host: '127.0.0.1', port: 7070, hosts: [], public: null, proxies: [] },
  networks: {},
  people: {},
  loops: { hops: 4, named: 5 },
  bells: { pair: 5, minutes: 10 },
  limits: {
    person: { burst: 600, perMinute: 600 },
    room: { burst: 2000, perMinute: 3000 },
    token: { burst: 600, perMinute: 1200 },
  },
  queues: { perSession: 500, perRoom: 2000, total: 10000 },
  tickle: {
    on: true,
    stuckMinutes: 10,
    ackMinutes: 5,
    cooldownMinutes: 15,
    goneMinutes: 10,
    rounds: 3,
    workers: ['codex'],
    reviewers: ['claude'],
    repository: null,
  },
  status: { stalledMinutes: 5 },
  rooms: [{ id: 'lobby', faces: ['web', 'terminal', 'cli', 'api'], mode: 'execute', listener: 'claude-1' }],
  agents: [
    agentConfig({ id: 'claude-1', type: 'claude', runner: 'auto', peripheral: 'explore' }),
    agentConfig({ id: 'codex-1', type: 'codex', runner: 'auto', peripheral: 'edit' }),
    agentConfig({
      id: 'tickle-1',
      type: 'tickle',
      peripheral: 'mission-control',
      peripherals: ['mission-control', 'discipline', 'explore', 'test', 'reflect', 'chat', 'alfworld'],
    }),
  ],
  profiles: {
    careful: {
      summary: 'in edit and deploy a person is asked before anything is changed or run; programs only read',
      models: {},
      sandbox: 'read-only',
      approval: 'always',
      budget: { turn: { tokens: 400_000 } },
    },
    fast: {
      summary: 'a small model, and little of it',
      models: { claude: 'haiku' },
      approval: 'as-declared',
      budget: { turn: { tokens: 200_000 } },
    },
  },
  profile: null,
  prices: { asOf: '2026-11-16', models: {} },
  runners: { idleMinutes: 10, processes: 8, cage: 'auto', retryMs: 2000 },
  lease: { ms: 6000, heartbeatMs: 1500 },
  worker: { turns: 64, steps: 8, processes: 1 },
  evidence: { sign: true, keep: { ephemeralDays: 7, bodyDays: null, largeDays: null } },
  checks: {},
  servers: {},
  deploys: {},
  missions: { folders: ['missions', 'docs/missions'] },
  patterns: { folders: ['patterns', '.claude/skills'], unusedDays: 90 },
  bulletins: { every: null, at: [], quiet: null, zone: 'UTC', gatherSeconds: 60, budgetNear: 0.8 },
  approvals: { minutes: 30 },
  world: { server: null },
  holds: { minutes: 10 },
  sandbox: { readable: [] },
  doors: {
    clientMs: 600_000,
    sessions: 500,
    sessionsPerToken: 32,
    requestsAtOnce: 600,
    requestsPerSecond: 200,
    uploadsPerRoom: 500_000_000,
  },
  log: { level: 'info', to: 'file', megabytes: 20, files: 5 },
  sweepMs: 1000,
  drainMs: 10_000,
}

/** The config with a user's file of these lines. */
const withUser = (...lines: string[]) => {
  const folder = scratch()
  const file = folder.write('mine.yaml', `${lines.join('\n')}\n`)
  return {
    file,
    load: () => loadHouse(CONFIG, file).config,
    complaint: () => complaint(() => loadHouse(CONFIG, file)).message.replaceAll(file, 'mine.yaml'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('the defaults load as they are documented', () => {
  expect(loadHouse(CONFIG, null).config).toEqual(DEFAULTS)
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
      worker: { turns: 2, steps: 8, processes: 1 },
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
  expect(loadHouse(CONFIG, user.file, { port: 2 }).config.http).toEqual({
    host: '0.0.0.0',
    port: 2,
    hosts: [],
    public: null,
    proxies: [],
  })
  expect(loadHouse(CONFIG, user.file, { host: '::1', port: undefined }).config.http).toEqual({
    host: '::1',
    port: 1,
    hosts: [],
    public: null,
    proxies: [],
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
    ['agents:', '  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edti }'],
    'mine.yaml:2: agents.0.peripheral: expected one of the peripherals alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test',
  ],
  [
    'an agent that could inhabit what is not there',
    [
      'agents:',
      '  - id: claude-1',
      '    type: claude',
      '    runner: rehearsal',
      '    peripheral: edit',
      '    peripherals:',
      '      - edit',
      '      - explroe',
    ],
    'mine.yaml:8: agents.0.peripherals.1: there is no peripheral explroe; there is alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test',
  ],
  [
    'an agent that cannot inhabit where it starts',
    ['agents:', '  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edit, peripherals: [explore] }'],
    'mine.yaml:2: agents.0.peripherals: expected edit among them, where it starts',
  ],
  [
    'an agent with a name that stands for everybody',
    [
      'agents:',
      '  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edit }',
      '  - { id: all, type: claude, runner: rehearsal, peripheral: edit }',
    ],
    'mine.yaml:1: agents: "all" cannot be an agent\'s name',
  ],
  [
    'a check that nothing runs',
    ['checks:', '  lint: [npm, run, lint]', '  audit: [npm, audit]'],
    'mine.yaml:3: checks.audit: no peripheral runs it; those that are run are lint, types, tests',
  ],
  [
    'a check with a name that is none',
    ['checks:', '  Lint it: [npm, run, lint]'],
    'mine.yaml:2: checks.Lint it: expected a short name such as "lint"',
  ],
  [
    'a check as one line, which no shell takes apart',
    ['checks:', '  lint: npm run lint'],
    'mine.yaml:2: checks.lint: Invalid input: expected array, received string',
  ],
  [
    'a check whose words are one',
    ['checks:', '  lint: [npm run lint]'],
    'mine.yaml:2: checks.lint.0: "npm run lint" is no program: the words of a command are items of a list',
  ],
  [
    'a check with a place for something, which would be open to anything',
    ['checks:', '  lint: [eslint, "<path>..."]'],
    'mine.yaml:2: checks.lint.1: the words of a command are taken as they are, without < and >: put it into a script',
  ],
  [
    'a deploy command that begins with an option',
    ['deploys:', '  staging:', '    - --force', '    - ./deploy'],
    'mine.yaml:3: deploys.staging.0: "--force" is no program: the words of a command are items of a list',
  ],
  [
    'a folder for the sandbox that is not absolute',
    ['sandbox: { readable: [toolchain] }'],
    'mine.yaml:1: sandbox.readable.0: Invalid string: must start with "/"',
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
  [
    'a server with a sandbox that is none for it, and with something that it does not have',
    ['servers:', '  docs: { argv: [docs-server], sandbox: full }', '  more: { argv: [more], url: x }'],
    [
      'mine.yaml:2: servers.docs.sandbox: Invalid option: expected one of "read-only"|"workspace-write"',
      'mine.yaml:3: servers.more.url: Unrecognized key: "url"',
    ].join('\n'),
  ],
  [
    'a server of which no peripheral has a tool',
    ['servers:', '  docs: { argv: [docs-server] }'],
    'mine.yaml:2: servers.docs: no peripheral has a tool of it: name one as NAME.TOOL',
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
  expect(complaint(() => loadHouse(CONFIG, '/nowhere/mine.yaml'))).toEqual({
    message: "cannot read /nowhere/mine.yaml: ENOENT: no such file or directory, open '/nowhere/mine.yaml'",
    fix: 'check the path given with --config',
  })
})

test('a folder in place of a file is told', () => {
  using folder = scratch()
  expect(complaint(() => loadHouse(CONFIG, folder.path))).toEqual({
    message: `cannot read ${folder.path}: EISDIR: illegal operation on a directory, read`,
    fix: 'check the path given with --config',
  })
})

test('what is wrong with a file is followed by what to do', () => {
  using user = withUser('colour: blue')
  expect(complaint(user.load).fix).toBe('correct the file and start again')
})

test('folders of missions are named as tools name them, however they are written', () => {
  using user = withUser('missions: { folders: [./missions/, docs//, ./, plans/now] }')
  expect(user.load().missions).toEqual({ folders: ['missions', 'docs', '.', 'plans/now'] })
})
