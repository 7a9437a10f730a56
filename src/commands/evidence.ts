import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import { follow } from '../evidence/follow.ts'
import type { Store } from '../evidence/store.ts'
import { plain } from '../lib/plain.ts'
import { inputFrom } from '../operations/parse.ts'
import { tableOf } from '../operations/rows.ts'
import { operationNamed } from '../operations/table.ts'
import type { Entry } from '../shapes/evidence.ts'
import { EvidenceFilters } from '../shapes/query.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { fileCommands } from './evidence-files.ts'
import { fail, print } from './print.ts'
import { optionOf, type Shell } from './shell.ts'

type Flags = Record<string, string | boolean | undefined> & { follow?: boolean; lines: string; json?: boolean }

/** How often somebody who follows the store from outside looks again. */
const LOOK_MS = 300

/** What `bellhop evidence` does besides the rows of the table: to follow, and to move evidence in and out of files. */
export const evidenceCommands = (group: Command, shell: Shell): void => {
  const row = operationNamed('evidence')
  if (!row) throw new Error('there is no operation to follow')
  const filters = [...Object.keys(EvidenceFilters.shape), 'cursor']
  const tail = shell
    .withFlags(group.command('tail'))
    .description('the last entries that match, and with -f every further one as it is written')
    .option('-f, --follow', 'go on until you end it')
    .option('-n, --lines <n>', 'how many of the last', '10')
    .option('--json', 'one JSON value a line')
  for (const key of filters) tail.addOption(optionOf(row, key))
  tail.action(async (flags: Flags) => {
    const json = flags.json === true
    const wanted = inputFrom(row, [
      `limit=${flags.lines}`,
      ...filters.flatMap((key) => (flags[key] === undefined ? [] : [`${key}=${flags[key]}`])),
    ])
    if (!wanted.ok) return fail(wanted.refusal, json)
    const { openOffline } = await import('./offline.ts')
    const store = await openOffline(shell.settingsFrom(flags))
    try {
      await show(store, wanted.value, { json, follow: flags.follow === true })
    } finally {
      await store.close()
    }
  })
  fileCommands(group, shell.withFlags, shell.settingsFrom)
}

type How = { json: boolean; follow: boolean }

const show = async (store: Store, input: Record<string, unknown>, how: How): Promise<void> => {
  const write = (entry: Entry) => print(how.json ? JSON.stringify(entry) : plain(tableOf([entry])))
  const { limit, order: _, cursor, ...filters } = input
  // From a place on: what comes after it. Otherwise the last ones, in the order they were written.
  const page = await store.query({ ...filters, limit, ...(cursor === undefined ? {} : { cursor, order: 'oldest' }) })
  if (!page.ok) return fail(page.refusal, how.json)
  const { entries, next, through } = page.value
  if (Number(cursor ?? 0) > through) return fail(beyond(through), how.json)
  for (const entry of cursor === undefined ? entries.reverse() : entries) write(entry)
  if (!how.follow) return
  const after = cursor === undefined ? through : (next ?? through)
  const ends = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ends.abort())
  const lookAgain = { next: (signal?: AbortSignal) => pause(signal) }
  for await (const entry of follow(store, lookAgain, { filters, after }, ends.signal)) write(entry)
}

/** What nobody has written yet cannot be gone on from. */
const beyond = (through: number): Refusal => refusal('query-invalid', `cursor: the store ends at ${through}`)

const pause = (signal?: AbortSignal): Promise<void> =>
  setTimeout(LOOK_MS, undefined, signal ? { signal } : {}).catch(() => {})
