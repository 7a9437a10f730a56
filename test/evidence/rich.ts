import { BELLHOP } from '../../src/evidence/drafts.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import type { Author, Body, BodyOf, Draft } from '../../src/shapes/evidence.ts'
import type { Fruit } from '../../src/shapes/fruit.ts'
import { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { FileChange, FileState, RunResult, StepOutcome } from '../../src/shapes/turn.ts'
import { ADA, CLAUDE } from '../support/store.ts'
import { BOB, inSession } from './history.ts'

const LIMITS = { stepsPerTurn: 40, outputBytes: 50_000, outputLines: 2000, seconds: 60 }
const EXAMPLES = { allowed: [{ tool: 'read', args: {}, why: '' }], refused: [{ tool: 'write', args: {}, why: '' }] }

const wall = (own: Record<string, unknown>): PeripheralSpec =>
  PeripheralSpec.parse({
    purpose: '',
    modes: ['execute'],
    role: 'operator',
    limits: LIMITS,
    examples: EXAMPLES,
    ...own,
  })

/** Walls of every kind: phases, commands, ceilings, approvals, hosts, and hops from one to the next. */
export const WALLS = [
  wall({
    id: 'explore',
    tools: ['read', 'list', 'grep', 'hop'],
    scope: { read: ['**'], deny: ['private'] },
    entry: ['user-request', 'from-reflect'],
    exit: [{ when: 'found-target', to: ['edit'] }],
  }),
  wall({
    id: 'edit',
    tools: ['read', 'edit', 'write', 'run', 'hop'],
    scope: { read: ['src/**', 'docs/**', '*.json'], write: ['src/**'] },
    sandbox: 'workspace-write',
    approval: { policy: 'on-request', tools: [] },
    ceiling: {
      sandbox: 'workspace-write',
      write: ['docs/**/*.{md,txt}'],
      commands: [{ argv: ['rm', '<path>'], for: 'work' }],
    },
    commands: [
      { argv: ['npm', 'run', '<format|build>'], for: 'work' },
      { argv: ['npx', 'eslint', '<path>...'], for: 'check', sandbox: 'read-only' },
    ],
    entry: ['from-explore', 'from-test'],
    exit: [{ when: 'changed', to: ['test'] }],
    context: ['target-files'],
    checks: ['lint'],
  }),
  wall({
    id: 'test',
    tools: ['read', 'run', 'terminal', 'hop'],
    commands: [{ argv: ['npm', 'test', '<path>...'], for: 'test' }],
    entry: ['user-request', 'from-edit'],
    exit: [
      { when: 'pass', to: ['deploy', 'reflect'] },
      { when: 'fail', to: ['edit'] },
    ],
    context: ['changed-files'],
  }),
  wall({
    id: 'deploy',
    tools: ['read', 'run', 'web-fetch', 'advance', 'hop'],
    scope: { read: ['**'], web: { hosts: ['status.example.org', '*.example.net'] } },
    sandbox: 'full',
    approval: { policy: 'on-request', tools: [] },
    phases: [
      { id: 'look', tools: ['read', 'web-fetch', 'advance'], outputs: ['summary'] },
      { id: 'ship', tools: ['run', 'advance', 'hop'] },
      { id: 'rest', tools: ['read', 'hop'] },
    ],
    commands: [
      { argv: ['git', 'commit', '-m', '<text>'], for: 'git', phases: ['ship'] },
      { argv: ['git', 'push', 'origin', '<rev>'], for: 'git', phases: ['ship'], approve: true },
      { argv: ['./deploy.sh', '<word>', '<number>'], for: 'deploy', phases: ['ship'], approve: true },
    ],
    entry: ['from-test', 'tests-passed'],
    exit: [{ when: 'deployed', to: ['reflect'] }],
    context: ['test-result'],
  }),
  wall({
    id: 'reflect',
    tools: ['evidence', 'reflect', 'hop'],
    scope: { read: [], evidence: 'session' },
    entry: ['user-request', 'from-deploy', 'from-test'],
    exit: [{ when: 'reviewed', to: ['explore'] }],
    context: ['review'],
  }),
]

export const wallOf = (id: string): PeripheralSpec => {
  const found = WALLS.find((one) => one.id === id)
  if (!found) throw new Error(`there is no wall ${id}`)
  return found
}

/** What a file is, told by a letter. */
export const stateOf = (letter: string): FileState => `100644 ${letter.repeat(64)}`

export const changeOf = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  before: before && stateOf(before),
  after: after && stateOf(after),
  added: 1,
  removed: 1,
})

