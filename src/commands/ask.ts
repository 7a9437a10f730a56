import { type Command, Option } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import { folderAt, secretsOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { instanceOf } from '../house/running.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { inputFrom } from '../operations/parse.ts'
import { operations } from '../operations/table.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'

type Flags = Record<string, string | boolean | undefined>
type SettingsFrom = (flags: object) => Settings

/** A client of the instance that runs on this data folder; null when none does. */
export const findInstance = async ({ data }: Settings): Promise<Client | null> => {
  const folder = folderAt(data)
  const { isLocked } = await import('../up/lock.ts')
  // Only a folder that is locked has an instance: its address may be somebody else's by now, and is not to be trusted.
  const running = isLocked(folder) ? instanceOf(folder) : null
  const answers =
    running && (await fetch(new URL('/healthz', running.url), { signal: AbortSignal.timeout(3000) }).catch(() => null))
  return running && answers ? createClient({ url: running.url, token: secretsOf(folder).admin, face: 'cli' }) : null
}

export const noInstance = ({ data }: Settings): Problem =>
  new Problem(`no Bellhop runs on ${data}`, 'start one with `bellhop up`, or name its folder with --data DIR')

/** Every row of the table of operations, as a subcommand. */
export const askCommands = (
  program: Command,
  withFlags: (command: Command) => Command,
  settingsFrom: SettingsFrom,
): void => {
  for (const row of operations.filter(({ name }) => name !== 'help')) {
    const command = withFlags(program.command(row.name)).description(row.summary).option('--json', 'as one JSON value')
    for (const key of row.positional) command.argument(`[${key}]`)
    if (!row.reads) command.option('--room <room>', 'which room', 'lobby')
    for (const key of Object.keys(row.input.shape).filter((name) => !row.positional.includes(name))) {
      command.addOption(new Option(isFlag(row, key) ? `--${key}` : `--${key} <${key}>`))
    }
    command.action(async (...given: unknown[]) => {
      const positional = given.slice(0, row.positional.length) as (string | undefined)[]
      await ask(row, positional, given[row.positional.length] as Flags, settingsFrom)
    })
  }
}

/** A yes-or-no input takes no value on the command line. */
const isFlag = ({ input }: Operation, key: string): boolean =>
  input.shape[key]?.safeParse('true').data === true && !input.shape[key]?.safeParse('some text').success

const ask = async (
  row: Operation,
  positional: (string | undefined)[],
  flags: Flags,
  settingsFrom: SettingsFrom,
): Promise<void> => {
  const named = Object.keys(row.input.shape).flatMap((key) =>
    flags[key] === undefined ? [] : [`${key}=${flags[key]}`],
  )
  const words = [...positional.filter((word) => word !== undefined), ...named]
  const json = flags['json'] === true
  const input = inputFrom(row, words)
  if (!input.ok) return fail(input.refusal, json)

  const settings = settingsFrom(flags)
  const client = await findInstance(settings)
  if (!row.reads)
    return client ? sayIt(client, `/${row.name} ${words.join(' ')}`, flags) : Promise.reject(noInstance(settings))
  const given = Object.fromEntries(Object.entries(input.value).map(([key, value]) => [key, String(value)]))
  const answer = client ? await client.read(row.name, given) : await offline(row, input.value, settings)
  if (!answer.ok) return fail(answer.refusal, json)
  print(json ? JSON.stringify(answer.value) : row.render(answer.value))
  if (row.passes && !row.passes(answer.value)) process.exitCode = 1
}

const offline = async (
  row: Operation,
  input: Record<string, unknown>,
  settings: Settings,
): Promise<Result<unknown>> => {
  if (!row.offline) throw noInstance(settings)
  const { askOffline } = await import('./offline.ts')
  return askOffline(row, input, settings)
}

/** What changes something is said in a room, whichever face it comes from. */
const sayIt = async (client: Client, text: string, flags: Flags): Promise<void> => {
  const receipt = await client.say({ room: String(flags['room']), text })
  if (!receipt.ok) return fail(receipt.refusal, flags['json'] === true)
  print(
    flags['json'] === true ? JSON.stringify({ ok: true, receipt: receipt.value }) : (receipt.value.answer ?? 'done'),
  )
}

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const fail = (refusal: Refusal, json: boolean): void => {
  if (json) print(JSON.stringify({ ok: false, refusal }))
  if (!json) process.stderr.write(`bellhop: ${refusal.message} [${refusal.code}]\n  ${refusal.remedy}\n`)
  process.exitCode = 1
}
