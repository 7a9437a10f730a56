// What nobody thought of: paths, commands and calls put together at random. Nothing gets out, and what the gate lets
// through is found within its wall by the judge that knows nothing of the gate.

import { linkSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStay } from '../../src/evidence/wall/stay.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import { atBest } from '../../src/peripherals/examples.ts'
import type { CommandRule, PeripheralSpec, ToolCall, ToolName } from '../../src/shapes/peripheral.ts'
import { type Asks, gate, type Passed, type Standing } from '../../src/tools/gate.ts'
import { type Bench, bench, call } from '../tools/bench.ts'
import { leaksIn, secret } from './canaries.ts'
import { anyArgvFor, anyCallFor, anyPath } from './nasty.ts'
import { differences, recordOf } from './record.ts'
import { wallsUnderSiege } from './walls.ts'

const LONG = Boolean(process.env['BELLHOP_LONG'])
const WALLS = wallsUnderSiege()

/** A workspace with links of every kind that lead out, and secrets on both sides. */
const besieged = async () => {
  const it = await bench({
    'README.md': 'a workspace\n',
    'src/a.js': 'a\n',
    'src/deep/a.js': 'a\n',
    '.env': secret('env'),
    'config/.env.local': secret('env-local'),
    'keys/server.pem': secret('pem'),
    '.git/config': secret('git'),
    'src/.git/config': secret('nested'),
  })
  for (const name of ['secret.txt', 'deep/secret.txt', 'a.js', 'README.md'])
    it.write(`outside/${name}`, secret('outside'))
  const links = {
    'out-link': '../outside',
    'src/out-link': '../../outside',
    'up-link': '..',
    'root-link': '/',
    'file-link': '../outside/secret.txt',
    chain: 'out-link/deep',
    loop: 'loop',
    nowhere: '../outside/not-there',
    'env-link': '.env',
    'git-link': '.git',
  }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(it.root, name))
  linkSync(join(it.above, 'outside/secret.txt'), join(it.root, 'hard.txt'))
  return it
}

/** What is closed in the workspace, and the folders on the way there. */
const CLOSED = /^ws\/(?:(?:src\/)?\.git(?:\/|$)|\.env$|config(?:\/\.env\.local)?$|keys(?:\/server\.pem)?$|src$)/

let it: Bench
let closed: () => ReturnType<typeof recordOf>
beforeAll(async () => {
  it = await besieged()
  // Of the workspace only what is closed: everything else may be written to.
  closed = () => recordOf(it.above, { without: (name) => name.startsWith('ws/') && !CLOSED.test(name), identity: true })
})
afterAll(() => it[Symbol.dispose]())

/** `@` and `#` are where the folders really are. */
const placed = (text: string): string => text.replaceAll('@/', `${it.above}/`).replaceAll('#/', `${it.root}/`)

const placedCall = ({ tool, args }: ToolCall): ToolCall => ({
  tool,
  args: JSON.parse(JSON.stringify(args), (_key, value: unknown) => (typeof value === 'string' ? placed(value) : value)),
})

