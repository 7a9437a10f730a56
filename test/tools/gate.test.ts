import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atBest } from '../../src/peripherals/examples.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { gate, type Standing } from '../../src/tools/gate.ts'
import { tools } from '../../src/tools/table.ts'
import { EXPLORE, wall } from '../support/explore.ts'
import { bench } from './bench.ts'

type Rule = { code: RefusalCode; sentence: string; break: (call: ToolCall, standing: Standing) => [ToolCall, Standing] }

const READ: ToolCall = { tool: 'read', args: { path: 'README.md' } }
const WRITE: ToolCall = { tool: 'write', args: { path: 'new.txt', text: 'new' } }

/** A wall with everything a rule can be about. */
const WALL = wall({
  id: 'bench',
  tools: ['read', 'grep', 'write', 'run', 'hop'],
  scope: { ...EXPLORE.scope, read: ['**'], write: ['**'] },
  sandbox: 'workspace-write',
  commands: [{ argv: ['ls', '<path>...'], for: 'look', network: false, approve: false }],
  approval: { policy: 'on-request', tools: ['write'] },
  phases: [{ id: 'one', tools: ['read', 'write', 'run', 'hop'], outputs: [] }],
})

/** The rules of the gate in their order: how each is broken, and what it says then. */
const rules: Rule[] = [
  {
    code: 'peripheral-inactive',
    sentence: 'no peripheral is active, so there is no tool write',
    break: (call, standing) => [call, { ...standing, spec: null }],
  },
  {
    code: 'tool-not-allowed',
    sentence: 'bench has no tool edit; it has read, grep, write, run, hop',
    break: (call, standing) => [{ ...call, tool: 'edit' }, standing],
  },
  {
    code: 'phase-forbids',
    sentence: 'write is not for this phase of bench; it is in none of its phases',
    break: (call, standing) => [call, { ...standing, phase: 'two' }],
  },
  {
    code: 'arguments-invalid',
    sentence: `write: arguments: Unrecognized key: "follow"; usage: ${tools.write.help}`,
    break: (call, standing) => [{ ...call, args: { ...call.args, follow: true } }, standing],
  },
  {
    code: 'turn-stopped',
    sentence: 'a person has stopped this turn',
    break: (call, standing) => [call, { ...standing, stopped: true }],
  },
  {
    code: 'role-too-low',
    sentence: 'bench needs the role operator; who asked is viewer',
    break: (call, standing) => [call, { ...standing, role: 'viewer' }],
  },
  {
    code: 'mode-forbids',
    sentence: 'the room is in discuss; bench needs diagnose or execute',
    break: (call, standing) => [call, { ...standing, mode: 'discuss' }],
  },
  {
    code: 'budget-spent',
    sentence: 'this turn has used its 25 steps',
    break: (call, standing) => [call, { ...standing, spent: { ...standing.spent, steps: 25 } }],
  },
  {
    code: 'looping',
    sentence: 'this very call has failed 3 times, with nothing changed in between',
    break: (call, standing) => [call, { ...standing, alike: 3 }],
  },
  {
    code: 'out-of-scope',
    sentence: '../outside.txt is outside of what bench may touch: the workspace',
    break: (call, standing) => [{ ...call, args: { ...call.args, path: '../outside.txt' } }, standing],
  },
  {
    code: 'path-held',
    sentence: 'new.txt is held by codex-1',
    break: (call, standing) => [call, { ...standing, hold: async ([path]) => `${path} is held by codex-1` }],
  },
  {
    code: 'approval-denied',
    sentence: 'ada said no',
    break: (call, standing) => [call, { ...standing, decision: { kind: 'denied', why: 'ada said no' } }],
  },
]

const open = async () => {
  const it = await bench({ 'README.md': '# hi\n' })
  const standing: Standing = {
    ...atBest(WALL, it.workspace, 'one'),
    mode: 'execute',
    role: 'operator',
    decision: { kind: 'approved', entry: 'yes' },
  }
  return { ...it, standing, exploring: { ...standing, spec: EXPLORE, phase: null } }
}

