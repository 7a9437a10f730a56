import { Problem } from '../lib/problem.ts'
import type { Config } from '../shapes/config.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Budget } from '../shapes/usage.ts'
import { type Source, told, type Wrong } from './yaml.ts'

type Specs = ReadonlyMap<string, PeripheralSpec>

/** What the shapes cannot say: names stand for something that is there, and for one thing; a lease outlives its beats. */
export const checkSense = (config: Config, specs: Specs, source: Source): void =>
  complain(
    [
      ...wrongAgents(config, [...specs.keys()]),
      ...unusedChecks(config, specs),
      ...unusedServers(config, specs),
      ...wrongRooms(config),
      ...wrongProfiles(config),
      ...wrongPrices(config),
      ...wrongBudgets(config),
      ...wrongLease(config),
    ],
    source,
  )

/** The commands of the config are run as they are: what would stand for something else in a wall is an error. */
export const checkCommands = ({ checks, deploys }: Config, source: Source): void => {
  const wrong = Object.entries({ checks, deploys }).flatMap(([list, commands]) =>
    Object.entries(commands).flatMap(([name, argv]) =>
      argv.flatMap((word, i): Wrong[] => {
        const what = wrongWord(word, i)
        return what === null ? [] : [{ path: [list, name, i], what }]
      }),
    ),
  )
  complain(wrong, source)
}

const complain = (wrong: readonly Wrong[], source: Source): void => {
  if (wrong.length > 0) throw new Problem(told(wrong, source).join('\n'), 'correct the file and start again')
}

const wrongWord = (word: string, i: number): string | null => {
  if (i === 0 && /^-|\s/.test(word)) return `"${word}" is no program: the words of a command are items of a list`
  return /[<>\0]/.test(word)
    ? 'the words of a command are taken as they are, without < and >: put it into a script'
    : null
}

/** `@all` is everybody, and a receipt is named after its message as a turn is after its agent. */
const RESERVED = ['all', 'receipt']

const wrongAgents = ({ agents }: Config, peripherals: string[]): Wrong[] => [
  ...duplicates(agents).map((id) => ({ path: ['agents'], what: `two agents are called "${id}"` })),
  ...agents
    .filter(({ id }) => RESERVED.includes(id))
    .map(({ id }) => ({ path: ['agents'], what: `"${id}" cannot be an agent's name` })),
  ...agents.flatMap(({ peripheral, peripherals: own = peripherals }, i): Wrong[] => {
    const at = ['agents', i]
    if (!peripherals.includes(peripheral)) {
      return [{ path: [...at, 'peripheral'], what: `expected one of the peripherals ${peripherals.join(', ')}` }]
    }
    const unknown = own.filter((id) => !peripherals.includes(id))
    return [
      ...unknown.map((id) => ({
        path: [...at, 'peripherals', own.indexOf(id)],
        what: `there is no peripheral ${id}; there is ${peripherals.join(', ')}`,
      })),
      ...(own.includes(peripheral)
        ? []
        : [{ path: [...at, 'peripherals'], what: `expected ${peripheral} among them, where it starts` }]),
    ]
  }),
]

const unusedChecks = ({ checks }: Config, specs: Specs): Wrong[] => {
  const named = [...new Set([...specs.values()].flatMap((spec) => spec.checks))]
  return Object.keys(checks)
    .filter((name) => !named.includes(name))
    .map((name) => ({
      path: ['checks', name],
      what: `no peripheral runs it; those that are run are ${named.join(', ') || 'none'}`,
    }))
}

const unusedServers = ({ servers }: Config, specs: Specs): Wrong[] => {
  const tools = [...specs.values()].flatMap((spec) => spec.tools)
  return Object.keys(servers)
    .filter((name) => !tools.some((tool) => tool.startsWith(`${name}.`)))
    .map((name) => ({ path: ['servers', name], what: 'no peripheral has a tool of it: name one as NAME.TOOL' }))
}

const wrongRooms = ({ rooms, agents }: Config): Wrong[] => {
  const ids = agents.map(({ id }) => id)
  return [
    ...duplicates(rooms).map((id) => ({ path: ['rooms'], what: `two rooms are called "${id}"` })),
    ...rooms.flatMap(({ listener }, i): Wrong[] =>
      listener === null || ids.includes(listener)
        ? []
        : [{ path: ['rooms', i, 'listener'], what: `expected one of the agents ${ids.join(', ')}, or null` }],
    ),
  ]
}

const wrongProfiles = ({ profile, profiles }: Config): Wrong[] => {
  const names = Object.keys(profiles)
  return [
    ...(profile === null || names.includes(profile)
      ? []
      : [{ path: ['profile'], what: `expected one of the profiles ${names.join(', ')}, or null` }]),
    ...(names.includes('none')
      ? [{ path: ['profiles', 'none'], what: '"none" cannot be a profile\'s name: it takes a profile back' }]
      : []),
  ]
}

const wrongPrices = ({ prices }: Config): Wrong[] =>
  Object.keys(prices.models)
    .filter((name) => name.slice(0, -1).includes('*'))
    .map((name) => ({
      path: ['prices', 'models', name],
      what: 'a star stands for the rest of a name, and only at its end',
    }))

/** Where nothing has a price, a budget in dollars is never used up. */
const wrongBudgets = ({ agents, profiles, prices }: Config): Wrong[] => {
  if (Object.keys(prices.models).length > 0) return []
  const budgets = [
    ...agents.map(({ budget }, i) => ({ path: ['agents', i, 'budget'], budget })),
    ...Object.entries(profiles).map(([name, { budget }]) => ({ path: ['profiles', name, 'budget'], budget })),
  ]
  return budgets
    .filter(({ budget }) => isInDollars(budget))
    .map(({ path }) => ({
      path,
      what: 'nothing has a price, so dollars are not counted: say under prices what models cost, or bound tokens',
    }))
}

const isInDollars = (budget: Budget): boolean => Object.values(budget).some((allowance) => allowance?.usd !== undefined)

const wrongLease = ({ lease }: Config): Wrong[] =>
  lease.heartbeatMs * 2 > lease.ms
    ? [{ path: ['lease', 'heartbeatMs'], what: `expected at most half of lease.ms, which is ${lease.ms}` }]
    : []

const duplicates = (named: readonly { id: string }[]): string[] =>
  named.map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) !== i)