const put = inSession('s-1', 'lobby', 'claude-1')

export const ok = (paths: string[] = [], more: Partial<StepOutcome & { kind: 'ok' }> = {}): StepOutcome => ({
  kind: 'ok',
  output: 'done',
  paths,
  cut: null,
  ...more,
})

export const changing = (...files: FileChange[]): StepOutcome =>
  ok([], { files, changed: files.map(({ path }) => path) })

export const ranOf = (argv: string[], purpose: RunResult['for'], more: Partial<RunResult> = {}): RunResult => ({
  argv,
  for: purpose,
  exit: 0,
  ended: 'exit',
  report: null,
  commit: null,
  pushed: [],
  ...more,
})

const REPORT = { runner: 'vitest', passed: 12, failed: 0, skipped: 1, failures: [] }

type Touched = Pick<BodyOf<'step-intended'>, 'reads' | 'writes' | 'approval'>
type Call = { tool: string; args: Record<string, unknown> }

/** A step as it is written: what it was found to touch before, what came of it after. */
export const stepOf = (step: string, call: Call, touched: Touched, outcome: StepOutcome): Draft[] => {
  const turn = step.split('.')[0] ?? ''
  return [
    put(
      `${step}.intent`,
      CLAUDE,
      { event: 'step-intended', turn, step, call, reads: [], writes: [], ...touched },
      turn,
    ),
    put(`${step}.outcome`, CLAUDE, { event: 'step-ended', turn, step, tool: call.tool, outcome }, `${step}.intent`),
  ]
}

const approvalOf = (step: string, call: Call): Draft[] => {
  const turn = step.split('.')[0] ?? ''
  const asked = { why: 'more', opens: 'that', until: '2026-01-02T04:00:00.000Z' }
  return [
    put(`${step}.approval`, CLAUDE, { event: 'approval-asked', turn, step, approval: step, call, ...asked }, turn),
    put(
      `${step}.decision`,
      BOB,
      { event: 'approval-decided', step, approval: step, decision: 'approved', role: 'approver', note: '' },
      `${step}.approval`,
    ),
  ]
}

const accepted = (turn: string, peripheral: string): Draft =>
  put(turn, ADA, {
    event: 'accepted',
    agent: 'claude-1',
    room: 'lobby',
    peripheral,
    request: 'mend it',
    role: 'operator',
  })

const begun = (turn: string): Draft => put(`${turn}.started`, CLAUDE, { event: 'turn-started', turn }, turn)

const start = (turn: string, peripheral: string, entry: string): Draft => {
  const spec = wallOf(peripheral)
  return put(
    `${turn}.peripheral`,
    CLAUDE,
    { event: 'peripheral-started', turn, peripheral, tools: spec.tools, spec: hashOf(spec), context: {}, entry },
    `${turn}.started`,
  )
}

const NOTHING: Fruit = {
  steps: 0,
  found: [],
  changed: [],
  checks: [],
  tests: { result: 'none', runs: 0, passed: 0, failed: 0, skipped: 0, failures: [], tree: null },
  deploy: { commits: [], pushed: [], ran: [] },
  review: null,
  blocked: false,
}

const testsOf = (result: 'pass' | 'fail'): Fruit['tests'] => ({
  result,
  runs: 1,
  passed: result === 'pass' ? 12 : 11,
  failed: result === 'pass' ? 0 : 1,
  skipped: 1,
  failures: [],
  tree: null,
})

type Hop = { from: string; to: string; when: string; fruit: Partial<Fruit>; context?: Record<string, unknown> }

/** A hop: the step that asks for it, the stop it leaves by, and the start that answers that. */
const hopOf = (step: string, { from, to, when, fruit, context = {} }: Hop): Draft[] => {
  const turn = step.split('.')[0] ?? ''
  const spec = wallOf(to)
  const entry = `from-${from}`
  return [
    ...stepOf(step, { tool: 'hop', args: { to } }, {}, ok()),
    put(
      `${step}.stopped`,
      CLAUDE,
      { event: 'peripheral-stopped', turn, peripheral: from, reason: 'hop', fruit: { ...NOTHING, ...fruit }, to, when },
      `${step}.outcome`,
    ),
    put(
      `${step}.peripheral`,
      CLAUDE,
      {
        event: 'peripheral-started',
        turn,
        peripheral: to,
        tools: spec.tools,
        spec: hashOf(spec),
        context,
        entry,
        hop: step,
      },
      `${step}.stopped`,
    ),
  ]
}

