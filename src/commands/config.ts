import { join } from 'node:path'
import type { Command } from 'commander'
import { explainHouse } from '../config/load.ts'
import { folderAt, secretsOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { refuseOpenSecrets, secretNames } from '../house/secret-names.ts'
import { secretVariable } from '../lib/secret-variable.ts'
import { endpointIn } from '../traces/traces.ts'
import { print } from './print.ts'

type Flags = { json?: boolean; check?: boolean }

/** `bellhop config`: what holds, and where each value comes from. Whether a secret is given is said, and nothing of it. */
export const configCommand = (command: Command, settingsFrom: (flags: object) => Settings): void => {
  command
    .description('the configuration that holds here, and where each value comes from')
    .option('--check', 'say only whether it is right')
    .option('--json', 'as one JSON value')
    .action((flags: Flags) => {
      const settings = settingsFrom(flags)
      const told = effective(settings)
      if (flags.check) {
        refuseUnstartable(settings)
        return print(flags.json ? JSON.stringify({ ok: true }) : 'the configuration is right')
      }
      print(flags.json ? JSON.stringify({ ok: true, ...told }, null, 2) : textOf(told))
    })
}

/** What else a start would refuse: the secrets that several machines share, and where traces go to. */
const refuseUnstartable = ({ data, secretsFile, variables = {} }: Settings): void => {
  if (secretsFile) secretsOf(folderAt(data), secretsFile)
  endpointIn(variables)
}

type Value = { value: unknown; from: string }
type Effective = { options: Record<string, Value>; secrets: Record<string, Value>; config: Record<string, Value> }

const effective = (settings: Settings): Effective => {
  const { root, configFile, workspace, data, verbose, health, from = {}, variables = {}, secretsFile = null } = settings
  const house = explainHouse(join(root, 'config'), configFile, settings)
  refuseOpenSecrets(settings, house.config)
  const option = (name: string, value: unknown): Value => ({ value, from: from[name] ?? 'default' })
  const secrets = secretNames(house.config).map((name): [string, Value] => {
    const given = secretVariable(name, variables) !== null
    const by = variables[name] ? name : `${name}_FILE`
    return [name, given ? { value: 'given', from: by } : { value: 'not given', from: 'default' }]
  })
  return {
    options: {
      workspace: option('workspace', workspace),
      data: option('data', data),
      config: option('config', configFile),
      verbose: option('verbose', verbose),
      queues: option('queues', settings.queues ?? 'all'),
      workers: {
        value: settings.workers ?? house.config.worker.processes,
        from: from['workers'] ?? house.from(['worker', 'processes']),
      },
      health: health
        ? { value: `${health.host}:${health.port}`, from: 'BELLHOP_HEALTH_PORT' }
        : { value: null, from: 'default' },
      secrets: secretsFile
        ? { value: secretsFile, from: 'BELLHOP_SECRETS_FILE' }
        : { value: join(data, 'secrets.json'), from: 'default' },
    },
    secrets: Object.fromEntries(secrets),
    config: {
      ...Object.fromEntries(
        leavesOf(house.config).map(({ path, value }) => [
          path.join('.'),
          { value: withoutSecrets(path, value), from: house.from(path) },
        ]),
      ),
      ...logged(settings),
    },
  }
}

/** What holds of the log by options of its own, whatever the config has. */
const logged = ({ log, variables = {} }: Settings): Record<string, Value> => ({
  ...(log?.to
    ? { 'log.to': { value: log.to, from: variables['BELLHOP_LOG'] === log.to ? 'BELLHOP_LOG' : '--log' } }
    : {}),
  ...(log?.level ? { 'log.level': { value: log.level, from: 'BELLHOP_LOG_LEVEL' } } : {}),
})

type Leaf = { path: string[]; value: unknown }

/** Every value by itself; lists are whole, as they are in files. */
const leavesOf = (value: unknown, path: string[] = []): Leaf[] => {
  const isPart = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  if (!isPart) return value === undefined ? [] : [{ path, value }]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}

/** Secrets do not belong into a config; where one could be all the same, it is not shown. */
const withoutSecrets = (path: readonly string[], value: unknown): unknown => {
  if (path[0] === 'servers' && path[2] === 'env') return '…'
  if (Array.isArray(value)) return value.map((one) => withoutSecrets([], one))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets([], inner)]))
  return typeof value === 'string' ? value.replace(/\/\/[^/@\s]*@/g, '//…@') : value
}

const textOf = ({ options, secrets, config }: Effective): string => {
  const rows = [options, secrets, config].map((part) =>
    Object.entries(part).map(([name, { value, from }]) => [name, JSON.stringify(value), from] as const),
  )
  const all = rows.flat()
  const wide = (column: 0 | 1, most: number) =>
    Math.max(...all.map((row) => row[column].length).filter((n) => n <= most))
  const [names, values] = [wide(0, 40), wide(1, 40)]
  return rows
    .map((part) => part.map(([name, value, from]) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${from}`))
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
