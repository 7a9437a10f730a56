import { lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { deadIn } from '../peripherals/reachable.ts'
import type { Config } from '../shapes/config.ts'
import {
  type CommandPurpose,
  type CommandRule,
  isOwnTool,
  PeripheralFile,
  PeripheralSpec,
  sourceOf,
} from '../shapes/peripheral.ts'
import { matchCommand } from '../tools/commands.ts'
import { isNarrowing, narrow } from './narrow.ts'
import { settle } from './settle.ts'
import { parse, readYaml, type Source, told, type Wrong } from './yaml.ts'

/** What of the config walls can name. */
type Commands = Pick<Config, 'checks' | 'deploys'> & Partial<Pick<Config, 'servers'>>
type Specs = ReadonlyMap<string, PeripheralSpec>

/** A wall, and how to say where in its file something of it stands. */
type Loaded = { spec: PeripheralSpec; tell: (wrong: Wrong) => string }

/** The walls, by id: Bellhop's own, and those of the user, who may add some and narrow others. */
export const loadPeripherals = (
  folder: string,
  users: string | null,
  commands: Commands,
): Map<string, PeripheralSpec> => {
  const given = users !== null && isThere(users) ? filesIn(users) : []
  const walls = new Map<string, Loaded>()
  for (const source of filesIn(folder)) add(specFrom(source, commands), source, walls)
  for (const source of given.filter(({ value }) => !isNarrowing(value))) add(specFrom(source, commands), source, walls)
  const specs = specsOf(walls)
  complain(wrongIn(specs, commands).map(({ peripheral, ...wrong }) => walls.get(peripheral)?.tell(wrong) ?? wrong.what))

  const narrowings = given.filter(({ value }) => isNarrowing(value))
  if (narrowings.length === 0) return specs
  const narrower = narrowBy(narrowings, specs)
  complain(wrongIn(narrower.specs, commands).map(narrower.tell))
  return narrower.specs
}

const complain = (wrongs: string[]): void => {
  if (wrongs.length === 0) return
  throw new Problem(wrongs.join('\n'), 'correct the peripherals: what they declare must be able to happen')
}

/** A link that leads nowhere is there: what the user has narrowed is not passed over. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const filesIn = (folder: string): Source[] =>
  namesIn(folder).map((name) => {
    if (name.endsWith('.yaml')) return readYaml(join(folder, name))
    throw new Problem(`${join(folder, name)}: expected a name that ends in .yaml`, 'rename or remove it')
  })

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    throw new Problem(
      `cannot read the peripherals in ${folder}: ${(error as Error).message}`,
      'make it a folder with a file for each peripheral, or remove it',
    )
  }
}

const add = (loaded: Loaded, source: Source, walls: Map<string, Loaded>): void => {
  const { id } = loaded.spec
  if (walls.has(id)) {
    throw new Problem(
      told([{ path: ['id'], what: `there is a peripheral ${id} already` }], source).join('\n'),
      `to make it narrower, begin the file with "narrows: ${id}" and name only what differs; else choose another id`,
    )
  }
  walls.set(id, loaded)
}

const specsOf = (walls: ReadonlyMap<string, Loaded>): Map<string, PeripheralSpec> =>
  new Map([...walls].map(([id, { spec }]) => [id, spec]))

const specFrom = (source: Source, commands: Commands): Loaded => {
  const file = parse(PeripheralFile, source.value, source)
  const name = basename(source.file, '.yaml')
  if (file.id !== name) {
    const what = `expected "${name}", as the file is named`
    throw new Problem(told([{ path: ['id'], what }], source).join('\n'), 'rename one of them')
  }
  const rules = file.commands.flatMap((rule, line) => spelledOut(rule, commands).map((spelled) => ({ line, spelled })))
  const spec = PeripheralSpec.parse({ ...file, commands: rules.map(({ spelled }) => spelled) })
  /** A command of the config stands in the file where its list is named. */
  const inFile = (path: PropertyKey[]): PropertyKey[] =>
    path[0] === 'commands' ? path.map((key) => (typeof key === 'number' ? (rules[key]?.line ?? key) : key)) : path
  return { spec, tell: ({ path, what }) => told([{ path: inFile(path), what }], source).join('\n') }
}

/** A rule; or where it names a list of the config, one rule for each command there, its words taken as they are. */
const spelledOut = (rule: PeripheralFile['commands'][number], commands: Commands): CommandRule[] => {
  if (!('config' in rule)) return [rule]
  const { config, ...rest } = rule
  return Object.entries(commands[config]).map(([name, argv]) => ({ ...rest, for: purposeOf(rest.for, name), argv }))
}

/** Of the checks, only `tests` is a test: that the lint found nothing does not say that anything works. */
const purposeOf = (purpose: CommandPurpose, name: string): CommandPurpose =>
  purpose === 'test' && name !== 'tests' ? 'check' : purpose

/** What a set of walls has that can never come true, the checks they do not let run, and servers there are not. */
const wrongIn = (specs: Specs, { checks, servers = {} }: Commands): (Wrong & { peripheral: string })[] => [
  ...deadIn(specs),
  ...[...specs.values()].flatMap((spec) => unknownServers(spec, Object.keys(servers))),
  ...[...specs.values()].flatMap(({ id, checks: names, tools, commands }) =>
    names.flatMap((name, i) => {
      const argv = checks[name]
      const runs = argv === undefined || (tools.includes('run') && matchCommand(commands, argv) !== null)
      const what = `it runs the check ${name} when it is left, and no tool or command of it can`
      return runs ? [] : [{ peripheral: id, path: ['checks', i], what }]
    }),
  ),
]

const unknownServers = ({ id, tools }: PeripheralSpec, servers: readonly string[]) =>
  tools.flatMap((tool, i) => {
    if (isOwnTool(tool) || servers.includes(sourceOf(tool).server)) return []
    const known = servers.length > 0 ? `there is ${servers.join(', ')}` : 'there is none'
    const what = `${tool} is of a server that is not among servers in the config; ${known}`
    return [{ peripheral: id, path: ['tools', i], what }]
  })

/** The walls after all files that narrow them, in the order of their names; and how to say whose fault something is. */
const narrowBy = (narrowings: readonly Source[], specs: Specs) => {
  const narrower = new Map(specs)
  const sources = new Map<string, Source>()
  for (const source of narrowings) {
    const spec = narrow(source, narrower)
    narrower.set(spec.id, spec)
    sources.set(spec.id, source)
  }
  const tell = ({ peripheral, path, what }: Wrong & { peripheral: string }): string => {
    const source = sources.get(peripheral)
    if (source) return told([{ path: path.slice(0, 1), what }], source).join('\n')
    return `${[...sources.values()].map(({ file }) => file).join(', ')}: with this, ${peripheral}: ${what}`
  }
  return { specs: settle(narrower), tell }
}