const passes = (parts: object) => ({
  ok: true,
  value: {
    kind: 'passed',
    spec: EXPLORE,
    reads: [],
    writes: [],
    command: null,
    sandbox: null,
    brief: false,
    pin: null,
    waits: null,
    run: expect.any(Function),
    ...parts,
  },
})

test('a call that breaks no rule passes, in every mode that opens the peripheral and up to its last step', async () => {
  using it = await open()
  for (const mode of ['diagnose', 'execute'] as const) {
    for (const steps of [0, 24]) {
      const spent = { ...it.standing.spent, steps }
      expect(await gate(READ, { ...it.exploring, mode, spent })).toEqual(passes({ reads: ['README.md'] }))
    }
  }
})

test.each(rules.map((rule, i) => ({ ...rule, i })))('rule $i refuses with $code and its sentence', async (rule) => {
  using it = await open()
  const broken = rule.break(WRITE, it.standing)
  expect(await gate(...broken)).toEqual(refused(refusal(rule.code, rule.sentence)))
})

const pairs = rules.flatMap((first, i) => rules.slice(i + 1).map((second) => ({ first, second })))

test.each(pairs)(
  'a call that breaks $first.code and $second.code is refused by the first',
  async ({ first, second }) => {
    using it = await open()
    const [call, standing] = first.break(...second.break(WRITE, it.standing))
    expect(await gate(call, standing)).toMatchObject({ ok: false, refusal: { code: first.code } })
  },
)

test('a call that breaks every rule is refused by the first that is left, as they are mended one by one', async () => {
  using it = await open()
  const codes: unknown[] = []
  for (let mended = 0; mended <= rules.length; mended++) {
    let broken: [ToolCall, Standing] = [WRITE, it.standing]
    for (const rule of rules.slice(mended)) broken = rule.break(...broken)
    const verdict = await gate(...broken)
    codes.push(verdict.ok ? 'passed' : verdict.refusal.code)
  }
  expect(codes).toEqual([...rules.map(({ code }) => code), 'passed'])
})

