import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { createStay } from '../../src/evidence/wall/stay.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import { atBest } from '../../src/peripherals/examples.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import { gate } from '../../src/tools/gate.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'

const OURS = join(import.meta.dirname, '../../config/peripherals')

const control = (scope: Partial<PeripheralSpec['scope']> = {}): PeripheralSpec => {
  const spec = loadPeripherals(OURS, null, { checks: {}, deploys: {} }).get('mission-control')
  if (!spec) throw new Error('there is no mission-control')
  return { ...spec, scope: { ...spec.scope, ...scope } }
}

/** What the judge of chains finds wrong with a step, which knows nothing of the gate. */
const found = (spec: PeripheralSpec, call: ToolCall, reads: string[], writes: string[]): string[] => {
  const start = { event: 'peripheral-started', turn: 't', peripheral: spec.id, tools: spec.tools, spec: 'x' } as const
  const stay = createStay(start, Wall.parse(JSON.parse(JSON.stringify(spec))))
  const intent = { event: 'step-intended', turn: 't', step: 't.0', call, reads, writes } as const
  return stay.intended({ ...intent }, () => false).map(({ rule, what }) => `${rule}: ${what}`)
}

/** What the gate makes of a call. */
const judged = async (spec: PeripheralSpec, call: ToolCall): Promise<string> => {
  using folder = scratch()
  const verdict = await gate(call, atBest(spec, await openWorkspace(folder.path, [])))
  return verdict.ok ? verdict.value.kind : verdict.refusal.code
}

const TELLS = ['inventory', 'coverage', 'review', 'diff', 'next', 'sessions', 'bulletin', 'focus', 'todo'].map(
  (name) => `mc-${name}`,
)

test.each(TELLS)(
  '%s tells of all rooms: gate and judge let it through only where all evidence is open',
  async (tool) => {
    const call = { tool, args: {} }
    expect([await judged(control(), call), found(control(), call, ['.'], [])]).toEqual(['passed', []])
    const room = control({ evidence: 'room' })
    expect([await judged(room, call), found(room, call, ['.'], [])]).toEqual([
      'out-of-scope',
      [`scope: asked mission control for ${tool}, and mission-control does not open the evidence of all rooms`],
    ])
  },
)

test('a new mission is within the wall as a mission, and as nothing else', async () => {
  const made = (path: string): ToolCall => ({ tool: 'mc-new', args: { path, title: 'it' } })
  const fate = async (path: string) => [
    await judged(control(), made(path)),
    found(control(), made(path), [path], [path]),
  ]
  expect(await fate('missions/M-a.md')).toEqual(['passed', []])
  expect(await fate('README.md')).toEqual([
    'out-of-scope',
    [
      'scope: was to read README.md, which mission-control does not open',
      'scope: was to write README.md, which mission-control does not open for writing',
    ],
  ])
  expect(await fate('.git/M-a.md')).toEqual([
    'out-of-scope',
    ['scope: was to read .git/M-a.md, which is closed', 'scope: was to write .git/M-a.md, which is closed'],
  ])
  expect(found(control(), made('missions/M-a.md'), [], [])).toEqual([
    'scope: named missions/M-a.md, and was not found to touch it',
  ])
})
