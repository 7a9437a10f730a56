import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { narrow } from '../../src/config/narrow.ts'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { settle } from '../../src/config/settle.ts'
import { Problem } from '../../src/lib/problem.ts'
import { judgeHop } from '../../src/peripherals/hops.ts'
import {
  ApprovalPolicy,
  type CommandRule,
  type PeripheralSpec,
  SandboxMode,
  type ToolCall,
  ToolName,
} from '../../src/shapes/peripheral.ts'
import { Role } from '../../src/shapes/person.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { RoomMode } from '../../src/shapes/room.ts'
import { gate, type Standing } from '../../src/tools/gate.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/paths.ts'
import { reachOf } from '../../src/workspace/scope.ts'
import { fruits } from '../peripherals/fruits.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG } from './complaint.ts'

const LONG = process.env['BELLHOP_LONG'] === '1'
const COMMANDS = {
  checks: { lint: ['npm', 'run', 'lint'], tests: ['npm', 'test'] },
  deploys: { staging: ['./deploy', 'staging'] },
}
const SHIPPED = loadPeripherals(join(CONFIG, 'peripherals'), null, COMMANDS)

const rule = (argv: string, more: Partial<CommandRule> = {}): CommandRule => ({
  argv: argv.split(' '),
  for: 'work',
  network: false,
  approve: false,
  ...more,
})

/** A wall made of all that a careless narrowing could trip over: rules that overlap, patterns, hosts, a full sandbox. */
const ODD = wall({
  id: 'odd',
  tools: ToolName.options.filter((tool) => tool !== 'advance'),
  scope: {
    read: ['src/**', 'docs/*.md', '!secret/**'],
    write: ['src/**', '/docs/**'],
    deny: ['src/private/**'],
    hardLinks: false,
    evidence: 'room',
    web: { hosts: ['*.python.org', 'docs.rs'], private: false },
  },
  sandbox: 'full',
  commands: [
    rule('cat <path>', { for: 'look', sandbox: 'read-only' }),
    rule('cat <README.md|.env>', { for: 'look', sandbox: 'read-only' }),
    rule('cat <text>'),
    rule('npm publish', { approve: true, network: true }),
    rule('npm <publish|test>', { network: true }),
    rule('npm run <lint|build>', { sandbox: 'workspace-write' }),
    rule('npm run <word>', { for: 'test' }),
    rule('npm <run|test>...', { sandbox: 'workspace-write', approve: true }),
    rule('make <word>', { for: 'check' }),
    rule('make <word> <path>...', { network: true, approve: true }),
  ],
  approval: { policy: 'on-request', tools: ['web-fetch'] },
  ceiling: {
    sandbox: 'full',
    network: true,
    write: ['build/**'],
    commands: [rule('cat <word>...', { network: true }), rule('npm ci', { network: true })],
  },
  modes: ['diagnose', 'execute'],
  exit: [{ when: 'pass', to: ['chat'] }],
  limits: { ...wall().limits, stepsPerTurn: 5, secondsPerTurn: 60 },
})

/** The same where everything is asked about, and where nothing is. */
const BASES = [
  ...SHIPPED.values(),
  ODD,
  { ...ODD, id: 'asking', approval: { policy: 'always' as const, tools: [] } },
  { ...ODD, id: 'silent', approval: { policy: 'never' as const, tools: [] } },
]

const PATTERNS =
  '** src/** src/a/** src/{a,b}/*.ts src/../** ./src/** /docs/** /docs/a.md docs/*.md *.md {src,docs}/** !src/** !secret/** s?c/** ../** SRC/** src/**/** src/[a'.split(
    ' ',
  )
const PATHS =
  'README.md src src/a/x.ts src/b/y.md src/private/k.ts src/private docs/a.md docs/deep/b.md secret/x.md build/out.js other.txt . .. ../x /etc/passwd .env src/.env.local .git/config SRC/a/x.ts src/a/../../README.md'.split(
    ' ',
  )
const BELOW = ['src/a/**', 'src/b/*.md', '/docs/a.md']
const HOSTS =
  'docs.rs docs.python.org *.docs.python.org *.python.org *.org * python.org evil.example/.python.org nodejs.org 127.0.0.1'.split(
    ' ',
  )
const URLS =
  'https://docs.rs/ https://docs.python.org/3/ https://a.docs.python.org/ https://python.org https://evil.example/ https://nodejs.org/api http://127.0.0.1/ ftp://docs.rs/'.split(
    ' ',
  )
const WORDS = 'ci test publish run lint build deploy README.md src/a/x.ts ../x .env origin main 5 -n --short'.split(' ')

