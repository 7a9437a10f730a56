import { type Dead, deadIn } from '../peripherals/reachable.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'

type Specs = ReadonlyMap<string, PeripheralSpec>

/**
 * Takes out of the other walls what the narrowing of one has made impossible: the exit to where nobody is let in any
 * more, the entry from where nothing leads. It only ever takes away.
 */
export const settle = (specs: Specs): Map<string, PeripheralSpec> => {
  const dead = deadIn(specs)
  const settled = new Map([...specs].map(([id, spec]) => [id, without(spec, dead)]))
  const changed = [...settled].some(([id, spec]) => spec !== specs.get(id))
  return changed ? settle(settled) : settled
}

const without = (spec: PeripheralSpec, dead: readonly Dead[]): PeripheralSpec => {
  const gone = new Set(dead.filter(({ peripheral }) => peripheral === spec.id).map(({ path }) => path.join('.')))
  const isLeft = (...path: PropertyKey[]) => !gone.has(path.join('.'))
  const next = {
    exit: spec.exit
      .flatMap(({ when, to }, i) =>
        isLeft('exit', i, 'when') ? [{ when, to: to.filter((_name, j) => isLeft('exit', i, 'to', j)) }] : [],
      )
      .filter(({ to }) => to.length > 0),
    entry: spec.entry.filter((_way, i) => isLeft('entry', i)),
    context: spec.context.filter((_key, i) => isLeft('context', i)),
  }
  const same = JSON.stringify(next) === JSON.stringify({ exit: spec.exit, entry: spec.entry, context: spec.context })
  return same ? withoutHop(spec) : { ...spec, ...next }
}

/** Where there is no exit left, there is nothing to hop with; a wall keeps one tool at least. */
const withoutHop = (spec: PeripheralSpec): PeripheralSpec => {
  const idle = spec.exit.length === 0 && spec.tools.includes('hop') && spec.tools.length > 1
  if (!idle) return spec
  const others = <T extends string>(tools: readonly T[]): T[] => tools.filter((tool) => tool !== 'hop')
  return {
    ...spec,
    tools: others(spec.tools),
    phases: spec.phases.map((phase) => ({ ...phase, tools: others(phase.tools) })),
    approval: { ...spec.approval, tools: others(spec.approval.tools) },
  }
}
