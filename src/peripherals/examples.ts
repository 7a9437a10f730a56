import { Problem } from '../lib/problem.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import { gate } from '../tools/gate.ts'
import type { Workspace } from '../tools/paths.ts'

/** A spec is its own test: what it says must pass has to pass the real gate, and what must be refused, be refused. */
export const checkExamples = async (spec: PeripheralSpec, workspace: Workspace): Promise<void> => {
  const mode = spec.modes[0] ?? 'execute'
  const judge = ({ tool, args }: ToolCall) => gate({ tool, args }, { spec, mode, taken: 0, workspace })
  const complain = (what: string) => {
    throw new Problem(`config/peripherals/${spec.id}.yaml: ${what}`, 'correct the example, or the spec it belongs to')
  }
  for (const example of spec.examples.allowed) {
    const verdict = await judge(example)
    if (!verdict.ok) complain(`"${example.why}" should be allowed, but: ${verdict.refusal.message}`)
  }
  for (const example of spec.examples.refused) {
    if ((await judge(example)).ok) complain(`"${example.why}" should be refused, but the gate lets it through`)
  }
}
