import type { Command } from 'commander'
import type { Client, PeopleCommand, ReadName } from '../client/client.ts'
import { answersTo } from '../client/converse.ts'
import type { Settings } from '../house/parts.ts'
import { plain } from '../lib/plain.ts'
import type { Operation } from '../operations/operation.ts'
import { inputFrom } from '../operations/parse.ts'
import { commands } from '../operations/table.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Result } from '../shapes/result.ts'
import { evidenceCommands } from './evidence.ts'
import { failTyped, print } from './print.ts'
import { tellApproval, tellReceipt, tellReplies } from './say.ts'
import { findInstance, millisecondsFrom, noInstance, optionOf, type Shell } from './shell.ts'
import { tokenCommands } from './token.ts'

type Flags = Record<string, string | boolean | undefined>

const GROUPS: Record<NonNullable<Operation['group']>, string> = {
  evidence: 'find, read, prove, keep and move evidence',
  token: 'who may come in from outside: make, list and revoke tokens',
}

/**
 * What is a command of its own: help is the program's, a token is thought up here, a whistle is waited for here, and the status
 * is of the processes, too.
 */
const OWN = new Set(['help', 'mint', 'whistle', 'status'])

/** Every row of the table that is for people, as a subcommand: those of a group under its name, all others at the top. */
export const askCommands = (program: Command, shell: Shell): void => {
  const asked = commands.filter(({ name }) => !OWN.has(name))
  for (const row of asked.filter(({ group }) => group === undefined)) askCommand(program.command(row.name), row, shell)
  for (const [name, what] of Object.entries(GROUPS)) {
    const group = program.command(name).description(what)
    for (const row of asked.filter((one) => one.group === name)) {
      // Without a subcommand, a group asks what it is named after.
      askCommand(group.command(row.alias ?? row.name, { isDefault: row.name === name }), row, shell)
    }
    if (name === 'evidence') evidenceCommands(group, shell)
    if (name === 'token') tokenCommands(group, shell)
  }
  for (const row of asked.filter(({ alone }) => alone === true)) askCommand(program.command(row.name), row, shell)
}

const askCommand = (named: Command, row: Operation, { withFlags, settingsFrom }: Shell): void => {
  const command = withFlags(named).description(row.summary).option('--json', 'as one JSON value')
  for (const key of row.positional) command.argument(key === row.rest ? `[${key}...]` : `[${key}]`)
  if (!row.reads && !('room' in row.input.shape)) command.option('--room <room>', 'which room', 'lobby')
  for (const key of Object.keys(row.input.shape).filter((name) => !row.positional.includes(name))) {
    command.addOption(optionOf(row, key))
  }
  // What is work for an agent has an answer when the agent has one.
  if (isWaitedFor(row)) command.option('--wait <seconds>', 'how long to wait for the answer', '60')
  command.action(async (...given: unknown[]) => {
    const positional = given.slice(0, row.positional.length).flat() as (string | undefined)[]
    await ask(command, row, positional, settingsFrom)
  })
}

const ask = async (
  named: Command,
  row: Operation,
  positional: (string | undefined)[],
  settingsFrom: Shell['settingsFrom'],
): Promise<void> => {
  const flags = named.opts<Flags>()
  const options = Object.keys(row.input.shape).flatMap((key) =>
    flags[key] === undefined ? [] : [`${key}=${flags[key]}`],
  )
  const words = [...positional.filter((word) => word !== undefined), ...options]
  const json = flags['json'] === true
  const input = inputFrom(row, words)
  if (!input.ok) return failTyped(input.refusal, named, json)

  const settings = settingsFrom(flags)
  // What takes long reads the store itself: it can say how far it is, and keeps nobody else waiting.
  const client = row.long ? null : await findInstance(settings)
  if (!row.reads) {
    if (!client) throw await noInstance(settings)
    return command(client, row, input.value, named)
  }
  const answer = client
    ? await client.ask(row.name as ReadName, input.value)
    : await offline(row, input.value, settings)
  if (!answer.ok) return failTyped(answer.refusal, named, json)
  print(json ? JSON.stringify(answer.value) : plain(row.render(answer.value)))
  if (row.passes && !row.passes(answer.value)) process.exitCode = 1
}

const offline = async (
  row: Operation,
  input: Record<string, unknown>,
  settings: Settings,
): Promise<Result<unknown>> => {
  if (!row.offline) throw await noInstance(settings)
  const { askOffline } = await import('./offline.ts')
  return askOffline(row, input, settings)
}

/** Whether an agent's answer is what was asked for. */
const isWaitedFor = ({ gives, tells }: Operation): boolean => gives !== undefined && !tells

/** What changes something is a command in a room, whichever face it comes from. */
const command = async (
  client: Client,
  row: Operation,
  input: Record<string, unknown>,
  named: Command,
): Promise<void> => {
  const flags = named.opts<Flags>()
  const json = flags['json'] === true
  const done = await client.command(row.name as PeopleCommand, input as never, aimOf(row, flags))
  if (!done.ok) return failTyped(done.refusal, named, json)
  const { receipt, output } = done.value
  if (isWaitedFor(row)) return await answer(client, receipt, flags)
  print(
    json
      ? JSON.stringify({ ok: true, receipt, output })
      : plain(
          [
            receipt.answer ?? (output === undefined ? 'done' : row.render(output)),
            ...(receipt.whisper ? [receipt.whisper] : []),
          ].join('\n'),
        ),
  )
}

/** Waits for the agents that were given work, and says what they answered. */
const answer = async (client: Client, receipt: Receipt, flags: Flags): Promise<void> => {
  const json = flags['json'] === true
  const wait = String(flags['wait'])
  const ends = AbortSignal.timeout(millisecondsFrom('--wait', wait))
  const heard = await answersTo(client, receipt, ends, json ? () => {} : tellApproval)
  if (json || heard.replies.length < receipt.assignments.length) {
    if (!json) tellReceipt(receipt)
    return tellReplies(heard, { json, wait })
  }
  for (const { text } of heard.replies) print(plain(text))
}

/** The room it is given in, where the operation has none of its own. */
const aimOf = (row: Operation, flags: Flags) => ('room' in row.input.shape ? {} : { room: String(flags['room']) })
