import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Restored } from '../backup/restore.ts'
import { folderAt, openFolder } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { systemClock } from '../lib/clock.ts'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import { print } from './print.ts'
import { createProgress } from './progress.ts'

type Flags = { json?: boolean; verify?: boolean; secrets?: boolean; force?: boolean; dryRun?: boolean }
type Given = {
  withFlags: (command: Command) => Command
  settingsFrom: (flags: object) => Settings
  untilEnded: () => AbortSignal
}

/** `bellhop backup` and `bellhop restore`: a whole instance in one file. */
export const backupCommands = (program: Command, { withFlags, settingsFrom, untilEnded }: Given): void => {
  withFlags(program.command('backup'))
    .description('save the whole instance in one file, while it runs: evidence, secrets, files, config')
    .argument('<file>', 'where to: a file, or a folder to make one in; what ends in .gz is compressed')
    .option('--verify', 'look at a backup instead: whether it is whole, proved entry by entry')
    .option('--without-secrets', 'leave out tokens, the signing key and what agents are signed in with')
    .option('--json', 'as one JSON value')
    .action(async (file: string, flags: Flags & { withoutSecrets?: boolean }) => {
      const settings = settingsFrom(flags)
      const secrets = flags.withoutSecrets !== true
      const ends = untilEnded()
      const done = await told(flags.verify ? look(file, ends) : save(file, settings, secrets, ends), flags, ends)
      const verb = flags.verify ? 'whole' : 'saved'
      const { entries } = done.evidence
      const lines = [
        `${verb}: ${count(entries, 'entry', 'entries')} and ${count(done.files, 'file', 'files')} in ${done.file}`,
        `  root ${done.evidence.root}`,
        done.secrets
          ? '  it holds the secrets of this instance: whoever has it can act as it. Keep it as you keep them.'
          : '  without secrets: new tokens are made where it is restored',
        ...(done.config === null ? ['  no config file was named: none is in it'] : []),
        ...done.left.map((path) => `  left out: ${path}`),
      ]
      print(flags.json ? JSON.stringify({ ok: true, ...done }) : lines.join('\n'))
    })
  withFlags(program.command('restore'))
    .description('put a backup into a data folder; with BELLHOP_EVIDENCE set, its evidence into PostgreSQL')
    .argument('<file>', 'a file that `bellhop backup` made')
    .option('--force', 'move aside what is there')
    .option('--dry-run', 'prove that it can be restored, and change nothing')
    .option('--json', 'as one JSON value')
    .action(async (file: string, flags: Flags) => {
      const settings = settingsFrom(flags)
      const ends = untilEnded()
      const done = await told(restore(resolve(file), settings, flags, ends), flags, ends)
      print(flags.json ? JSON.stringify({ ok: true, ...done }) : linesOf(done, settings, flags.dryRun === true))
    })
}

/** Whoever asked for JSON is told in JSON, too, what a person has to put right. */
const told = <T>(work: Promise<T>, { json }: Flags, ends: AbortSignal): Promise<T> =>
  work.catch((given: unknown) => {
    const error = ends.aborted
      ? new Problem('it was ended before it was done', 'run it again: nothing of it is left')
      : given
    if (json && error instanceof Problem) print(JSON.stringify({ ok: false, problem: error.message, fix: error.fix }))
    throw error
  })

const linesOf = (done: Restored, { data }: Settings, would: boolean): string => {
  const config = done.config === null ? '' : ` --config ${join(data, 'config', done.config)}`
  const what = `${count(done.evidence.entries, 'entry', 'entries')} and ${count(done.files, 'file', 'files')}`
  return [
    `${would ? 'would restore' : 'restored'} ${what} into ${data}`,
    ...(done.aside === null ? [] : [`  what was there ${would ? 'would be' : 'is'} in ${done.aside}`]),
    ...(would ? [] : [`  start it: bellhop up --data ${data}${config}`]),
  ].join('\n')
}

const save = async (given: string, settings: Settings, secrets: boolean, ends: AbortSignal) => {
  const { saveInstance } = await import('../backup/save.ts')
  const { openOffline } = await import('./offline.ts')
  const at = new Date(systemClock()).toISOString()
  const file = nameFor(given, at)
  const { data, configFile, secretsFile = null, version } = settings
  const store = await openOffline(settings)
  const line = createProgress('saved')
  try {
    const done = await saveInstance({
      file,
      data,
      store,
      configFile,
      secretsFile,
      secrets,
      version,
      at,
      progress: line.show,
      ends,
    })
    const { files: _, left: __, ...stamp } = done
    writeFileSync(folderAt(data).backedUp, `${JSON.stringify(stamp)}\n`, { mode: 0o600 })
    return done
  } finally {
    line.end()
    await store.close()
  }
}

/** In a folder it has a name of its own, by when it was made. */
const nameFor = (given: string, at: string): string => {
  const target = resolve(given)
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder && given.endsWith('/'))
    throw new Problem(`${target} is no folder`, `make it first (\`install -d -m 700 ${target}\`), or name a file`)
  return isFolder ? join(target, `bellhop-${at.slice(0, 19).replaceAll(':', '-')}Z.tar`) : target
}

const look = async (file: string, ends: AbortSignal) => {
  const { verifyBackup } = await import('../backup/read.ts')
  const line = createProgress('verified')
  return verifyBackup(resolve(file), line.show, ends).finally(line.end)
}

const restore = async (
  file: string,
  settings: Settings,
  { force = false, dryRun = false }: Flags,
  ends: AbortSignal,
) => {
  const { restoreInstance } = await import('../backup/restore.ts')
  const { lockAlone, refuseRunning } = await import('../house/lock.ts')
  const { data, evidence } = settings
  refuseRunning(folderAt(data))
  // Whoever only looks makes nothing, also no lock: what begins meanwhile does not see what is unpacked.
  const unlock = dryRun ? () => {} : lockAlone(openFolder(data, 'restored'))
  const line = createProgress('proved')
  try {
    return await restoreInstance(file, { data, evidence, force, dryRun, clock: systemClock, progress: line.show, ends })
  } finally {
    line.end()
    unlock()
  }
}
