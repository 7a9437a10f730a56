import type { Fruit } from '../shapes/fruit.ts'
import type { ContextKey, ExitCondition, PeripheralSpec } from '../shapes/peripheral.ts'
import { conditions } from './conditions.ts'

export type Specs = ReadonlyMap<string, PeripheralSpec>

/** Where a hop leads and on which condition, or why it cannot be. */
export type HopVerdict = { ok: true; when: ExitCondition } | { ok: false; why: string }

/** Whether one may leave a peripheral with this fruit for another: an exit leads there, and its condition is true. */
export const judgeHop = (from: PeripheralSpec, to: string, fruit: Fruit, specs: Specs): HopVerdict => {
  const destination = specs.get(to)
  const ways = from.exit.filter((exit) => exit.to.includes(to))
  if (!destination || ways.length === 0 || !destination.entry.includes(`from-${from.id}`)) {
    return { ok: false, why: `${from.id} does not lead to ${to}; it leads to ${leadsTo(from, fruit)}` }
  }
  const open = ways.find(({ when }) => conditions[when].holds(fruit))
  if (open) return { ok: true, when: open.when }
  const needed = ways.map(({ when }) => conditions[when].says).join(', or ')
  return { ok: false, why: `${from.id} leads to ${to} only when ${needed}${standsAt(fruit)}` }
}

/** Where one could go instead, now. */
const leadsTo = ({ exit }: PeripheralSpec, fruit: Fruit): string => {
  const open = exit.filter(({ when }) => conditions[when].holds(fruit)).flatMap(({ to }) => to)
  return [...new Set(open)].join(', ') || 'nowhere as things are'
}

const standsAt = ({ tests, checks = [] }: Fruit): string => {
  const failed = checks.filter(({ ok }) => !ok).map(({ name, said }) => `${name} ${said}`)
  if (failed.length > 0) return `; but ${failed.join(', ')}`
  return tests && tests.runs > 0 ? `; the tests say: ${tests.result}` : ''
}

/** What each key of the context is, from the fruit of the peripheral that is left. */
const carried: Record<ContextKey, (fruit: Fruit) => unknown> = {
  'target-files': ({ found }) => found,
  'changed-files': ({ changed = [] }) => changed.map(({ path }) => path),
  'test-result': ({ tests }) => tests && { result: tests.result, passed: tests.passed, failed: tests.failed },
  commit: ({ deploy }) => deploy?.commits.at(-1),
  review: ({ review }) => review ?? undefined,
}

type Context = Record<string, unknown>

/**
 * What goes over: what the destination declares, from the fruit, and from what was carried here before where the fruit
 * has nothing of it. Everything else stays behind.
 */
export const contextFor = ({ context }: PeripheralSpec, fruit: Fruit, before: Context): Context =>
  Object.fromEntries(
    context
      .map((key) => [key, isSomething(carried[key](fruit)) ? carried[key](fruit) : before[key]] as const)
      .filter(([, value]) => isSomething(value)),
  )

const isSomething = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0)
