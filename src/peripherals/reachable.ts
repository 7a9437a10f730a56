import type { ContextKey, EntryCondition, PeripheralSpec } from '../shapes/peripheral.ts'
import { conditions, makes } from './conditions.ts'
import { type Idle, idleIn } from './declared.ts'
import type { Specs } from './hops.ts'

/** Something that can never come true, and the peripheral that declares it. */
export type Dead = Idle & { peripheral: string }

/**
 * What in a set of walls can never come true: a tool without anything it could do, a phase nobody gets to, a condition
 * that no stay can bring about, a hop that its destination does not let in.
 */
export const deadIn = (specs: Specs): Dead[] => {
  const entered = enteredIn(specs)
  return [...specs.values()].flatMap((spec) =>
    [
      ...idleIn(spec),
      ...deadExits(spec, specs),
      ...deadEntries(spec, specs),
      ...(entered.has(spec.id) ? [] : [{ path: ['entry'], what: 'nobody ever gets in' }]),
      ...deadContext(spec, specs),
    ].map((idle) => ({ peripheral: spec.id, ...idle })),
  )
}

/** The same, in one sentence each. */
export const unreachable = (specs: Specs): string[] =>
  deadIn(specs).map(({ peripheral, what }) => `${peripheral}: ${what}`)

const deadExits = (spec: PeripheralSpec, specs: Specs): Idle[] =>
  spec.exit.flatMap(({ when, to }, i) => [
    ...(conditions[when].possible(spec)
      ? []
      : [{ path: ['exit', i, 'when'], what: `it can never be left when ${when}: nothing here brings that about` }]),
    ...to.flatMap((name, j): Idle[] => {
      const wrong = wrongWay(spec, name, specs)
      return wrong === null ? [] : [{ path: ['exit', i, 'to', j], what: `it leads to ${name}, ${wrong}` }]
    }),
  ])

/** Why nobody gets from one peripheral to another by an exit of the first; null where one can. */
const wrongWay = (spec: PeripheralSpec, name: string, specs: Specs): string | null => {
  const destination = specs.get(name)
  if (!destination) return `which there is not; there is ${[...specs.keys()].join(', ')}`
  if (!destination.entry.includes(`from-${spec.id}`)) return 'which does not let it in'
  return spec.modes.some((mode) => destination.modes.includes(mode)) ? null : 'and no mode opens both'
}

const deadEntries = (spec: PeripheralSpec, specs: Specs): Idle[] =>
  spec.entry.flatMap((way, i): Idle[] => {
    const wrong = wrongEntry(way, spec, specs)
    return wrong === null ? [] : [{ path: ['entry', i], what: `it lets in ${way}, ${wrong}` }]
  })

const wrongEntry = (way: EntryCondition, spec: PeripheralSpec, specs: Specs): string | null => {
  if (way === 'user-request') return null
  if (way === 'tests-passed') {
    return [...specs.values()].some(conditions.pass.possible) ? null : 'and nothing runs tests'
  }
  const from = specs.get(way.slice('from-'.length))
  return from && leads(from, spec) ? null : 'from where nothing leads here'
}

const leads = (from: PeripheralSpec, to: PeripheralSpec): boolean => from.exit.some((exit) => exit.to.includes(to.id))

/** The peripherals that somebody gets into: at a person's wish, or after tests, and from there by hops. */
const enteredIn = (specs: Specs): Set<string> => {
  const entered = new Set([...specs.values()].filter((spec) => begins(spec, specs)).map(({ id }) => id))
  // A set that is added to goes on with what was added.
  for (const id of entered) for (const name of leadsTo(id, specs)) entered.add(name)
  return entered
}

const begins = (spec: PeripheralSpec, specs: Specs): boolean =>
  (['user-request', 'tests-passed'] as const).some(
    (way) => spec.entry.includes(way) && wrongEntry(way, spec, specs) === null,
  )

const leadsTo = (id: string, specs: Specs): string[] => {
  const spec = specs.get(id)
  if (!spec) return []
  const open = spec.exit.filter(({ when }) => conditions[when].possible(spec)).flatMap(({ to }) => to)
  return open.filter((name) => wrongWay(spec, name, specs) === null)
}

const deadContext = (spec: PeripheralSpec, specs: Specs): Idle[] =>
  spec.context.flatMap((key, i): Idle[] =>
    isCarried(key, spec, specs)
      ? []
      : [{ path: ['context', i], what: `it takes over ${key}, which nothing that leads here has` }],
  )

/** Whether a key can come to a peripheral: made in one that leads here, or taken over there and carried on. */
const isCarried = (key: ContextKey, spec: PeripheralSpec, specs: Specs, seen = new Set<string>()): boolean => {
  if (seen.has(spec.id)) return false
  seen.add(spec.id)
  return [...specs.values()]
    .filter((source) => leads(source, spec))
    .some((source) => makes[key](source) || (source.context.includes(key) && isCarried(key, source, specs, seen)))
}
