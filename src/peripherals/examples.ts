import { Problem } from '../lib/problem.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { ok } from '../shapes/result.ts'
import { gate, type Standing } from '../tools/gate.ts'
import type { Workspace } from '../workspace/paths.ts'

type Example = PeripheralSpec['examples']['allowed'][number]

/** A spec is its own test: what it says must pass has to pass the real gate, and what must be refused, be refused. */
export const checkExamples = async (spec: PeripheralSpec, workspace: Workspace): Promise<void> => {
  const judge = ({ tool, args, phase }: Example) => gate({ tool, args }, atBest(spec, workspace, phase))
  const wrong: string[] = []
  for (const example of spec.examples.allowed) {
    const verdict = await judge(example)
    if (!verdict.ok) wrong.push(`"${example.why}" should be allowed, but: ${verdict.refusal.message}`)
  }
  for (const example of spec.examples.refused) {
    if ((await judge(example)).ok) wrong.push(`"${example.why}" should be refused, but the gate lets it through`)
  }
  if (wrong.length === 0) return
  const told = wrong.map((what) => `the peripheral ${spec.id}: ${what}`).join('\n')
  throw new Problem(told, 'correct the example, or the spec it belongs to')
}

/** The best that can be true of a call: if it is refused all the same, the spec itself refuses it. */
export const atBest = (spec: PeripheralSpec, workspace: Workspace, phase?: string): Standing => ({
  spec,
  phase: phase ?? spec.phases[0]?.id ?? null,
  mode: spec.modes[0] ?? 'execute',
  role: 'admin',
  stopped: false,
  spent: { steps: 0, sessionSteps: 0, seconds: 0, output: 0 },
  alike: 0,
  workspace,
  kept: () => null,
  sandboxless: async () => null,
  hold: async () => null,
  hopless: async () => null,
  // What its server says of it is known once it runs.
  source: async () =>
    ok({ pin: 'none', sandbox: spec.sandbox, wrong: () => null, call: async () => ({ text: '', failed: null }) }),
  decision: { kind: 'none' },
})
