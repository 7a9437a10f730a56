import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Migrated, migratedLine } from '../evidence/engine/sharing.ts'
import { folderAt, storeOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { isPostgres } from '../lib/address.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { print } from './print.ts'

type Flags = { json?: boolean; dryRun?: boolean; backup?: boolean }
type Given = { withFlags: (command: Command) => Command; settingsFrom: (flags: object) => Settings }

/** `bellhop migrate`: brings a store of an older version to this one, as `up` does by itself. */
export const migrateCommand = (command: Command, { withFlags, settingsFrom }: Given): void => {
  withFlags(command)
    .description('bring the evidence store of an older Bellhop to this version; it is kept as it was, beside it')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--no-backup', 'do not keep it as it was: you have a backup elsewhere')
    .option('--json', 'as one JSON value')
    .action(async (flags: Flags) => {
      const done = await migrate(settingsFrom(flags), flags)
      const { from, to, kept } = done
      const text = flags.dryRun
        ? `would bring the evidence store from version ${from} to ${to}`
        : migratedLine({ from, to, kept })
      const line = from === to ? `the evidence store has version ${to}: there is nothing to do` : text
      print(flags.json ? JSON.stringify({ ok: true, ...done, dryRun: flags.dryRun === true }) : line)
    })
}

const migrate = async ({ data, evidence }: Settings, { dryRun = false, backup = true }: Flags): Promise<Migrated> => {
  const url = storeOf(folderAt(data), evidence)
  if (!isPostgres(url) && !existsSync(url))
    throw new Problem(`there is no evidence in ${data}`, 'name the data folder with --data DIR')
  const { openStore, versionsOf } = await import('../evidence/store.ts')
  const { version, known } = await versionsOf(url)
  if (version >= known) return { from: known, to: known, kept: null }
  if (dryRun) return { from: version, to: known, kept: null }
  let done: Migrated = { from: known, to: known, kept: null }
  const migrated = (how: Migrated): void => {
    done = how
  }
  await (await openStore({ url, clock: systemClock, keepOld: backup, migrated })).close()
  return done
}
