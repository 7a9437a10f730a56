import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atBest } from '../../src/peripherals/examples.ts'
import { createTaking } from '../../src/peripherals/take.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { gate, type Standing } from '../../src/tools/gate.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { entry, openWorkshop, READ, request, SESSION } from '../peripherals/workshop.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { CLAUDE } from '../support/store.ts'
import { type Bench, measure } from './report.ts'

const CALLS = 20_000

/** What the gate costs by itself: a call that touches no path, and one whose path is looked up on the disk. */
export const gateOverhead = async (): Promise<string> => {
  using folder = scratch()
  folder.write('a.txt', 'one\n')
  const spec = wall({ tools: ['read', 'reflect'] })
  const standing = atBest(spec, await openWorkspace(folder.path, []))
  const words = { worked: 'this', didNot: 'that', next: 'more' }
  const plain = await microseconds(standing, { tool: 'reflect', args: words })
  const path = await microseconds(standing, READ)
  return [
    'The gate, a call (microseconds)',
    `  without I/O      ${plain.toFixed(1)}  (target: under 50)`,
    `  with one path    ${path.toFixed(1)}`,
    '',
  ].join('\n')
}

const microseconds = async (standing: Standing, call: ToolCall): Promise<number> => {
  for (let i = 0; i < CALLS / 10; i++) await gate(call, standing)
  const began = performance.now()
  for (let i = 0; i < CALLS; i++) await gate(call, standing)
  return ((performance.now() - began) * 1000) / CALLS
}

const BARE = 'a bare read and two appends'
const STEPS = 500

/** A read through the wall, against the same read and the same two entries without it. */
export const readStep = async (): Promise<Bench> => {
  await using server = await startTestRedis()
  const spec = wall({ limits: { ...wall().limits, stepsPerTurn: 1_000_000, stepsPerSession: 1_000_000 } })
  await using bare = await openWorkshop(server, { spec })
  await using walled = await openWorkshop(server, { spec })
  for (const it of [bare, walled]) {
    await it.accept('read')
    await it.enter()
  }
  const take = createTaking(walled.workshop)
  const session = await walled.store.session(SESSION)
  if (!session) throw new Error('there is no session')
  const append = async (drafts: Parameters<typeof walled.store.append>[0]) =>
    (await walled.store.append(drafts)).ok ? { kind: 'written' as const } : { kind: 'later' as const }
  const write = Object.assign(append, { isOurs: async () => true })
  const rows = [
    await measure(BARE, STEPS, 1, async (i) => {
      const step = `t1.${i}`
      await bare.record(entry(`${step}.intent`, CLAUDE, { event: 'step-intended', turn: 't1', step, call: READ }, 't1'))
      const output = await readFile(join(bare.root, 'a.txt'), 'utf8')
      const outcome: StepOutcome = { kind: 'ok', output, paths: ['a.txt'], cut: null }
      const body = { event: 'step-ended', turn: 't1', step, tool: 'read', outcome } as const
      await bare.record(entry(`${step}.outcome`, CLAUDE, body, `${step}.intent`))
    }),
    await measure('the same through the wall (target: 1.3)', STEPS, 1, async (i) => {
      const taken = await take(request(i, READ), session, write)
      if (taken.kind !== 'runs' || !(await taken.done)) throw new Error(`the step was ${taken.kind}`)
    }),
  ]
  return { title: 'A read step', baseline: BARE, rows }
}
