import { BY_HAND } from '../shapes/agent.ts'
import type { Config } from '../shapes/config.ts'
import { type IrcConfig, isChannelOf } from '../shapes/networks.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Budget } from '../shapes/usage.ts'
import { complaintOf, type Source, type Wrong } from './yaml.ts'

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
      ...wrongNetworks(config),
      ...wrongPeople(config),
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
  if (wrong.length > 0) throw complaintOf(wrong, source)
}

const wrongWord = (word: string, i: number): string | null => {
  if (i === 0 && /^-|\s/.test(word)) return `"${word}" is no program: the words of a command are items of a list`
  return /[<>\0]/.test(word)
    ? 'the words of a command are taken as they are, without < and >: put it into a script'
    : null
}

/** `@all` is everybody, and a receipt is named after its message as a turn is after its agent. */
const RESERVED = ['all', 'receipt', 'nobody', 'default', BY_HAND]

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

/** Every channel leads to a room that is there, and a room has one channel on a network: else what is said would go round. */
const wrongNetworks = ({ networks, rooms, agents }: Config): Wrong[] =>
  Object.entries(networks).flatMap(([name, network]): Wrong[] => {
    const ids = rooms.map(({ id }) => id)
    const led = Object.values(network.channels)
    const path = ['networks', name, 'channels']
    return [
      ...Object.entries(network.channels)
        .filter(([, room]) => !ids.includes(room))
        .map(([channel, room]) => ({
          path: [...path, channel],
          what: `there is no room ${room}; there is ${ids.join(', ')}`,
        })),
      ...[...new Set(led.filter((room, i) => led.indexOf(room) !== i))].map((room) => ({
        path,
        what: `two channels lead to ${room}: give each a room of its own`,
      })),
      ...(network.kind === 'irc' ? wrongIrc(name, network, agents) : []),
    ]
  })

const wrongIrc = (name: string, irc: IrcConfig, agents: Config['agents']): Wrong[] => {
  const path = ['networks', name]
  const odd = Object.keys(irc.channels).filter((channel) => !isChannelOf('irc', channel))
  const strangers = Object.keys(irc.agents).filter((id) => !agents.some((agent) => agent.id === id))
  return [
    ...odd.map((channel) => ({
      path: [...path, 'channels', channel],
      what: 'expected a channel such as "#team", in quotes',
    })),
    ...strangers.map((id) => ({ path: [...path, 'agents', id], what: `there is no agent ${id}` })),
    ...(irc.account !== undefined && irc.secret === undefined && irc.certificate === undefined
      ? [{ path: [...path, 'account'], what: 'expected `secret` beside it: the variable with the password' }]
      : []),
    ...(irc.sasl === 'external' && irc.certificate === undefined
      ? [{ path: [...path, 'sasl'], what: 'expected `certificate` beside it: the file with ours and its key' }]
      : []),
    ...((irc.ca ?? irc.certificate) !== undefined && !irc.tls
      ? [{ path: [...path, 'tls'], what: 'certificates are for TLS, and it is off' }]
      : []),
  ]
}

/** A person's accounts are on networks that are there, and each is one person's; nobody is called like an agent. */
const wrongPeople = ({ people, networks, agents, rooms }: Config): Wrong[] => {
  const taken = [...agents.flatMap(({ id, type }) => [id, type]), 'bellhop', 'all']
  const places = [...rooms.map(({ id }) => id), ...Object.keys(networks)]
  const owners = new Map<string, string>()
  return Object.entries(people).flatMap(([name, { accounts, roles }]): Wrong[] => {
    const path = ['people', name]
    const others = accounts.map((account) => owners.get(account))
    for (const account of accounts) owners.set(account, name)
    return [
      ...(taken.includes(name.toLowerCase()) ? [{ path, what: `"${name}" is the name of an agent` }] : []),
      ...accounts.flatMap((account, i): Wrong[] => {
        const [network = ''] = account.split('/')
        const at = [...path, 'accounts', i]
        if (!(network in networks)) return [{ path: at, what: `there is no network ${network}` }]
        return others[i] === undefined ? [] : [{ path: at, what: `${account} is ${others[i]}'s already` }]
      }),
      ...Object.keys(roles)
        .filter((place) => !places.includes(place))
        .map((place) => ({ path: [...path, 'roles', place], what: `there is no room and no network ${place}` })),
    ]
  })
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
