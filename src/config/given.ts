import { Problem } from '../lib/problem.ts'
import { QUEUES, type QueueName } from '../shapes/queue.ts'
import type { Variables } from './environment.ts'

/** The options that a process can be started with, and the variable that each has besides. */
const OPTIONS = {
  workspace: 'BELLHOP_WORKSPACE',
  data: 'BELLHOP_DATA',
  config: 'BELLHOP_CONFIG',
  host: 'BELLHOP_HOST',
  port: 'BELLHOP_PORT',
  verbose: 'BELLHOP_VERBOSE',
  queues: 'BELLHOP_QUEUES',
  workers: 'BELLHOP_WORKERS',
} as const

export type Flags = {
  workspace?: string
  data?: string
  config?: string
  host?: string
  port?: number
  verbose?: boolean
  queues?: QueueName[]
  workers?: number
}

/** How the text of an option is read, on the command line and in the environment alike; null for what is none. */
export const readers = {
  port: (text: string): number | null => (/^\d+$/.test(text) && Number(text) <= 65535 ? Number(text) : null),
  workers: (text: string): number | null => (/^\d{1,2}$/.test(text) && isMany(Number(text)) ? Number(text) : null),
  queues: (text: string): QueueName[] | null => {
    const given = text.split(',').map((name) => name.trim())
    const known = given.every((name) => (QUEUES as readonly string[]).includes(name))
    return known ? QUEUES.filter((name) => given.includes(name)) : null
  },
  verbose: (text: string): boolean | null => (YES.includes(text) ? true : NO.includes(text) ? false : null),
}

/** What each of them wants. */
export const wants = {
  port: 'a number from 0 to 65535',
  workers: 'a number from 1 to 64',
  queues: `some of ${QUEUES.join(', ')}, with commas between them`,
  verbose: '1 or 0',
} as const satisfies Record<keyof typeof readers, string>

const YES = ['1', 'true', 'yes']
const NO = ['0', 'false', 'no']

const isMany = (count: number): boolean => count >= 1 && count <= 64

/** What was given: on the command line, else in the environment; and by which of them. */
export const givenBy = (flags: Flags, variables: Variables) => {
  const from: { [option in keyof Flags]: string } = {}
  const take = <T>(option: keyof Flags, flag: T | undefined, read: (text: string) => T): T | undefined => {
    const variable = OPTIONS[option]
    const text = variables[variable]
    if (flag !== undefined && flag !== '') from[option] = `--${option}`
    else if (text) from[option] = variable
    if (from[option] === variable) return read(text ?? '')
    return flag === '' ? undefined : flag
  }
  const asIs = (text: string): string => text
  const by =
    <O extends keyof typeof readers>(option: O) =>
    (text: string): NonNullable<ReturnType<(typeof readers)[O]>> => {
      const value = readers[option](text)
      if (value !== null) return value as NonNullable<ReturnType<(typeof readers)[O]>>
      throw new Problem(`${OPTIONS[option]}=${text} is not understood`, `give ${wants[option]}, or leave it unset`)
    }
  return {
    workspace: take('workspace', flags.workspace, asIs),
    data: take('data', flags.data, asIs),
    config: take('config', flags.config, asIs),
    host: take('host', flags.host, asIs),
    port: take('port', flags.port, by('port')),
    verbose: take('verbose', flags.verbose, by('verbose')),
    queues: take('queues', flags.queues, by('queues')),
    workers: take('workers', flags.workers, by('workers')),
    from,
  }
}
