import { dirname, join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { Config } from '../shapes/config.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Setting, settingsIn, type Variables } from './environment.ts'
import { loadPeripherals } from './peripherals.ts'
import { checkCommands, checkSense } from './sense.ts'
import { parse, readYaml, type Source } from './yaml.ts'

type Given = {
  host?: string | undefined
  port?: number | undefined
  /** The environment, in which keys of the config may be. */
  variables?: Variables
  /** Which option or variable the host and the port were given by. */
  from?: { readonly host?: string; readonly port?: string }
}

export type House = { config: Config; specs: ReadonlyMap<string, PeripheralSpec> }

/** A house, and where each of its values comes from: a line of a file, a variable, an option, or `default`. */
type Explained = House & { from: (path: readonly string[]) => string }

/**
 * The defaults, under what the user's file changes, under what the environment says, under what was given on the command
 * line; and the walls, with those that lie in `peripherals` beside the user's file.
 */
export const loadHouse = (folder: string, userFile: string | null, given: Given = {}): House => {
  const { config, specs } = explainHouse(folder, userFile, given)
  return { config, specs }
}

export const explainHouse = (folder: string, userFile: string | null, given: Given): Explained => {
  const defaults = readYaml(join(folder, 'default.yaml'))
  const user = userFile === null ? null : readYaml(userFile)
  const settings = settingsIn(given.variables ?? {})
  refuseDoubles(settings, given)
  const source = blaming(user, defaults, settings)
  const config = parse(
    Config,
    withFaces(merged(user ? merge(defaults.value, user.value) : defaults.value, settings)),
    source,
  )
  checkCommands(config, source)
  const users = userFile === null ? null : join(dirname(userFile), 'peripherals')
  const specs = loadPeripherals(join(folder, 'peripherals'), users, config)
  checkSense(config, specs, source)
  const http = { ...config.http, host: given.host ?? config.http.host, port: given.port ?? config.http.port }
  return { config: { ...config, http }, specs, from: (path) => originOf([...path], { user, settings, given }) }
}

/** What a file that is no map says is for the reading to complain about. */
const merged = (value: unknown, settings: readonly Setting[]): unknown =>
  isObject(value)
    ? settings.reduce<unknown>((below, { path, value: set }) => merge(below, nested(path, set)), value)
    : value

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value)

/** The host and the port have a variable of their own besides: which of the two holds is not to be guessed. */
const refuseDoubles = (settings: readonly Setting[], { from = {} }: Given): void => {
  for (const [key, by] of Object.entries(from)) {
    const other = settings.find(({ path }) => path.join('.') === `http.${key}`)
    if (other && by?.startsWith('BELLHOP_'))
      throw new Problem(`${by} and ${other.variable} both set http.${key}`, 'leave one of them out')
  }
}

type Layers = { user: Source | null; settings: readonly Setting[]; given: Given }

const originOf = (path: string[], { user, settings, given }: Layers): string => {
  const key = path.join('.')
  if (key === 'http.host' && given.host !== undefined) return given.from?.host ?? '--host'
  if (key === 'http.port' && given.port !== undefined) return given.from?.port ?? '--port'
  const variable = setterOf(path, settings)
  if (variable !== null) return variable
  return user && has(user.value, path) ? `${user.file}:${user.lineOf(path)}` : 'default'
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

/**
 * Complaints about the merged value are about what the user gave, because the defaults are known to be right: about the
 * variable that set it, about the file where that has it, else about the variables next to it.
 */
const blaming = (user: Source | null, defaults: Source, settings: readonly Setting[]): Source => {
  const source = user === null || isObject(user.value) ? (user ?? defaults) : { ...defaults, file: user.file }
  const variableOf = (path: PropertyKey[]): string | null => {
    const setter = setterOf(path, settings)
    if (setter !== null || (user !== null && has(user.value, path))) return setter
    return settersNear(path.slice(0, -1), settings, user === null ? 0 : 1)
  }
  return settings.length === 0 ? source : { ...source, variableOf }
}

/** The variable that set what is at a path; null where none did. The innermost holds. */
const setterOf = (path: readonly PropertyKey[], settings: readonly Setting[]): string | null =>
  settings.findLast((setting) => setting.path.every((key, i) => key === String(path[i])))?.variable ?? null

/** The variables that set something at a path, or as near to it as there are any; not beyond a depth. */
const settersNear = (path: readonly PropertyKey[], settings: readonly Setting[], least: number): string | null => {
  if (path.length < least) return null
  const found = settings.filter((setting) => path.every((key, i) => setting.path[i] === String(key)))
  if (found.length > 0) return found.map(({ variable }) => variable).join(', ')
  return path.length === 0 ? null : settersNear(path.slice(0, -1), settings, least)
}

const has = (value: unknown, path: readonly PropertyKey[]): boolean =>
  path.length === 0 ||
  (typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, path[0] ?? '') &&
    has(Reflect.get(value, path[0] ?? ''), path.slice(1)))
