import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import { createWalls, narrowedBy } from '../../src/peripherals/walls.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { type CommandRule, type PeripheralSpec, SandboxMode, type ToolCall } from '../../src/shapes/peripheral.ts'
import { Profile, type Profiles } from '../../src/shapes/profile.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { wall } from '../support/explore.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA, CLAUDE } from '../support/store.ts'
import { entry, openWorkshop, READ, request, SESSION, type Workshop } from './workshop.ts'

const profile = (part: Partial<Profile>): Profile => Profile.parse({ summary: 'for a test', ...part })
const PROFILES: Profiles = {
  careful: profile({ sandbox: 'read-only', approval: 'always' }),
  slow: profile({ approval: 'always' }),
  fast: profile({ models: { claude: 'haiku' } }),
}

const SHIPPED = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, {
  checks: { lint: ['npm', 'run', 'lint'] },
  deploys: { staging: ['./deploy'] },
})

describe('a profile', () => {
  const rule: CommandRule = { argv: ['make'], for: 'work', network: false, approve: false }
  const wide = wall({
    sandbox: 'full',
    commands: [rule, { ...rule, sandbox: 'full' }, { ...rule, sandbox: 'read-only' }],
    ceiling: {
      sandbox: 'full',
      network: true,
      write: ['**'],
      commands: [rule, { ...rule, sandbox: 'workspace-write' }],
    },
    approval: { policy: 'on-request', tools: ['write'] },
  })

  test('narrows the sandbox of a wall, of its commands and of its ceiling, and asks where it says so; nothing else', () => {
    expect(narrowedBy(wide, profile({ sandbox: 'workspace-write', approval: 'always' }))).toEqual({
      ...wide,
      sandbox: 'workspace-write',
      commands: [rule, { ...rule, sandbox: 'workspace-write' }, { ...rule, sandbox: 'read-only' }],
      ceiling: { ...wide.ceiling, sandbox: 'workspace-write' },
      approval: { policy: 'always', tools: ['write'] },
    })
    expect(narrowedBy(wide, profile({}))).toEqual(wide)
  })

  test.each([
    ['never', 'never'],
    ['on-request', 'always'],
    ['always', 'always'],
  ] as const)('that asks always makes of %s: %s', (policy, becomes) => {
    const spec = wall({ approval: { policy, tools: [] } })
    expect(narrowedBy(spec, profile({ approval: 'always' })).approval.policy).toBe(becomes)
  })

  const sandboxes = ({ sandbox, commands, ceiling }: PeripheralSpec) => [
    sandbox,
    ...commands.map((one) => one.sandbox ?? sandbox),
    ...(ceiling ? [ceiling.sandbox, ...ceiling.commands.map((one) => one.sandbox ?? ceiling.sandbox)] : []),
  ]
  const all = [...SHIPPED.values()].flatMap((spec) =>
    Object.entries(PROFILES).map(([name, by]) => [spec.id, name, spec, by] as const),
  )

  test.each(all)('never widens %s: %s', (_id, _name, spec, by) => {
    const narrow = narrowedBy(spec, by)
    const level = (mode: SandboxMode) => SandboxMode.options.indexOf(mode)
    const before = sandboxes(spec).map(level)
    expect(
      sandboxes(narrow).every((mode, i) => level(mode) <= Math.min(before[i] ?? 0, level(by.sandbox ?? 'full'))),
    ).toBe(true)
    const { sandbox, commands, ceiling, approval } = spec
    expect({ ...narrow, sandbox, commands, ceiling, approval }).toEqual(spec)
  })
})

describe('the walls', () => {
  const EXPLORE = wall()
  const EDIT = wall({ id: 'edit', sandbox: 'workspace-write', approval: { policy: 'on-request', tools: [] } })
  const specs = new Map([EXPLORE, EDIT].map((spec) => [spec.id, spec]))
  const walls = createWalls(specs, PROFILES)
  const careful = narrowedBy(EDIT, PROFILES['careful'] as Profile)
  const slow = narrowedBy(EDIT, PROFILES['slow'] as Profile)

  test('are there once, however many profiles have the same', () => {
    expect(walls.all()).toEqual([EXPLORE, EDIT, careful, slow])
  })

  test('of a room are those of its profile; of one that the config has no longer, the strictest', () => {
    const editOf = (name: string | null) => walls.for(name).get('edit')
    expect([null, 'fast', 'slow', 'careful', 'gone'].map(editOf)).toEqual([EDIT, EDIT, slow, careful, careful])
    expect([...walls.for('careful').keys()]).toEqual(['explore', 'edit'])
  })

  test('that were put up are found by their hash, and by no other', () => {
    expect([
      walls.standing('edit', hashOf(careful)),
      walls.standing('edit', hashOf(EDIT)),
      walls.standing('explore', hashOf(EDIT)),
      walls.standing('edit', 'x'),
      createWalls(specs, {}).standing('edit', hashOf(slow)),
    ]).toEqual([careful, EDIT, undefined, undefined, undefined])
  })
})

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const NEVER = new AbortController().signal
const EDIT = wall({
  id: 'edit',
  tools: ['read', 'write', 'run', 'hop'],
  scope: { ...wall().scope, write: ['**'] },
  sandbox: 'workspace-write',
  commands: [{ argv: ['touch', '<path>'], for: 'work', network: false, approve: false }],
  approval: { policy: 'on-request', tools: [] },
  exit: [{ when: 'always', to: ['den'] }],
})
const DEN = { ...EDIT, id: 'den', exit: [], tools: ['read', 'write'], entry: ['from-edit'] } satisfies PeripheralSpec
const WRITE: ToolCall = { tool: 'write', args: { path: 'new.txt', text: 'new\n' } }
const TOUCH: ToolCall = { tool: 'run', args: { argv: ['touch', 'made.txt'] } }

