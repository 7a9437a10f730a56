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
  const config = parse(Config, withFaces(user ? merge(defaults.value, user.value) : defaults.value), source)
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

/**
 * A room that a channel of a network leads to is open to that face: it need not be said twice. It is done before the config
 * is read, because what a room may do by itself depends on its faces; what is not as it should be is left to the reading.
 */
const withFaces = (value: unknown): unknown => {
  if (!isObject(value) || !Array.isArray(value['rooms'])) return value
  const networks = Object.values(isObject(value['networks']) ? value['networks'] : {}).filter(isObject)
  const facesOf = (room: unknown): unknown[] =>
    networks
      .filter(({ channels }) => isObject(channels) && Object.values(channels).includes(room))
      .map(({ kind }) => kind)
  return { ...value, rooms: value['rooms'].map((room: unknown) => opened(room, facesOf)) }
}

const opened = (room: unknown, facesOf: (room: unknown) => unknown[]): unknown =>
  isObject(room) && Array.isArray(room['faces'])
    ? { ...room, faces: [...new Set([...room['faces'], ...facesOf(room['id'])])] }
    : room

/** Complaints about the merged value are about the user's file: the defaults are known to be right. */
const blaming = (user: Source, defaults: Source): Source =>
  isObject(user.value) ? user : { ...defaults, file: user.file }