test.each(['', 'READ', 'read ', 'bash', 'write', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a tool that the peripheral does not have is refused by default: %j',
  async (tool) => {
    using it = await open()
    expect(await gate({ tool, args: {} }, it.exploring)).toEqual(
      refused(refusal('tool-not-allowed', `explore has no tool ${tool}; it has read, glob, grep`)),
    )
  },
)

test('a tool that exists but is not in the spec is refused: the spec decides', async () => {
  using it = await open()
  const spec: PeripheralSpec = { ...EXPLORE, id: 'peek', tools: ['read'] }
  for (const tool of ['glob', 'grep']) {
    expect(await gate({ tool, args: { pattern: 'x' } }, { ...it.exploring, spec })).toEqual(
      refused(refusal('tool-not-allowed', `peek has no tool ${tool}; it has read`)),
    )
  }
})

test.each([
  ['read', {}, 'path: Invalid input: expected string, received undefined'],
  ['read', { path: '' }, 'path: Too small: expected string to have >=1 characters'],
  ['read', { path: ['README.md'] }, 'path: Invalid input: expected string, received array'],
  ['read', { path: 'README.md', from: 0 }, 'from: Too small: expected number to be >=1'],
  ['read', { path: 'README.md', from: 1.5 }, 'from: Invalid input: expected int, received number'],
  ['read', { path: 'README.md', lines: '3' }, 'lines: Invalid input: expected number, received string'],
  ['read', { path: 'n/'.repeat(2049) }, 'path: Too big: expected string to have <=4096 characters'],
  ['grep', { pattern: 'x', path: '../'.repeat(2000) }, 'path: Too big: expected string to have <=4096 characters'],
  ['glob', { pattern: 'x', path: '../'.repeat(2000) }, 'path: Too big: expected string to have <=4096 characters'],
  ['glob', { path: 'src' }, 'pattern: Invalid input: expected string, received undefined'],
  ['glob', { pattern: 'a'.repeat(201) }, 'pattern: Too big: expected string to have <=200 characters'],
  ['grep', { pattern: '' }, 'pattern: Too small: expected string to have >=1 characters'],
  ['grep', { pattern: 'x', path: '' }, 'path: Too small: expected string to have >=1 characters'],
  ['grep', { pattern: 'x', literal: 'yes' }, 'literal: Invalid input: expected boolean, received string'],
  ['grep', { pattern: 'x', flags: '--hidden' }, 'arguments: Unrecognized key: "flags"'],
] as const)('%s with %j is refused with what is wrong and how it is used', async (tool, args, wrong) => {
  using it = await open()
  expect(await gate({ tool, args }, it.exploring)).toEqual(
    refused(refusal('arguments-invalid', `${tool}: ${wrong}; usage: ${tools[tool].help}`)),
  )
})

test('a gate that fails refuses: on a loop of links, on a name too long, on a link that leads nowhere', async () => {
  using it = await open()
  symlinkSync('b', join(it.root, 'a'))
  symlinkSync('a', join(it.root, 'b'))
  symlinkSync('not-there', join(it.root, 'nowhere'))
  const long = 'n'.repeat(256)
  const judge = (path: string) => gate({ tool: 'read', args: { path } }, it.exploring)
  const fails = (why: string) => refused(refusal('gate-failed', `the gate could not judge read: ${why}`))

  expect(await judge('a')).toEqual(
    fails(`ELOOP: too many symbolic links encountered, realpath '${join(it.root, 'a')}'`),
  )
  expect(await judge(long)).toEqual(fails(`ENAMETOOLONG: name too long, realpath '${join(it.root, long)}'`))
  expect(await judge('nowhere')).toEqual(fails('nowhere is a link that leads nowhere'))
})

test('a gate whose standing cannot be read refuses', async () => {
  using it = await open()
  const spec = {
    ...EXPLORE,
    get tools(): never {
      throw new Error('the spec is torn')
    },
  }
  expect(await gate(READ, { ...it.exploring, spec })).toEqual(
    refused(refusal('gate-failed', 'the gate could not judge read: the spec is torn')),
  )
})

const told = async (call: ToolCall, standing: Standing) => {
  const verdict = await gate(call, standing)
  if (!verdict.ok) return verdict.refusal.code
  const { value } = verdict
  return value.kind === 'asks' ? { why: value.why, opens: value.opens } : value.kind
}

test('each budget is one of its own, and says which', async () => {
  using it = await open()
  const { limits } = WALL
  const spent = it.standing.spent
  const over = [
    { ...spent, sessionSteps: limits.stepsPerSession },
    { ...spent, seconds: limits.secondsPerTurn },
    { ...spent, output: limits.outputPerTurn },
  ]
  const said = await Promise.all(over.map((one) => gate(READ, { ...it.standing, spent: one })))
  expect(said).toEqual([
    refused(refusal('budget-spent', `this session has used its ${limits.stepsPerSession} steps`)),
    refused(refusal('budget-spent', `this turn has used its ${limits.secondsPerTurn} seconds`)),
    refused(refusal('budget-spent', `this turn has used its ${limits.outputPerTurn} bytes of output`)),
  ])
})

test('a program needs a sandbox, and the refusal has what would put it right', async () => {
  using it = await open()
  const ls: ToolCall = { tool: 'run', args: { argv: ['ls', '.'] } }
  expect(await told(ls, it.standing)).toBe('passed')
  expect(await gate(ls, { ...it.standing, sandboxless: async () => 'apt-get install bubblewrap' })).toEqual(
    refused(refusal('sandbox-missing', 'apt-get install bubblewrap')),
  )
})

test('a hop that cannot be is refused with why', async () => {
  using it = await open()
  const hop: ToolCall = { tool: 'hop', args: { to: 'deploy' } }
  expect(await told(hop, it.standing)).toBe('passed')
  expect(await gate(hop, { ...it.standing, hopless: async (to) => `${to}: no tests` })).toEqual(
    refused(refusal('hop-refused', 'deploy: no tests')),
  )
})

test('sandbox and approvals are two settings: each policy with each of the calls', async () => {
  using it = await open()
  const calls: ToolCall[] = [READ, WRITE, { tool: 'run', args: { argv: ['ls'] } }]
  const asked = async (policy: 'never' | 'on-request' | 'always', listed: ['write'] | []) => {
    const spec = { ...WALL, approval: { policy, tools: listed } }
    return Promise.all(calls.map((call) => told(call, { ...it.standing, spec, decision: { kind: 'none' } })))
  }
  const listed = { why: 'bench asks before each write', opens: 'change new.txt with write' }
  const every = (opens: string) => ({ why: 'bench asks before anything is changed or run', opens })
  expect({
    never: await asked('never', []),
    'never, listed': await asked('never', ['write']),
    'on-request': await asked('on-request', []),
    'on-request, listed': await asked('on-request', ['write']),
    always: await asked('always', []),
  }).toEqual({
    never: ['passed', 'passed', 'passed'],
    'never, listed': ['passed', 'approval-required', 'passed'],
    'on-request': ['passed', 'passed', 'passed'],
    'on-request, listed': ['passed', listed, 'passed'],
    always: ['passed', every('change new.txt with write'), every('run ls, in the sandbox workspace-write')],
  })
})

test('escalating asks a person for that call alone, and never opens more than the ceiling has', async () => {
  using it = await open()
  const narrow = {
    ...WALL,
    scope: { ...WALL.scope, write: ['src/**'] },
    approval: { policy: 'on-request' as const, tools: [] },
    ceiling: {
      sandbox: 'workspace-write' as const,
      network: true,
      write: ['docs/**'],
      commands: [{ argv: ['npm', 'ci'], for: 'work' as const, network: true, approve: false }],
    },
  }
  const escalate = { why: 'it must be' }
  const write = (path: string, more: object = {}): ToolCall => ({ tool: 'write', args: { path, text: '', ...more } })
  const run = (argv: string[], more: object = {}): ToolCall => ({ tool: 'run', args: { argv, ...more } })
  const at = (decision: Standing['decision'], spec = narrow) => ({ ...it.standing, spec, decision })
  const none = at({ kind: 'none' })
  const yes = at({ kind: 'approved', entry: 'yes' })
  const why = 'it asks for more than bench opens by itself: it must be'
  expect(await told(write('src/a'), none)).toBe('passed')
  expect(await told(write('docs/a'), none)).toBe('out-of-scope')
  expect(await told(write('docs/a'), yes)).toBe('out-of-scope')
  expect(await told(write('docs/a', { escalate }), none)).toEqual({ why, opens: 'change docs/a with write' })
  expect(await told(write('docs/a', { escalate }), yes)).toBe('passed')
  expect(await told(write('other', { escalate }), yes)).toBe('out-of-scope')
  expect(await told(write('.git/config', { escalate }), yes)).toBe('out-of-scope')
  expect(await told(run(['npm', 'ci']), yes)).toBe('command-not-allowed')
  const opens = 'run npm ci, in the sandbox workspace-write, with the network'
  expect(await told(run(['npm', 'ci'], { escalate }), none)).toEqual({ why, opens })
  expect(await told(run(['npm', 'ci'], { escalate }), yes)).toBe('passed')
  expect(await told(run(['curl', 'x'], { escalate }), yes)).toBe('command-not-allowed')
  expect(await told(run(['ls'], { escalate }), { ...yes, spec: WALL })).toBe('approval-required')
  const never = { ...narrow, approval: { policy: 'never' as const, tools: [] } }
  expect(await told(write('docs/a', { escalate }), { ...none, spec: never as PeripheralSpec })).toBe(
    'approval-required',
  )
})
