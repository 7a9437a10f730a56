import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Store } from '../evidence/store.ts'
import type { Progress } from '../evidence/transfer/format.ts'
import { folderAt, openFolder, storeOf } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { systemClock } from '../lib/clock.ts'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import { ok, type Result } from '../shapes/result.ts'
import { fail, print } from './print.ts'
import { createProgress } from './progress.ts'

// What these commands need is loaded when one of them runs: all others start without it.

type Flags = { json?: boolean; after?: number; resume?: boolean; replace?: boolean; dryRun?: boolean }

/** The name of the standard output, and of the standard input. */
const STANDARD = '-'

/** `bellhop evidence export`, `import`, `backup` and `restore`: the evidence in files, with or without an instance. */
export const fileCommands = (
  group: Command,
  withFlags: (command: Command) => Command,
  settingsFrom: (flags: object) => Settings,
): void => {
  const add = <T extends object>(
    command: Command,
    run: (settings: Settings, file: string, flags: Flags) => Promise<Result<T>>,
    tell: (done: T, file: string, flags: Flags) => string,
  ): void => {
    withFlags(command)
      .option('--json', 'as one JSON value')
      .action(async (file: string, flags: Flags) => {
        const done = await run(settingsFrom(flags), file, flags)
        if (!done.ok) return fail(done.refusal, flags.json ?? false)
        const text = flags.json ? JSON.stringify({ ok: true, ...done.value }) : tell(done.value, file, flags)
        // What goes to the standard output must stay what it is.
        if (command.name() === 'export' && file === STANDARD) process.stderr.write(`${text}\n`)
        else print(text)
      })
  }

  add(
    group
      .command('export')
      .description('write the evidence down as JSON, a line for each entry')
      .argument('[file]', 'where to; - is the standard output', STANDARD)
      .option('--after <position>', 'only what comes after it', toPosition)
      .option('--resume', 'go on with a file that was cut off, or that has become old'),
    exportEvidence,
    ({ entries, position }) => `exported ${entriesOf(entries)}, up to ${position}`,
  )
  add(
    group
      .command('import')
      .description('take the entries of an export, each proved; what is here already is passed over')
      .argument('<file>', 'what to take; - is the standard input')
      .option('--dry-run', 'say what would happen, and write nothing'),
    importEvidence,
    ({ entries, added }, _file, { dryRun }) =>
      `${dryRun ? 'would import' : 'imported'} ${added} of ${entriesOf(entries)}, all of them whole`,
  )
  add(
    group
      .command('backup')
      .description('make a copy that is a store itself, in one file, while others write')
      .argument('<file>', 'where to'),
    backupEvidence,
    ({ entries, root }, file) => `saved ${entriesOf(entries)} in ${file}\n  root ${root}`,
  )
  add(
    group
      .command('restore')
      .description('put a backup in the place of the evidence; with BELLHOP_EVIDENCE set, move it to PostgreSQL')
      .argument('<file>', 'a backup, or the evidence.db of a data folder')
      .option('--replace', 'move aside what is there')
      .option('--dry-run', 'say what would happen, and write nothing'),
    restoreEvidence,
    ({ entries, aside }, file, { dryRun }) =>
      [
        `${dryRun ? 'would restore' : 'restored'} ${entriesOf(entries)} from ${file}`,
        ...(aside === null ? [] : [`  what was there ${dryRun ? 'would be' : 'is'} in ${aside}`]),
      ].join('\n'),
  )
}

const entriesOf = (entries: number): string => count(entries, 'entry', 'entries')

const toPosition = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a position: a number from 0 on.')
}

const exportEvidence = async (settings: Settings, file: string, { after = null, resume }: ExportFlags) => {
  if (file === STANDARD && resume)
    throw new Problem('only a file can be gone on with', 'name one, or leave out --resume')
  const { exportInto, exportTo } = await import('../evidence/transfer/export.ts')
  const signal = untilInterrupted()
  return withStore(settings, 'read', (store) =>
    watched('exported', async (progress) => {
      const options = { after, progress, signal }
      if (file === STANDARD) return ok(await exportInto(store, process.stdout, options))
      return ok(await exportTo(store, resolve(file), { ...options, resume: resume ?? false }))
    }),
  )
}
type ExportFlags = Omit<Flags, 'after'> & { after?: number | null }

