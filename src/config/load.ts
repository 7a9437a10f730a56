import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { Config } from '../shapes/config.ts'
import { PeripheralSpec } from '../shapes/peripheral.ts'
import { parse, readYaml, type Source } from './yaml.ts'

type Given = { host?: string | undefined; port?: number | undefined }

/** The defaults, under what the user's file changes, under what was given on the command line. */
export const loadConfig = (folder: string, userFile: string | null, given: Given = {}): Config => {
  const defaults = readYaml(join(folder, 'default.yaml'))
  const user = userFile === null ? null : readYaml(userFile)
  const source = user ? blaming(user, defaults) : defaults
  const merged = user ? merge(defaults.value, user.value) : defaults.value
  const config = parse(Config, merged, source)
  checkSense(config, [...loadPeripherals(folder).keys()], source)
  return {
    ...config,
    http: { ...config.http, host: given.host ?? config.http.host, port: given.port ?? config.http.port },
  }
}

/** The walls, by id. */
export const loadPeripherals = (folder: string): Map<string, PeripheralSpec> => {
  const specs = readdirSync(join(folder, 'peripherals'))
    .sort()
    .map((name) => {
      if (!name.endsWith('.yaml'))
        throw new Problem(
          `${join(folder, 'peripherals', name)}: expected a name that ends in .yaml`,
          'rename or remove it',
        )
      const source = readYaml(join(folder, 'peripherals', name))
      const spec = parse(PeripheralSpec, source.value, source)
      if (`${spec.id}.yaml` === name) return spec
      throw new Problem(
        `${source.file}:${source.lineOf(['id'])}: id: expected "${name.slice(0, -5)}", as the file is named`,
        'rename one of them',
      )
    })
  return new Map(specs.map((spec) => [spec.id, spec]))
}

/** Objects are merged key by key; lists and plain values are replaced whole. */
const merge = (below: unknown, above: unknown): unknown => {
  if (!isObject(below) || !isObject(above)) return above
  const keys = new Set([...Object.keys(below), ...Object.keys(above)])
  return Object.fromEntries([...keys].map((key) => [key, key in above ? merge(below[key], above[key]) : below[key]]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Complaints about the merged value are about the user's file: the defaults are known to be right. */
const blaming = (user: Source, defaults: Source): Source =>
  isObject(user.value) ? user : { ...defaults, file: user.file }

/** `@all` is everybody, and a receipt is named after its message as a turn is after its agent. */
const RESERVED = ['all', 'receipt']

/** What the shapes cannot say: names stand for something that is there, and for one thing; a lease outlives its beats. */
const checkSense = ({ rooms, agents, lease }: Config, peripherals: string[], source: Source): void => {
  const ids = agents.map(({ id }) => id)
  const wrong = [
    ...duplicates(ids).map((id) => ({ path: ['agents'], what: `two agents are called "${id}"` })),
    ...ids
      .filter((id) => RESERVED.includes(id))
      .map((id) => ({ path: ['agents'], what: `"${id}" cannot be an agent's name` })),
    ...duplicates(rooms.map(({ id }) => id)).map((id) => ({ path: ['rooms'], what: `two rooms are called "${id}"` })),
    ...unknown(
      agents.map(({ peripheral }) => peripheral),
      peripherals,
    ).map((i) => ({
      path: ['agents', i, 'peripheral'],
      what: `expected one of the peripherals ${peripherals.join(', ')}`,
    })),
    ...unknown(
      rooms.map(({ listener }) => listener ?? ids[0] ?? ''),
      ids,
    ).map((i) => ({
      path: ['rooms', i, 'listener'],
      what: `expected one of the agents ${ids.join(', ')}, or null`,
    })),
    ...(lease.heartbeatMs * 2 > lease.ms
      ? [{ path: ['lease', 'heartbeatMs'], what: `expected at most half of lease.ms, which is ${lease.ms}` }]
      : []),
  ]
  if (wrong.length === 0) return
  const complaints = wrong.map(({ path, what }) => `${source.file}:${source.lineOf(path)}: ${path.join('.')}: ${what}`)
  throw new Problem(complaints.join('\n'), 'correct the file and start again')
}

/** Where a name stands for nothing. */
const unknown = (names: string[], known: string[]): number[] =>
  names.flatMap((name, i) => (known.includes(name) ? [] : [i]))

const duplicates = (names: string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i)
