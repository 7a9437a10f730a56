import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { createTrying } from '../../src/peripherals/trying.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import type { Judged, Tried } from '../../src/shapes/trial.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { ROOT } from '../architecture/sources.ts'
import { scratch } from '../support/folder.ts'
import { must } from '../support/store.ts'

const specs = loadPeripherals(join(ROOT, 'config/peripherals'), null, { checks: {}, deploys: {} })

const open = async (change: Partial<Parameters<typeof createTrying>[0]> = {}) => {
  const folder = scratch()
  folder.write('README.md', '# hi\n')
  const judge = createTrying({
    workspace: await openWorkspace(folder.path, []),
    specs,
    wallsIn: async () => specs,
    roomMode: async () => 'discuss',
    sandboxless: async () => null,
    heldBy: async () => null,
    ...change,
  })
  const call = (peripheral: string, tool: string, args: Record<string, unknown>, more: Partial<Tried> = {}) =>
    judge({ peripheral, call: { tool, args }, phase: null, room: null, role: null, ...more })
  return { judge, call, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const GRANTED = [
  'the turn has just begun: nothing is spent, nothing has failed, nobody stopped it',
  'the room is in execute',
  'who asked is an admin',
]

test('what passes is told with what it would touch, and with what was taken for granted', async () => {
  using it = await open()
  expect(must(await it.call('edit', 'read', { path: './README.md' }))).toEqual({
    peripheral: 'edit',
    tool: 'read',
    phase: null,
    verdict: { kind: 'passes', reads: ['README.md'], writes: [], command: null, sandbox: null },
    granted: GRANTED,
  } satisfies Judged)
})

test('what needs a person is told with why, and with what a yes opens', async () => {
  using it = await open()
  const { verdict } = must(
    await it.call('edit', 'run', { argv: ['cargo', 'fetch'], escalate: { why: 'it needs packages' } }),
  )
  expect(verdict).toEqual({
    kind: 'asks',
    why: 'it asks for more than edit opens by itself: it needs packages',
    opens: 'run cargo fetch, in the sandbox workspace-write, with the network',
    writes: [],
  })
})

test('what is refused is told with the rule that it breaks, its code, its sentence and what to do', async () => {
  using it = await open()
  const { verdict } = must(await it.call('edit', 'read', { path: '.env' }))
  expect(verdict).toEqual({
    kind: 'refused',
    rule: 11,
    code: 'out-of-scope',
    message: ".env is closed to everybody: it is git's own, or may hold secrets",
    remedy: 'stay inside the scope of the peripheral',
  })
})

type Row = [what: string, rule: number, code: string, tried: [string, string, Record<string, unknown>, Partial<Tried>?]]

const rows: Row[] = [
  ['a tool that the wall has not', 2, 'tool-not-allowed', ['explore', 'write', { path: 'a', text: '' }]],
  ['a tool that is none', 2, 'tool-not-allowed', ['explore', '__proto__', {}]],
  ['a tool of another phase', 3, 'phase-forbids', ['deploy', 'advance', { outputs: {} }, { phase: 'release' }]],
  ['arguments of another tool', 4, 'arguments-invalid', ['explore', 'read', { pth: 'a' }]],
  ['a role that is too low', 6, 'role-too-low', ['explore', 'read', { path: 'README.md' }, { role: 'viewer' }]],
  ['a room that does not open it', 7, 'mode-forbids', ['edit', 'read', { path: 'README.md' }, { room: 'lobby' }]],
  ['a command that is none of its own', 10, 'command-not-allowed', ['edit', 'run', { argv: ['sh', '-c', 'id'] }]],
  [
    'more, where there is no ceiling',
    10,
    'approval-required',
    ['test', 'run', { argv: ['npm', 'test'], escalate: { why: 'x' } }],
  ],
  ['a path that leads out', 11, 'out-of-scope', ['edit', 'write', { path: '../a', text: '' }]],
  ['a hop that leads nowhere', 12, 'hop-refused', ['explore', 'hop', { to: 'deploy' }]],
]

test.each(rows)('%s is refused by rule %i with %s', async (_what, rule, code, tried) => {
  using it = await open()
  expect(must(await it.call(...tried)).verdict).toMatchObject({ kind: 'refused', rule, code })
})

test('without evidence to ask for, the question is refused by the rule for what a spec opens', async () => {
  const edit = specs.get('edit')
  if (!edit) throw new Error('edit is shipped')
  const deaf = new Map([['edit', { ...edit, scope: { ...edit.scope, evidence: 'none' as const } }]])
  using it = await open({ specs: deaf })
  expect(must(await it.call('edit', 'evidence', {})).verdict).toMatchObject({ rule: 10, code: 'out-of-scope' })
})

test('a sandbox that is not there and a path that somebody holds stand in the way, as they would', async () => {
  using it = await open({
    sandboxless: async () => 'bubblewrap is missing',
    heldBy: async ([path]) => `${path} is held by codex-1`,
  })
  const run = must(await it.call('edit', 'run', { argv: ['git', 'status'] })).verdict
  const write = must(await it.call('edit', 'write', { path: 'README.md', text: '' })).verdict
  expect([run, write]).toMatchObject([
    { rule: 13, code: 'sandbox-missing', message: 'bubblewrap is missing' },
    { rule: 14, code: 'path-held', message: 'README.md is held by codex-1' },
  ])
})

test('a hop that leads there passes, given what its condition wants', async () => {
  using it = await open()
  const { verdict, granted } = must(await it.call('explore', 'hop', { to: 'edit' }))
  expect([verdict.kind, granted.at(-1)]).toEqual(['passes', 'for the hop: a file was found'])
})

test('every example of every wall is judged as its wall says', async () => {
  using it = await open()
  for (const [id, { examples }] of specs) {
    for (const { tool, args, phase = null, why } of examples.allowed)
      expect([id, why, must(await it.call(id, tool, args, { phase })).verdict.kind]).not.toContain('refused')
    for (const { tool, args, phase = null, why } of examples.refused)
      expect([id, why, must(await it.call(id, tool, args, { phase })).verdict.kind]).toContain('refused')
  }
})

test('a wall or a phase that there is not is said, with those that there are', async () => {
  using it = await open()
  const none = await it.call('cellar', 'read', {})
  const phase = await it.call('deploy', 'read', {}, { phase: 'later' })
  expect([none, phase]).toEqual([
    refused(
      refusal(
        'peripheral-unknown',
        'there is no peripheral cellar; there is alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test',
      ),
    ),
    refused(refusal('command-invalid', 'deploy has no phase later; it has review, release')),
  ])
})