const importEvidence = async (settings: Settings, file: string, { dryRun = false }: Flags) => {
  const { importFrom } = await import('../evidence/transfer/import.ts')
  return withStore(settings, dryRun ? 'compare' : 'write', (store) =>
    watched('imported', async (progress) => {
      if (file === STANDARD) return importFrom(store, process.stdin, { progress, dryRun })
      const { source, size } = await openSource(file)
      return importFrom(store, source, { progress, size, dryRun })
    }),
  )
}

const backupEvidence = async (settings: Settings, file: string) => {
  const { backupTo } = await import('../evidence/transfer/backup.ts')
  return withStore(settings, 'read', (store) =>
    watched('saved', async (progress) => ok(await backupTo(store, resolve(file), progress))),
  )
}

const restoreEvidence = async (settings: Settings, file: string, { replace = false, dryRun = false }: Flags) => {
  const { restoreFrom } = await import('../evidence/transfer/restore.ts')
  const unlock = await keepOthersOut(settings, dryRun)
  try {
    const done = await watched('restored', async (progress) =>
      ok(await restoreFrom(resolve(file), urlOf(settings), { clock: systemClock, replace, dryRun, progress })),
    )
    if (!dryRun) await signAnew(settings)
    return done
  } finally {
    unlock()
  }
}

/** The old head vouches for what was there before: whoever restores vouches for what is there now. */
const signAnew = async (settings: Settings): Promise<void> => {
  const { head } = folderAt(settings.data)
  if (!existsSync(head.key)) return
  const { signHead } = await import('../evidence/head.ts')
  await withStore(settings, 'read', async (store) =>
    signHead(head, await store.tip(), new Date(systemClock()).toISOString()),
  )
}

/** No instance may run on what is replaced, nor start meanwhile. */
const keepOthersOut = async ({ data }: Settings, dryRun: boolean): Promise<() => void> => {
  const { lockAlone, refuseRunning } = await import('../house/lock.ts')
  if (!dryRun) return lockAlone(openFolder(data))
  refuseRunning(folderAt(data))
  return () => {}
}

const urlOf = ({ evidence, data }: Settings): string => storeOf(folderAt(data), evidence)

/** read: it has to be there · write: it is made · compare: it is not touched, and where there is none, it is empty */
type Use = 'read' | 'write' | 'compare'

const withStore = async <T>(settings: Settings, use: Use, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await (use === 'read' ? (await import('./offline.ts')).openOffline(settings) : openFor(use, settings))
  return work(store).finally(store.close)
}

const openFor = async (use: 'write' | 'compare', settings: Settings): Promise<Store> => {
  const { openStore } = await import('../evidence/store.ts')
  const url = urlOf(settings)
  if (use === 'write') {
    openFolder(settings.data)
    return openStore({ url, clock: systemClock })
  }
  const there = settings.evidence === null ? existsSync(url) : await hasEvidence(url)
  return openStore({ url: there ? url : ':memory:', clock: systemClock, readonly: there })
}

/** Whether there is evidence on a server; one that does not answer is asked again by whoever says so. */
const hasEvidence = async (url: string): Promise<boolean> => {
  const { versionsOf } = await import('../evidence/store.ts')
  return versionsOf(url).then(
    ({ version }) => version > 0,
    () => true,
  )
}

const watched = async <T>(done: string, work: (progress: Progress) => Promise<T>): Promise<T> => {
  const progress = createProgress(done)
  return work(progress.show).finally(progress.end)
}

const openSource = async (file: string) => {
  try {
    const handle = await open(file, 'r')
    const stats = await handle.stat()
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return { source: handle.createReadStream({ highWaterMark: CHUNK }), size: stats.isFile() ? stats.size : null }
  } catch (error) {
    throw new Problem(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`, 'name a file that you may read')
  }
}

const CHUNK = 1 << 20

/** Once asked to end, an export stops after whole lines; who asks again is obeyed at once. */
const untilInterrupted = (): AbortSignal => {
  const ends = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ends.abort())
  return ends.signal
}
