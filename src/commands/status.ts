import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import type { Settings } from '../house/parts.ts'
import { plain } from '../lib/plain.ts'
import { status } from '../operations/sessions.ts'
import { ok, type Result } from '../shapes/result.ts'
import { overview, type View } from './overview.ts'
import { fail, print } from './print.ts'
import { findInstance, type Shell, unansweringOn } from './shell.ts'

/** How the instance stands at this moment, as it says itself. */
export const look = async (client: Client): Promise<Result<View>> => {
  const [now, open] = await Promise.all([client.ask('now'), client.ask('status')])
  if (!now.ok) return now
  return open.ok ? ok({ ...now.value, turns: open.value.turns }) : open
}

/** As wide as a row is where nobody says how wide the terminal is; some terminals say that they are 0 wide. */
export const WIDTH = 160

/** `bellhop status`: what runs, what waits and what is wrong, once. Where nothing runs, what was left undone. */
export const statusCommand = (command: Command, { withFlags, settingsFrom }: Shell, colour: boolean): void => {
  withFlags(command)
    .description('processes, queues, agents, turns, approvals, budgets and complaints at a glance')
    .option('--json', 'as one JSON value')
    .action(async (flags: { json?: boolean }) => {
      const json = flags.json ?? false
      const settings = settingsFrom(flags)
      const client = await findInstance(settings)
      if (!client) return tellLeft(settings, json)
      const view = await look(client)
      if (!view.ok) return fail(view.refusal, json)
      const { isTTY = false, columns } = process.stdout
      const shown = { look: { width: columns || WIDTH, colour: colour && isTTY }, sort: 'age', at: Date.now() } as const
      print(json ? JSON.stringify(view.value) : overview(view.value, shown).join('\n'))
    })
}

const tellLeft = async (settings: Settings, json: boolean): Promise<void> => {
  const { askOffline } = await import('./offline.ts')
  const left = await askOffline(status, {}, settings)
  if (!left.ok) return fail(left.refusal, json)
  if (json) return print(JSON.stringify(left.value))
  // Of what somebody is at who does not answer, nothing is known here.
  const unanswering = await unansweringOn(settings)
  if (unanswering) return print(`${unanswering.message}\n${unanswering.fix}`)
  print(`nothing runs here\n${plain(status.render(left.value))}`)
}