/** A session in edit, in a room with a profile. */
const open = async (name: string | null): Promise<Workshop> => {
  const it = await openWorkshop(server, { spec: EDIT, specs: [EDIT, DEN], profiles: PROFILES })
  it.room.profile = name
  await it.accept('work')
  await it.enter()
  it.runSteps()
  return it
}

const approve = async (it: Workshop, step: string) => {
  await eventually('a person to be asked', () => it.store.get(`${step}.approval`))
  const approval = approvalName(step)
  const body: Body = { event: 'approval-decided', step, approval, decision: 'approved', role: 'approver', note: '' }
  await it.record(entry(`${step}.decision`, ADA, body, `${step}.approval`))
  await it.wake(SESSION)
}

/** A step as a gate that did not look would have let it through: it made a file, and nobody approved that. */
const plant = async (it: Workshop, n: number, call: ToolCall) => {
  const step = `t1.${n}`
  const runs = call.tool === 'run'
  const path = runs ? 'made.txt' : 'new.txt'
  const [reads, writes] = runs ? [[path], []] : [[], [path]]
  await it.record(
    entry(`${step}.intent`, CLAUDE, { event: 'step-intended', turn: 't1', step, call, reads, writes }, 't1'),
    entry(
      `${step}.outcome`,
      CLAUDE,
      { event: 'step-ended', turn: 't1', step, tool: call.tool, outcome: made(path, runs) },
      `${step}.intent`,
    ),
  )
}

const made = (path: string, runs: boolean): StepOutcome => {
  const files = [{ path, before: null, after: `100644 ${'0'.repeat(64)}`, added: 1, removed: 0 }]
  const outcome: StepOutcome = { kind: 'ok', output: '', paths: [], cut: null, changed: [path], files }
  const ended = { for: 'work', exit: 0, ended: 'exit', report: null, commit: null } as const
  return runs ? { ...outcome, run: { argv: ['touch', path], ...ended, pushed: [] } } : outcome
}

describe('a step behind a narrowed wall', () => {
  test('waits for a person where the wall by itself does not, runs in the narrower sandbox, and verifies', async () => {
    await using it = await open('careful')
    const written = it.steps.ask(request(0, WRITE), NEVER)
    await approve(it, 't1.0')
    expect(await written).toMatchObject({ kind: 'ok', changed: ['new.txt'] })
    const touched = it.steps.ask(request(1, TOUCH), NEVER)
    await approve(it, 't1.1')
    expect(await touched).toMatchObject({ kind: 'failed', output: expect.stringContaining('Read-only file system') })
    expect([await it.steps.ask(request(2, READ), NEVER), it.has('made.txt')]).toMatchObject([{ kind: 'ok' }, false])
    expect((await it.bodies('approval-asked')).map((body) => body.event === 'approval-asked' && body.opens)).toEqual([
      'change new.txt with write',
      'run touch made.txt, in the sandbox read-only',
    ])
    expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  })

  test('that the narrowed wall forbids is found when it is planted; behind the wall itself it is none', async () => {
    await using careful = await open('careful')
    await using plain = await open(null)
    for (const it of [careful, plain]) {
      await plant(it, 0, WRITE)
      await plant(it, 1, TOUCH)
    }
    const unapproved = 'was not approved: edit asks before anything is changed or run'
    expect([await careful.verdict(), await plain.verdict()]).toEqual([
      {
        ok: false,
        violations: [
          { entry: 't1.0.intent', rule: 'approval', what: unapproved },
          { entry: 't1.1.intent', rule: 'approval', what: unapproved },
          { entry: 't1.1.outcome', rule: 'scope', what: 'changed made.txt, in a sandbox that is read-only' },
        ],
      },
      { ok: true, violations: [] },
    ])
  })

  test('stays behind it when the profile is changed, until the next start', async () => {
    await using it = await open('careful')
    it.room.profile = null
    const written = it.steps.ask(request(0, WRITE), NEVER)
    await approve(it, 't1.0')
    expect(await written).toMatchObject({ kind: 'ok' })
    expect(await it.verdict()).toEqual({ ok: true, violations: [] })
  })
})

test.each([
  ['careful', null, 'careful'],
  [null, 'careful', 'careful'],
  ['careful', 'careful', null],
] as const)('a hop from %s, after the profile became %s, is verified', async (before, at, after) => {
  await using it = await open(before)
  it.room.profile = at
  expect(await it.steps.ask(request(0, { tool: 'hop', args: { to: 'den' } }), NEVER)).toMatchObject({ kind: 'ok' })
  it.room.profile = after
  const starts = (await it.bodies('peripheral-started')).map((body) => body.event === 'peripheral-started' && body.spec)
  expect(starts).toEqual([hashOf(it.walls.for(before).get('edit')), hashOf(it.walls.for(at).get('den'))])
  const written = it.steps.ask(request(1, WRITE), NEVER)
  if (at === 'careful') await approve(it, 't1.1')
  expect(await written).toMatchObject({ kind: 'ok', changed: ['new.txt'] })
  expect(await it.verdict()).toEqual({ ok: true, violations: [] })
})
