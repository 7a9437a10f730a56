import type { Ran } from '../../src/sandbox/job.ts'
import { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import type { FileChange, StepReport } from '../../src/shapes/turn.ts'
import type { Bench, Command, Reach, Tool } from '../../src/tools/tool.ts'
import { CONTROL } from '../support/control.ts'
import { DESK } from '../support/desk.ts'
import { LIBRARY } from '../support/library.ts'

type SpecParts = Partial<Omit<PeripheralSpec, 'limits' | 'scope'>> & {
  limits?: Partial<PeripheralSpec['limits']>
  scope?: Partial<PeripheralSpec['scope']>
}

/** A wall for a test: one that says little by itself. */
export const wall = ({ limits, ...parts }: SpecParts = {}): PeripheralSpec =>
  PeripheralSpec.parse({
    id: 'test',
    purpose: 'to be tested',
    tools: ['run', 'terminal', 'web-fetch', 'evidence', 'reflect', 'advance', 'hop'],
    modes: ['execute'],
    role: 'operator',
    entry: ['user-request'],
    limits: { stepsPerTurn: 10, outputBytes: 10_000, outputLines: 100, seconds: 20, ...limits },
    examples: {
      allowed: [{ tool: 'hop', args: { to: 'explore' }, why: 'it may' }],
      refused: [{ tool: 'read', args: { path: '.' }, why: 'it may not' }],
    },
    ...parts,
  })

export const rule = (text: string, parts: Partial<PeripheralSpec['commands'][number]> = {}) => ({
  argv: text.split(' '),
  for: 'work' as const,
  network: false,
  approve: false,
  ...parts,
})

export const ran = (output = '', exit = 0): Ran => ({ exit, ended: 'exit', output })

/** A bench whose parts do nothing until a test says what they do; what was asked of them is written down. */
export const benchOf = (spec: PeripheralSpec, parts: Partial<Bench> = {}) => {
  const executed: Command[] = []
  const spilled: string[] = []
  const nowhere = () => Promise.reject(new Error('no test asked for this'))
  const { execute = async () => ran(), ...rest } = parts
  const bench: Bench = {
    workspace: { root: '/', offLimits: [] },
    spec,
    limits: spec.limits,
    step: 'step-1',
    session: 'session-1',
    path: process.env['PATH'] ?? '',
    targets: new Map(),
    shows: () => true,
    signal: new AbortController().signal,
    seen: () => null,
    keep: nowhere,
    ring: nowhere,
    joined: nowhere,
    tree: nowhere,
    changes: nowhere,
    spill: async (text) => `spill:${spilled.push(text)}`,
    progress: () => {},
    execute: (command) => {
      executed.push(command)
      return execute(command)
    },
    terminals: { start: nowhere, read: nowhere, write: nowhere, stop: nowhere, names: () => [] },
    ask: async () => refused(refusal('query-invalid', 'no test asked for this')),
    reflect: nowhere,
    control: CONTROL,
    desk: DESK,
    library: LIBRARY,
    advance: nowhere,
    hop: nowhere,
    tickle: { scan: nowhere, page: nowhere, cycle: nowhere },
    world: { reset: nowhere, act: nowhere, state: nowhere },
    ...rest,
  }
  return { bench, executed, spilled }
}

/** The parts of a bench for a program that can write: what it would be found to have changed. */
export const changing = (files: FileChange[]): Pick<Bench, 'tree' | 'changes'> => {
  let trees = 0
  return {
    tree: async () => `tree-${++trees}`,
    changes: async (before, after) => (before === 'tree-1' && after === 'tree-2' ? files : []),
  }
}

/** What a call would touch, or the code and the sentence of its refusal. */
export const reachOf = (tool: Tool, args: unknown, spec: PeripheralSpec): Reach | { code: string; message: string } => {
  const reach = tool.reach(tool.args.parse(args), spec)
  return reach.ok ? reach.value : { code: reach.refusal.code, message: reach.refusal.message }
}

export const call = (tool: Tool, args: unknown, bench: Bench): Promise<StepReport> =>
  tool.run(tool.args.parse(args), bench)
