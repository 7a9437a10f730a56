import type { AnyTool, Domain, PeripheralSpec } from '../shapes/peripheral.ts'
import { CycleOutput, CyclePhase } from '../shapes/undertaking.ts'

/** Something that a wall declares and that can never come true: where it stands in its file, and a sentence. */
export type Idle = { path: PropertyKey[]; what: string }

type Phases = PeripheralSpec['phases']
type Cyclic = { phases: Phases; tools: readonly AnyTool[]; cycle: Domain }

/**
 * What is wrong with the phases of a cycle: they are those of the machine, in its order; one gets into each of them and out
 * of it again, on, back, or by giving the cycle up; and what they owe is what can be held against something.
 */
export const idleCycle = ({ phases, tools, cycle }: Cyclic): Idle[] => {
  const names = phases.map(({ id }) => id)
  const proper = CyclePhase.options.join(', ')
  if (names.join(', ') !== proper) return [{ path: ['phases'], what: `the phases of a cycle are ${proper}` }]
  return phases.flatMap((phase, i) => [
    ...strangeIn(phase, i, tools),
    ...lackingIn(phase, i, cycle),
    ...(phase.back ?? []).flatMap((id, j): Idle[] =>
      names.indexOf(id) > 0 && names.indexOf(id) < i
        ? []
        : [{ path: ['phases', i, 'back', j], what: `${phase.id} leads back to ${id}, which is no phase before it` }],
    ),
  ])
}

type Phase = Phases[number]

const strangeIn = ({ id, tools: has, outputs }: Phase, i: number, tools: readonly AnyTool[]): Idle[] => [
  ...has.flatMap((tool, j): Idle[] =>
    tools.includes(tool) ? [] : [{ path: ['phases', i, 'tools', j], what: `${id} has ${tool}, which is not its tool` }],
  ),
  ...outputs.flatMap((name, j): Idle[] =>
    CycleOutput.safeParse(name).success
      ? []
      : [
          {
            path: ['phases', i, 'outputs', j],
            what: `${id} owes ${name}, which nothing is held against; there is ${CycleOutput.options.join(', ')}`,
          },
        ],
  ),
]

/** Without these, nobody gets in, on, back or out. */
const lackingIn = ({ id, tools, back = [] }: Phase, i: number, cycle: Domain): Idle[] => {
  const onwards = ['advance', 'cycle-end', ...(back.length > 0 ? ['cycle-back'] : [])]
  const needs: string[] = id === 'setup' ? [`${cycle}-load`, 'cycle-begin'] : onwards
  const has: readonly string[] = tools
  return needs
    .filter((tool) => !has.includes(tool))
    .map((tool) => ({ path: ['phases', i, 'tools'], what: `${id} is a dead end without ${tool}` }))
}
