import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import { folderAt, secretsOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { instanceOf } from '../house/running.ts'
import { plain } from '../lib/plain.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { inputFrom } from '../operations/parse.ts'
import { operations } from '../operations/table.ts'
import type { Result } from '../shapes/result.ts'
import { evidenceCommands } from './evidence.ts'
import { fail, print } from './print.ts'
import { optionOf, type Shell } from './shell.ts'

type Flags = Record<string, string | boolean | undefined>

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

/** Every row of the table of operations, as a subcommand: those of a group under its name, all others at the top. */
export const askCommands = (program: Command, shell: Shell): void => {
  const asked = operations.filter(({ name }) => name !== 'help')
  for (const row of asked.filter(({ group }) => group === undefined)) askCommand(program.command(row.name), row, shell)
  for (const name of new Set(asked.flatMap(({ group }) => group ?? []))) {
    const group = program.command(name).description('find, read, prove, keep and move evidence')
    for (const row of asked.filter((one) => one.group === name)) {
      // Without a subcommand, a group asks what it is named after.
      askCommand(group.command(row.alias ?? row.name, { isDefault: row.name === name }), row, shell)
    }
    evidenceCommands(group, shell)
  }
  for (const row of asked.filter(({ alone }) => alone === true)) askCommand(program.command(row.name), row, shell)
}

const askCommand = (named: Command, row: Operation, { withFlags, settingsFrom }: Shell): void => {
  const command = withFlags(named).description(row.summary).option('--json', 'as one JSON value')
  for (const key of row.positional) command.argument(key === row.rest ? `[${key}...]` : `[${key}]`)
  if (!row.reads) command.option('--room <room>', 'which room', 'lobby')
  for (const key of Object.keys(row.input.shape).filter((name) => !row.positional.includes(name))) {
    command.addOption(optionOf(row, key))
  }
  command.action(async (...given: unknown[]) => {
    const positional = given.slice(0, row.positional.length).flat() as (string | undefined)[]
    await ask(row, positional, given[row.positional.length] as Flags, settingsFrom)
  })
}

const ask = async (
  row: Operation,
  positional: (string | undefined)[],
  flags: Flags,
  settingsFrom: Shell['settingsFrom'],
): Promise<void> => {
  const named = Object.keys(row.input.shape).flatMap((key) =>
    flags[key] === undefined ? [] : [`${key}=${flags[key]}`],
  )
  const words = [...positional.filter((word) => word !== undefined), ...named]
  const json = flags['json'] === true
  const input = inputFrom(row, words)
  if (!input.ok) return fail(input.refusal, json)

  const settings = settingsFrom(flags)
  // What takes long reads the store itself: it can say how far it is, and keeps nobody else waiting.
  const client = row.long ? null : await findInstance(settings)
  if (!row.reads)
    return client
      ? sayIt(client, `/${row.name} ${words.map(quoted).join(' ')}`, flags)
      : Promise.reject(noInstance(settings))
  const given = Object.fromEntries(Object.entries(input.value).map(([key, value]) => [key, String(value)]))
  const answer = client ? await client.read(row.name, given) : await offline(row, input.value, settings)
  if (!answer.ok) return fail(answer.refusal, json)
  print(json ? JSON.stringify(answer.value) : plain(row.render(answer.value)))
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

/** A word as the parser of commands takes it back: blanks inside it stay. */
const quoted = (word: string): string => {
  const [, key = '', value = word] = /^([a-z]+=)(.*)$/is.exec(word) ?? []
  return /\s/.test(value) ? `${key}"${value.replaceAll('"', '')}"` : word
}