const end = (
  turn: string,
  peripheral: string,
  fruit: Partial<Fruit>,
  outcome: 'done' | 'cancelled' = 'done',
): Draft[] => [
  put(
    `${turn}.stopped`,
    CLAUDE,
    { event: 'peripheral-stopped', turn, peripheral, reason: 'turn-ended', fruit: { ...NOTHING, ...fruit } },
    `${turn}.started`,
  ),
  put(`${turn}.ended`, CLAUDE, { event: 'turn-ended', turn, outcome, answer: 'there' }, turn),
  put(
    `${turn}.verified`,
    BELLHOP,
    { event: 'verified', through: 9, ok: true, steps: 1, files: 0, violations: [] },
    `${turn}.stopped`,
  ),
]

const A = changeOf('src/a.ts', 'a', 'b')
const X = changeOf('docs/deep/x.md', null, 'c')
const B = changeOf('src/b.ts', 'd', 'e')

const WRITE_X = { tool: 'write', args: { path: 'docs/deep/x.md', text: 'x', escalate: { why: 'it belongs there' } } }
const run = (...argv: string[]): Call => ({ tool: 'run', args: { argv } })
const PUSH = run('git', 'push', 'origin', 'main')
const SPILL = 'spill:t1.0'

/** From what a person asked for, through every peripheral, to what was made of it: all as the walls have it. */
export const richHistory = (): Draft[] => [
  put('s-1.opened', ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }),
  accepted('t1', 'explore'),
  begun('t1'),
  start('t1', 'explore', 'user-request'),
  ...stepOf('t1.0', { tool: 'grep', args: { pattern: 'retry' } }, { reads: ['.'] }, ok(['src/a.ts'], { spill: SPILL })),
  ...stepOf('t1.1', { tool: 'read', args: { path: SPILL } }, {}, ok()),
  ...stepOf(
    't1.2',
    { tool: 'read', args: { path: '/home/ada/work/src/a.ts' } },
    { reads: ['src/a.ts'] },
    ok(['src/a.ts'], { seen: [{ path: 'src/a.ts', state: stateOf('a') }] }),
  ),
  put(
    't1.3.outcome',
    CLAUDE,
    {
      event: 'step-refused',
      turn: 't1',
      step: 't1.3',
      call: { tool: 'read', args: { path: '/etc/passwd' } },
      refusal: refusal('out-of-scope', '/etc/passwd is outside of what explore may touch'),
    },
    't1',
  ),
  ...hopOf('t1.4', {
    from: 'explore',
    to: 'edit',
    when: 'found-target',
    fruit: { found: ['src/a.ts'] },
    context: { 'target-files': ['src/a.ts'] },
  }),

  put('t1.snapshot', CLAUDE, { event: 'snapshot-taken', turn: 't1', tree: 'f'.repeat(40) }, 't1'),
  ...stepOf(
    't1.5',
    { tool: 'edit', args: { path: 'src/a.ts', old: 'x', new: 'y' } },
    { reads: ['src/a.ts'], writes: ['src/a.ts'] },
    changing(A),
  ),
  ...approvalOf('t1.6', WRITE_X),
  ...stepOf('t1.6', WRITE_X, { writes: ['docs/deep/x.md'], approval: 't1.6.decision' }, changing(X)),
  ...stepOf('t1.7', run('npm', 'run', 'format'), {}, {
    ...changing(B),
    run: ranOf(['npm', 'run', 'format'], 'work'),
  } as StepOutcome),
  ...stepOf(
    't1.8.check-lint',
    run('npx', 'eslint', 'src', 'docs'),
    { reads: ['src', 'docs'] },
    ok([], { run: ranOf(['npx', 'eslint', 'src', 'docs'], 'check') }),
  ),
  ...hopOf('t1.8', {
    from: 'edit',
    to: 'test',
    when: 'changed',
    fruit: { changed: [A, X, B], checks: [{ name: 'lint', ok: true, said: 'passed' }] },
    context: { 'changed-files': ['src/a.ts'] },
  }),

  ...stepOf(
    't1.9',
    run('npm', 'test', 'src/a.test.ts'),
    { reads: ['src/a.test.ts'] },
    ok([], { run: ranOf(['npm', 'test', 'src/a.test.ts'], 'test', { report: REPORT }) }),
  ),
  ...hopOf('t1.10', {
    from: 'test',
    to: 'deploy',
    when: 'pass',
    fruit: { tests: testsOf('pass') },
    context: { 'test-result': { result: 'pass', passed: 12, failed: 0 } },
  }),

  ...stepOf('t1.11', { tool: 'web-fetch', args: { url: 'https://ci.example.net/status' } }, {}, ok()),
  ...stepOf('t1.12', { tool: 'advance', args: { outputs: { summary: 'all is well' } } }, {}, ok([], { phase: 'ship' })),
  ...stepOf(
    't1.13',
    run('git', 'commit', '-m', 'mend the retries'),
    {},
    ok([], { run: ranOf(['git', 'commit', '-m', 'mend the retries'], 'git', { commit: 'c0ffee' }) }),
  ),
  ...approvalOf('t1.14', PUSH),
  ...stepOf(
    't1.14',
    PUSH,
    { approval: 't1.14.decision' },
    ok([], { run: ranOf(['git', 'push', 'origin', 'main'], 'git', { pushed: ['refs/heads/main'] }) }),
  ),
  ...hopOf('t1.15', {
    from: 'deploy',
    to: 'reflect',
    when: 'deployed',
    fruit: { deploy: { commits: ['c0ffee'], pushed: ['refs/heads/main'], ran: [] } },
  }),

  ...stepOf('t1.16', { tool: 'evidence', args: { tool: 'run' } }, {}, ok()),
  ...reflected('t1.17'),
  ...end('t1', 'reflect', { review: 't1.17.review' }),

  put('undo', ADA, { event: 'restoring', what: 'step t1.7', steps: ['t1.7'], files: [changeOf('src/b.ts', 'e', 'd')] }),
  put(
    'undone',
    ADA,
    { event: 'restored', what: 'step t1.7', steps: ['t1.7'], files: [changeOf('src/b.ts', 'e', 'd')], failed: null },
    'undo',
  ),

  accepted('t2', 'test'),
  begun('t2'),
  start('t2', 'test', 'user-request'),
  ...stepOf(
    't2.0',
    run('npm', 'test'),
    {},
    { kind: 'failed', message: 'npm test exited with 1', run: ranOf(['npm', 'test'], 'test', { exit: 1 }) },
  ),
  put('t2.stop', ADA, { event: 'stop-asked', turn: 't2', why: 'enough' }, 't2'),
  ...end('t2', 'test', { tests: testsOf('fail'), blocked: true }, 'cancelled'),

  accepted('t3', 'test'),
  begun('t3'),
  start('t3', 'test', 'user-request'),
  ...stepOf('t3.0', run('npm', 'test'), {}, ok([], { run: ranOf(['npm', 'test'], 'test') })),
  ...end('t3', 'test', { tests: testsOf('pass') }),

  accepted('t4', 'deploy'),
  begun('t4'),
  start('t4', 'deploy', 'tests-passed'),
  ...stepOf('t4.0', { tool: 'read', args: { path: 'README.md' } }, { reads: ['README.md'] }, ok(['README.md'])),
  ...end('t4', 'deploy', { found: ['README.md'] }),
]

/** The step that reviews: what it makes of the session is written with its outcome. */
const reflected = (step: string): Draft[] => {
  const [intent, outcome] = stepOf(
    step,
    { tool: 'reflect', args: { worked: 'the search', didNot: 'nothing', next: 'more tests' } },
    {},
    ok(),
  )
  const facts = { turns: 1, steps: 17, refused: 1, failed: 0, changed: ['src/a.ts'], tests: 'pass' }
  const words = { worked: 'the search', didNot: 'nothing', next: 'more tests' }
  const review: Body = { event: 'reviewed', turn: 't1', step, facts, ...words }
  return [intent, put(`${step}.review`, CLAUDE, review, `${step}.intent`), outcome].filter(
    (draft) => draft !== undefined,
  )
}

export const signed = (id: string, author: Author, body: Body, inReplyTo?: string): Draft =>
  put(id, author, body, inReplyTo)
