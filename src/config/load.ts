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
  checkNames(config, source)
  return {
    ...config,
    http: { ...config.http, host: given.host ?? config.http.host, port: given.port ?? config.http.port },
  }
}

/** The walls, by id. */
export const loadPeripherals = (folder: string): Map<string, PeripheralSpec> => {
  const files = readdirSync(join(folder, 'peripherals')).filter((name) => name.endsWith('.yaml'))
  const specs = files.sort().map((name) => {
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

/** Names that stand for something else must be there, and stand for one thing only. */
const checkNames = ({ rooms, agents }: Config, source: Source): void => {
  const ids = agents.map(({ id }) => id)
  const wrong = [
    ...duplicates(ids).map((id) => ({ path: ['agents'], what: `two agents are called "${id}"` })),
    ...duplicates(rooms.map(({ id }) => id)).map((id) => ({ path: ['rooms'], what: `two rooms are called "${id}"` })),
    ...rooms.flatMap(({ listener }, i) =>
      listener === null || ids.includes(listener)
        ? []
        : [{ path: ['rooms', i, 'listener'], what: `expected one of the agents ${ids.join(', ')}, or null` }],
    ),
  ]
  if (wrong.length === 0) return
  const complaints = wrong.map(({ path, what }) => `${source.file}:${source.lineOf(path)}: ${path.join('.')}: ${what}`)
  throw new Problem(complaints.join('\n'), 'correct the file and start again')
}

const duplicates = (names: string[]): string[] => names.filter((name, i) => names.indexOf(name) !== i)
