import type { Command } from 'commander'
import { hashOfToken, newToken } from '../evidence/tokens.ts'
import { plain } from '../lib/plain.ts'
import { inputFrom } from '../operations/parse.ts'
import { mint } from '../operations/tokens.ts'
import { fail, failTyped, print } from './print.ts'
import { instanceFor, optionOf, type Shell } from './shell.ts'

type Flags = Record<string, string | boolean | undefined>

/** `bellhop token mint`: the token is thought up here and shown once; the instance learns its hash, and nobody else more. */
export const tokenCommands = (group: Command, { withFlags, settingsFrom }: Shell): void => {
  const keys = Object.keys(mint.input.shape).filter((key) => key !== 'hash')
  const command = withFlags(group.command('mint')).description(mint.summary).option('--json', 'as one JSON value')
  for (const key of keys) command.addOption(optionOf(mint, key))
  command.action(async (flags: Flags) => {
    const json = flags['json'] === true
    const secret = newToken()
    const hash = hashOfToken(secret)
    const given = keys.flatMap((key) => (flags[key] === undefined ? [] : [`${key}=${flags[key]}`]))
    const input = inputFrom(mint, [`hash=${hash}`, ...given])
    if (!input.ok) return failTyped(input.refusal, command, json)
    const client = await instanceFor(settingsFrom(flags))
    // A command is given in a room: which one, is of no matter here.
    const known = await client.ask('rooms')
    if (!known.ok) return fail(known.refusal, json)
    const made = await client.command('mint', { hash, ...input.value }, { room: known.value.rooms[0]?.id ?? 'lobby' })
    if (!made.ok) return failTyped(made.refusal, command, json)
    const { receipt, output } = made.value
    if (json) return print(JSON.stringify({ ok: true, token: secret, row: output }))
    print(secret)
    process.stderr.write(
      `${plain(receipt.answer ?? '')}\nIt is shown this once: keep it where only its owner can read it.\n`,
    )
  })
}
