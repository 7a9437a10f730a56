import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import { folderAt, secretsOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { instanceOf } from '../house/running.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'

/** What every command is made with: the flags that all have, and what they come to. */
export type Shell = { withFlags: (command: Command) => Command; settingsFrom: (flags: object) => Settings }

/** A client of the instance that runs on this data folder; null when none does. */
export const findInstance = async (settings: Settings, signal?: AbortSignal): Promise<Client | null> => {
  const address = await addressOf(settings)
  return address && createClient({ ...address, face: 'cli', signal })
}

type Address = { url: string; token: string }

/** Where the instance is, and the token to come with: the one that was named, else that of this data folder; null when none runs. */
export const addressOf = async ({ data, secretsFile, instance }: Settings): Promise<Address | null> => {
  const folder = folderAt(data)
  if (instance?.url) return { url: instance.url, token: instance.token ?? secretsOf(folder, secretsFile).admin }
  const { isLocked } = await import('../house/lock.ts')
  // Only a folder that is locked has an instance: its address may be somebody else's by now, and is not to be trusted.
  const running = isLocked(folder) ? instanceOf(folder) : null
  const answers =
    running && (await fetch(new URL('/healthz', running.url), { signal: AbortSignal.timeout(3000) }).catch(() => null))
  return running && answers ? { url: running.url, token: secretsOf(folder, secretsFile).admin } : null
}

export const noInstance = ({ data }: Settings): Problem =>
  new Problem(`no Bellhop runs on ${data}`, 'start one with `bellhop up`, or name its folder with --data DIR')

/** A client of the instance; without one, nothing can be asked. */
export const instanceFor = async (settings: Settings, signal?: AbortSignal): Promise<Client> => {
  const client = await findInstance(settings, signal)
  if (client) return client
  throw noInstance(settings)
}

/** An input of an operation, as an option. */
export const optionOf = (row: Operation, key: string): Option => {
  const help = row.input.shape[key]?.description ?? ''
  return isFlag(row, key) ? new Option(`--${key}`, help) : new Option(`--${key} <${key}>`, help).argParser(once)
}

/** What is given twice is a mistake: neither of the two may be passed over. */
const once = (value: string, before: string | undefined): string => {
  if (before === undefined) return value
  throw new InvalidArgumentError('it is given twice.')
}

/** A yes-or-no input takes no value on the command line. */
const isFlag = ({ input }: Operation, key: string): boolean =>
  input.shape[key]?.safeParse('true').data === true && !input.shape[key]?.safeParse('some text').success

const DAY_S = 86_400

/** A time to wait, as it is given on the command line: in seconds. */
export const millisecondsFrom = (option: string, seconds: string): number => {
  if (Number(seconds) > 0 && Number(seconds) <= DAY_S) return Math.ceil(Number(seconds) * 1000)
  throw new Problem(`${option} ${seconds} is no number of seconds`, `give a number above 0, up to ${DAY_S}`)
}
