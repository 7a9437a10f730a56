import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import { folderAt, secretsOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { instanceOf } from '../house/running.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { unanswered } from './unanswered.ts'

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
  if (instance?.url) {
    const answer = await answerAt(instance.url)
    if (answer instanceof Error) throw unanswered(instance.url, answer)
    return { url: instance.url, token: instance.token ?? secretsOf(folder, secretsFile).admin }
  }
  const { isLocked } = await import('../house/lock.ts')
  // Only a folder that is locked has an instance: its address may be somebody else's by now, and is not to be trusted.
  const running = isLocked(folder) ? instanceOf(folder) : null
  const answers = running && (await answerAt(running.url)) === 'given'
  return running && answers ? { url: running.url, token: secretsOf(folder, secretsFile).admin } : null
}

const ANSWER_MS = 3000

/** Whether somebody answers there, or why not; who is only late may be at work. */
const answerAt = async (url: string): Promise<'given' | 'late' | Error> => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Problem(`${url} is no address of a Bellhop`, 'give BELLHOP_URL as http://127.0.0.1:7070')
  try {
    const answer = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(ANSWER_MS) })
    await answer.body?.cancel()
    return 'given'
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'late' : (error as Error)
  }
}

/** What runs on a data folder where nothing answers: its gateway is elsewhere, or it begins or ends; null where nothing does. */
export const unansweringOn = async ({ data }: Settings): Promise<Problem | null> => {
  const { hasProcesses, isLocked } = await import('../house/lock.ts')
  const folder = folderAt(data)
  if (isLocked(folder))
    return new Problem(`the Bellhop on ${data} does not answer: it begins, or it ends`, 'try again in a moment')
  return hasProcesses(folder)
    ? new Problem(
        `processes of a Bellhop work on ${data}, which were started by themselves`,
        'say where their gateway is: BELLHOP_URL=http://127.0.0.1:7070',
      )
    : null
}

export const noInstance = async (settings: Settings): Promise<Problem> =>
  (await unansweringOn(settings)) ??
  new Problem(`no Bellhop runs on ${settings.data}`, 'start one with `bellhop up`, or name its folder with --data DIR')

/** A client of the instance; without one, nothing can be asked. */
export const instanceFor = async (settings: Settings, signal?: AbortSignal): Promise<Client> => {
  const client = await findInstance(settings, signal)
  if (client) return client
  throw await noInstance(settings)
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