/** Every tool that takes a path, with the call that would show or change most. */
const PATH_TOOLS: Record<string, (path: string, other: string) => [ToolName, ToolCall['args']]> = {
  read: (path) => ['read', { path }],
  list: (path) => ['list', { path, depth: 3 }],
  glob: (path) => ['glob', { pattern: '**', path }],
  grep: (path) => ['grep', { pattern: '.', path }],
  edit: (path) => ['edit', { path, old: 'a', new: 'b', all: true }],
  'multi-edit': (path) => ['multi-edit', { path, edits: [{ old: 'j', new: 'J', all: true }] }],
  write: (path) => ['write', { path, text: 'pwned' }],
  'mc-new': (path) => ['mc-new', { path, title: 'pwned' }],
  'a patch that adds': (path) => [
    'apply-patch',
    { patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` },
  ],
  'a patch that moves': (path, other) => [
    'apply-patch',
    { patch: `*** Begin Patch\n*** Update File: ${path}\n*** Move to: ${other}\n*** End Patch` },
  ],
  'a unified patch': (path, other) => [
    'apply-patch',
    { patch: `--- a/${path}\n+++ b/${other}\n@@ -1 +1 @@\n-a\n+b\n` },
  ],
}

describe('whatever a path is put together of', () => {
  test.each(Object.entries(PATH_TOOLS))(
    '%s touches nothing outside, and nothing that is closed',
    async (_name, callOf) => {
      let before = closed()
      await fc.assert(
        fc.asyncProperty(anyPath.map(placed), anyPath.map(placed), async (path, other) => {
          const [tool, args] = callOf(path, other)
          const said = JSON.stringify(await call(it.workspace, tool, args))
          const after = closed()
          const changed = differences(before, after)
          // What was changed is said once, of the call that did it.
          before = after
          expect({ leaks: leaksIn(said), changed }).toEqual({ leaks: false, changed: [] })
        }),
        { numRuns: LONG ? 3000 : 120 },
      )
    },
  )
})

const standing = (spec: PeripheralSpec, phase: string | null): Standing => ({
  ...atBest(spec, it.workspace),
  phase,
  mode: 'execute',
  role: 'operator',
  hopless: async (to) => (spec.exit.some((way) => way.to.includes(to)) ? null : 'it does not lead there'),
})

const phasesOf = ({ phases }: PeripheralSpec): (string | null)[] =>
  phases.length > 0 ? phases.map(({ id }) => id) : [null]

describe('whatever a command is put together of', () => {
  const RUNNING = WALLS.filter(({ tools }) => tools.includes('run'))

  /** Whether every option is one that the rule spells out: what stands for something else is never one. */
  const spelledOut = ({ argv }: CommandRule, words: readonly string[]): boolean => {
    const known = argv.flatMap((place) => /^<(.+)>(?:\.\.\.)?$/.exec(place)?.[1]?.split('|') ?? [place])
    return words.every((word) => !word.startsWith('-') || known.includes(word))
  }

  /** The same words can be one thing in a phase and another in the next. */
  const listedAs = (rule: CommandRule | null): string => JSON.stringify([rule?.argv, rule?.phases])

  test.each(RUNNING.map((spec) => [spec.id, spec] as const))(
    '%s runs nothing but what is on its list',
    async (_id, spec) => {
      const rules = [...spec.commands, ...(spec.ceiling?.commands ?? [])]
      await fc.assert(
        fc.asyncProperty(anyArgvFor(spec), fc.constantFrom(...phasesOf(spec)), async (given, phase) => {
          const argv = given.map(placed)
          const verdict = await gate({ tool: 'run', args: { argv } }, standing(spec, phase))
          if (!verdict.ok || verdict.value.kind === 'asks') return
          const { command, reads } = verdict.value
          const own = rules.find((rule) => listedAs(rule) === listedAs(command))
          expect({
            argv,
            listed: own !== undefined,
            program: argv[0] === command?.argv[0],
            phase: own?.phases?.includes(phase ?? '') ?? true,
            spelledOut: command !== null && spelledOut(command, argv),
            inside: reads.filter((name) => !isInside(name)),
          }).toEqual({ argv, listed: true, program: true, phase: true, spelledOut: true, inside: [] })
        }),
        { numRuns: LONG ? 10_000 : 700 },
      )
    },
  )

  const isInside = (name: string): boolean => {
    const real = realOf(join(it.root, name))
    return real === null || real === it.root || real.startsWith(`${it.root}/`)
  }
  const realOf = (path: string): string | null => {
    try {
      return realpathSync(path)
    } catch {
      return null
    }
  }
})

describe('the gate, and the judge that knows nothing of it', () => {
  type Judged = Passed | Asks

  /** What the judge says of a step that the gate let through, or would with a person's yes. */
  const judged = (spec: PeripheralSpec, phase: string | null, one: ToolCall, passed: Judged) => {
    const stay = createStay(
      {
        event: 'peripheral-started',
        turn: 't1',
        peripheral: spec.id,
        tools: spec.tools,
        spec: 'x',
        entry: 'user-request',
      },
      Wall.parse(JSON.parse(JSON.stringify(spec))),
    )
    for (const { id, outputs } of spec.phases.slice(1, phaseAt(spec, phase) + 1)) {
      const owed = Object.fromEntries(spec.phases.flatMap((before) => before.outputs).map((name) => [name, 'said']))
      const advance = {
        event: 'step-intended',
        turn: 't1',
        step: id,
        call: { tool: 'advance', args: { outputs: owed } },
      } as const
      stay.ended(advance, { kind: 'ok', output: outputs.join(), paths: [], cut: null, phase: id }, () => false)
    }
    const { reads, writes } = passed.kind === 'passed' ? passed : { reads: undefined, writes: passed.writes }
    const intent = {
      event: 'step-intended',
      turn: 't1',
      step: 't1.0',
      call: one,
      reads: reads ?? passed.writes,
      writes,
    } as const
    const whole = { ...intent, reads: [...intent.reads], writes: [...intent.writes] }
    return { findings: stay.intended(whole, () => false), needs: stay.needs(whole) }
  }

  const phaseAt = ({ phases }: PeripheralSpec, phase: string | null): number =>
    phases.findIndex(({ id }) => id === phase)

  test.each(WALLS.map((spec) => [spec.id, spec] as const))('agree on what %s lets through', async (_id, spec) => {
    await fc.assert(
      fc.asyncProperty(anyCallFor(spec), fc.constantFrom(...phasesOf(spec)), async (given, phase) => {
        const one = placedCall(given)
        const verdict = await gate(one, standing(spec, phase))
        if (!verdict.ok || verdict.value.kind === 'asks') return
        expect({ one, ...judged(spec, phase, one, verdict.value) }).toEqual({ one, findings: [], needs: null })
      }),
      { numRuns: LONG ? 20_000 : 1000 },
    )
  })

  test.each(WALLS.map((spec) => [spec.id, spec] as const))('agree on what %s asks a person for', async (_id, spec) => {
    await fc.assert(
      fc.asyncProperty(anyCallFor(spec), fc.constantFrom(...phasesOf(spec)), async (given, phase) => {
        const one = placedCall(given)
        const verdict = await gate(one, standing(spec, phase))
        if (!verdict.ok || verdict.value.kind !== 'asks') return
        expect({ one, asked: judged(spec, phase, one, verdict.value).needs !== null }).toEqual({ one, asked: true })
      }),
      { numRuns: LONG ? 10_000 : 400 },
    )
  })

  test.each(WALLS.map((spec) => [spec.id, spec] as const))(
    'agree on tools, phases and ways out that %s has not',
    async (_id, spec) => {
      await fc.assert(
        fc.asyncProperty(anyCallFor(spec), fc.constantFrom(...phasesOf(spec)), async (given, phase) => {
          const one = placedCall(given)
          const verdict = await gate(one, standing(spec, phase))
          if (verdict.ok || !['tool-not-allowed', 'phase-forbids', 'hop-refused'].includes(verdict.refusal.code)) return
          const forged = judged(spec, phase, one, { kind: 'asks', why: '', opens: '', writes: [] })
          expect({ one, found: forged.findings.length > 0 }).toEqual({ one, found: true })
        }),
        { numRuns: LONG ? 10_000 : 400 },
      )
    },
  )
})
