import { dirname, join } from 'node:path'
import { Config } from '../shapes/config.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { loadPeripherals } from './peripherals.ts'
import { checkCommands, checkSense } from './sense.ts'
import { parse, readYaml, type Source } from './yaml.ts'

type Given = { host?: string | undefined; port?: number | undefined }

export type House = { config: Config; specs: ReadonlyMap<string, PeripheralSpec> }

/**
 * The defaults, under what the user's file changes, under what was given on the command line; and the walls, with those
 * that lie in `peripherals` beside the user's file.
 */
export const loadHouse = (folder: string, userFile: string | null, given: Given = {}): House => {
  const defaults = readYaml(join(folder, 'default.yaml'))
  const user = userFile === null ? null : readYaml(userFile)
  const source = user ? blaming(user, defaults) : defaults
  const config = parse(Config, user ? merge(defaults.value, user.value) : defaults.value, source)
  checkCommands(config, source)
  const users = userFile === null ? null : join(dirname(userFile), 'peripherals')
  const specs = loadPeripherals(join(folder, 'peripherals'), users, config)
  checkSense(config, specs, source)
  const http = { ...config.http, host: given.host ?? config.http.host, port: given.port ?? config.http.port }
  return { config: { ...config, http }, specs }
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