/** A command that a rule fits, or nearly: each place filled with something. */
const instanceOf = ({ argv }: CommandRule, pick: number): string[] =>
  argv.flatMap((place, i) => {
    const inner = /^<(.*)>(?:\.\.\.)?$/.exec(place)?.[1]
    if (inner === undefined) return [place]
    const choices = inner.includes('|') ? inner.split('|') : WORDS
    return [choices[(pick + i) % choices.length] ?? '']
  })

const commandsOf = (spec: PeripheralSpec): string[][] =>
  [...spec.commands, ...(spec.ceiling?.commands ?? [])].flatMap((rule) =>
    Array.from({ length: 5 }, (_, i) => instanceOf(rule, i * 3)),
  )

const call = (tool: string, args: Record<string, unknown>): ToolCall => ({ tool, args })
const escalate = { why: 'it is needed' }

const examplesOf = (spec: PeripheralSpec): ToolCall[] =>
  [...spec.examples.allowed, ...spec.examples.refused].map(({ tool, args }) => call(tool, args))

/** Calls of every tool, on all sorts of paths, commands and addresses, with and without asking for more. */
const corpusFor = (spec: PeripheralSpec): ToolCall[] => [
  ...[...SHIPPED.values()].flatMap(examplesOf),
  ...PATHS.flatMap((path) => [
    ...['read', 'list'].map((tool) => call(tool, { path })),
    ...['glob', 'grep'].map((tool) => call(tool, { path, pattern: '*' })),
    call('edit', { path, old: 'a', new: 'b' }),
    call('multi-edit', { path, edits: [{ old: 'a', new: 'b' }] }),
    call('apply-patch', { patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n` }),
    call('write', { path, text: '' }),
    call('write', { path, text: '', escalate }),
  ]),
  ...URLS.map((url) => call('web-fetch', { url })),
  ...[...commandsOf(spec), ...commandsOf(ODD)].flatMap((argv) => [
    call('run', { argv }),
    call('run', { argv, escalate }),
  ]),
  call('evidence', {}),
  call('reflect', { worked: 'a', didNot: 'b', next: 'c' }),
  call('advance', { outputs: { summary: 'done' } }),
  call('terminal', { do: 'list' }),
  ...[...SHIPPED.keys()].map((to) => call('hop', { to })),
]

const NOTHING: Standing['spent'] = { steps: 0, sessionSteps: 0, seconds: 0, output: 0 }

const standing = (workspace: Workspace, part: Partial<Standing>): Omit<Standing, 'spec'> => ({
  phase: null,
  mode: 'execute',
  role: 'admin',
  stopped: false,
  spent: NOTHING,
  alike: 0,
  workspace,
  kept: () => null,
  sandboxless: async () => null,
  hold: async () => null,
  hopless: async () => null,
  source: async () => refused(refusal('server-failed', 'there is none')),
  decision: { kind: 'none' },
  ...part,
})

type Try = { call: ToolCall; standing: Omit<Standing, 'spec'> }

/** All calls in each phase, with and without a person's yes; some in all modes, by all roles, and with a budget gone. */
const triesFor = (spec: PeripheralSpec, workspace: Workspace): Try[] => {
  const { limits, phases } = spec
  const stand = (part: Partial<Standing>) => standing(workspace, part)
  const full = (phases.length > 0 ? phases.map(({ id }) => id) : [null]).flatMap((phase) => [
    stand({ phase }),
    stand({ phase, decision: { kind: 'approved', entry: 'e1' } }),
  ])
  const phase = phases[0]?.id ?? null
  const some = [
    ...RoomMode.options.flatMap((mode) => Role.options.map((role) => stand({ phase, mode, role }))),
    stand({ phase, spent: { ...NOTHING, steps: limits.stepsPerTurn } }),
    stand({ phase, spent: { ...NOTHING, sessionSteps: limits.stepsPerSession } }),
    stand({ phase, spent: { ...NOTHING, seconds: limits.secondsPerTurn } }),
    stand({ phase, spent: { ...NOTHING, output: limits.outputPerTurn } }),
  ]
  const crossed = (calls: ToolCall[], standings: Omit<Standing, 'spec'>[]): Try[] =>
    calls.flatMap((call) => standings.map((standing) => ({ call, standing })))
  const few = [...examplesOf(spec), call('read', { path: 'src/a/x.ts' }), call('hop', { to: 'chat' })]
  return [...crossed(corpusFor(spec), full), ...crossed(few, some)]
}

const level = (mode: SandboxMode): number => SandboxMode.options.indexOf(mode)

/** What the gate lets through, as numbers of which none may be higher behind a narrower wall. */
type Openness = { through: number; sandbox: number; network: number; proves: string | null }

const opennessOf = async (call: ToolCall, standing: Standing): Promise<Openness> => {
  const verdict = await gate(call, standing)
  const through = verdict.ok ? (verdict.value.kind === 'passed' ? 2 : 1) : 0
  const command = verdict.ok && verdict.value.kind === 'passed' ? verdict.value.command : null
  if (!command || !standing.spec) return { through, sandbox: -1, network: -1, proves: null }
  const most = call.args['escalate'] ? (standing.spec.ceiling?.sandbox ?? 'full') : standing.spec.sandbox
  const sandbox = Math.min(level(command.sandbox ?? most), level(most))
  const proves = ['test', 'git', 'deploy'].includes(command.for) ? command.for : null
  return { through, sandbox, network: Number(command.network), proves }
}

const isWider = (now: Openness, before: Openness): boolean =>
  now.through > before.through ||
  (before.through === 2 &&
    (now.sandbox > before.sandbox ||
      now.network > before.network ||
      (now.proves !== null && now.proves !== before.proves)))

/** Something that the wall has, or anything. */
const either = <T>(own: fc.Arbitrary<T>, any: fc.Arbitrary<T>): fc.Arbitrary<T> => fc.oneof(own, any)

const partOf = <T>(own: readonly T[], any: readonly T[], minLength = 0): fc.Arbitrary<T[]> =>
  either(
    fc.subarray([...own], { minLength: Math.min(minLength, own.length) }),
    fc.subarray([...any], { minLength: Math.min(minLength, any.length), maxLength: Math.min(3, any.length) }),
  )

const upTo = <T>(own: T, order: readonly T[]): fc.Arbitrary<T> =>
  either(fc.constantFrom(...order.slice(0, order.indexOf(own) + 1)), fc.constantFrom(...order))

/** A few of many keys, where `scope.read` is a key in `scope`: of a file that says everything, something is too much. */
const fewOf = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .subarray(Object.entries(keys), { minLength: 1, maxLength: 3 })
    .chain((some) => fc.record(Object.fromEntries(some)))
    .map((flat) => {
      const file: Record<string, unknown> = {}
      for (const [key, value] of Object.entries(flat)) {
        const [outer = '', inner] = key.split('.')
        file[outer] = inner === undefined ? value : { ...(file[outer] as object), [inner]: value }
      }
      return file
    })

const anyNarrowingOf = (spec: PeripheralSpec): fc.Arbitrary<Record<string, unknown>> => {
  const globs = (own: readonly string[]) => {
    const below = own.includes('**')
      ? PATTERNS.slice(0, -1)
      : BELOW.filter((glob) => own.some((wide) => glob.startsWith(wide.slice(0, -2))))
    return either(fc.subarray([...new Set([...own, ...below])]), fc.subarray(PATTERNS, { maxLength: 2 }))
  }
  const limits = (['stepsPerTurn', 'secondsPerTurn', 'outputPerTurn'] as const).map(
    (name): [string, fc.Arbitrary<number>] => {
      const most = spec.limits[name]
      return [`limits.${name}`, either(fc.integer({ min: 1, max: most }), fc.constant(most + 1))]
    },
  )
  const { hosts } = spec.scope.web
  const below = hosts.includes('*.python.org') ? ['docs.python.org', '*.docs.python.org'] : []
  const exits = spec.exit.flatMap(({ when, to }) => to.map((name) => ({ when, to: [name] })))
  const wildExits = exits.map(({ to }) => ({ when: 'always', to }))
  const keys = {
    tools: partOf(spec.tools, ToolName.options, 1),
    'scope.read': globs(spec.scope.read),
    'scope.write': globs(spec.scope.write),
    'scope.deny': fc.subarray(PATTERNS, { maxLength: 2 }),
    'scope.evidence': upTo(spec.scope.evidence, ['none', 'session', 'room', 'all'] as const),
    'scope.web': fc.record({ hosts: partOf([...hosts, ...below], HOSTS) }),
    sandbox: upTo(spec.sandbox, SandboxMode.options),
    commands: partOf(
      spec.commands.map(({ argv }) => argv),
      [
        ['sh', '-c', '<text>'],
        ['npm', '<word>'],
      ],
    ),
    'approval.policy': either(
      fc.constantFrom(spec.approval.policy, 'never'),
      fc.constantFrom(...ApprovalPolicy.options),
    ),
    'approval.tools': partOf(spec.tools, ToolName.options),
    ceiling: fc.constant(null),
    modes: partOf(spec.modes, RoomMode.options, 1),
    role: upTo(spec.role, Role.options.toReversed()),
    entry: partOf(spec.entry, ['user-request', 'tests-passed', 'from-chat'], 1),
    exit: partOf<{ when: string; to: string[] }>(exits, wildExits),
    ...Object.fromEntries(limits),
  }
  return fewOf(keys).map((file) => ({ narrows: spec.id, ...file }))
}

/** The wall that a file makes of another, where it is accepted; with what follows from it for the others. */
const narrowedBy = (value: unknown, specs: ReadonlyMap<string, PeripheralSpec>, id: string) => {
  try {
    const spec = narrow({ file: 'less.yaml', value, lineOf: () => 1 }, specs)
    const settled = settle(new Map([...specs, [id, spec]]))
    return { spec, settled }
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

const RUNS = LONG ? 600 : 20
/** Of a sample, each file is tried on a part of the calls. */
const PARTS = LONG ? 1 : 9

test.each(BASES.map((base) => [base.id, base] as const))(
  'no file that is accepted lets through anything that %s does not',
  async (id, base) => {
    using folder = scratch()
    for (const name of ['README.md', 'src/a/x.ts', 'src/private/k.ts', 'docs/a.md']) folder.write(name, 'a\n')
    const workspace = await openWorkspace(folder.path, [])
    const specs = new Map([...SHIPPED, [id, base]])
    const before = await Promise.all(
      triesFor(base, workspace).map(async ({ call, standing }) => ({
        call,
        standing,
        was: await opennessOf(call, { ...standing, spec: base }),
      })),
    )
    // What passes already and is no command cannot be let through any further.
    const tries = before.filter(({ was }) => was.through < 2 || was.sandbox >= 0)
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(anyNarrowingOf(base), fc.nat(PARTS - 1), async (value, part) => {
        const made = narrowedBy(value, specs, id)
        if (!made) return
        accepted++
        const judged = await Promise.all(
          tries
            .filter((_try, i) => i % PARTS === part)
            .map(async ({ call, standing, was }) => {
              const now = await opennessOf(call, { ...standing, spec: made.spec })
              return isWider(now, was) ? [{ call, was, now }] : []
            }),
        )
        expect(judged.flat()).toEqual([])
        expect(notWithin(made.spec, base)).toEqual([])
        expect(newHops(made.settled, specs)).toEqual([])
      }),
      { numRuns: RUNS },
    )
    expect(accepted).toBeGreaterThan(RUNS / 5)
    expect(before.some(({ was }) => was.through === 2)).toBe(true)
  },
  LONG ? 1_800_000 : 60_000,
)

/** What a tool is given besides the verdict, where it would be more: what a search shows, evidence, limits. */
const notWithin = (spec: PeripheralSpec, base: PeripheralSpec): string[] => {
  const [now, before] = [reachOf(spec.scope), reachOf(base.scope)]
  const EVIDENCE = ['none', 'session', 'room', 'all']
  return [
    ...PATHS.filter((name) => now.mayRead(name) && !before.mayRead(name)).map((name) => `reads ${name}`),
    ...PATHS.filter((name) => now.mayWrite(name) && !before.mayWrite(name)).map((name) => `writes ${name}`),
    ...Object.entries(spec.limits)
      .filter(([name, value]) => value > base.limits[name as keyof PeripheralSpec['limits']])
      .map(([name]) => `limits.${name}`),
    ...(EVIDENCE.indexOf(spec.scope.evidence) > EVIDENCE.indexOf(base.scope.evidence) ? ['evidence'] : []),
    ...(spec.scope.web.private && !base.scope.web.private ? ['private'] : []),
    ...base.checks.filter((name) => !spec.checks.includes(name)).map((name) => `leaves without ${name}`),
    ...base.scope.deny.filter((glob) => !spec.scope.deny.includes(glob)).map((glob) => `no longer denies ${glob}`),
  ]
}

const FRUITS = fruits().filter((_fruit, i) => i % (LONG ? 17 : 51) === 0)

/** Hops that there were not, from anywhere to anywhere. */
const newHops = (now: ReadonlyMap<string, PeripheralSpec>, before: ReadonlyMap<string, PeripheralSpec>): string[] =>
  [...now.values()].flatMap((from) =>
    [...now.keys()].filter((to) => {
      const old = before.get(from.id)
      return FRUITS.some((fruit) => judgeHop(from, to, fruit, now).ok && !(old && judgeHop(old, to, fruit, before).ok))
    }),
  )
