import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Progress } from '../evidence/transfer/format.ts'
import { restoreFrom } from '../evidence/transfer/restore.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { syncFolderOf } from '../lib/sync-folder.ts'
import { unwritable } from '../lib/unwritable.ts'
import { freeCheckouts } from '../workspace/checkout-adopt.ts'
import { keepContents } from '../workspace/shadow-contents.ts'
import { type Summary, summaryOf, UNFINISHED } from './manifest.ts'
import { EVIDENCE, SHADOWS } from './names.ts'
import { proveEvidence, readable, unpackInto } from './read.ts'
import { unlessEnded } from './unless-ended.ts'

type Options = {
  /** The data folder, which nobody else runs on meanwhile. It is there, unless nothing is to be changed. */
  data: string
  /** The PostgreSQL server that the evidence goes to; null where it is for the folder. */
  evidence: string | null
  force: boolean
  dryRun: boolean
  clock: Clock
  progress: Progress
  /** When it is to be given up; once it changes something, it goes on to its end. */
  ends?: AbortSignal
}

/** What belongs to the processes that run, and not to the instance: it stays where it is. */
const STAYS =
  /^(?:lock\.db.*|processes\.db.*|beside\.db.*|log|redis\.sock|restore-.*|before-restore-.*|restore-unfinished|up\.json)$/

export type Restored = Summary & { aside: string | null }

/**
 * Puts a backup into a data folder. It is unpacked and proved first, in a folder beside what is there; then what was there is
 * moved aside, and what was unpacked takes its place, the evidence last. Of Redis nothing is needed, and what
 * it had is moved aside, too: it knows of what was after the backup.
 */
export const restoreInstance = async (file: string, options: Options): Promise<Restored> => {
  const { data, force, dryRun, clock } = options
  const time = new Date(clock()).toISOString().replace(/[:.]/g, '-')
  const there = await thingsIn(data)
  if (there.length > 0 && !force)
    throw new Problem(
      `there is an instance in ${data} already`,
      'restore into another folder with --data DIR, or with --force: what is there is moved aside, and not removed',
    )
  const staged = await mkdtemp(join(nearest(data), `restore-${time}-`)).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(data, error)
  })
  try {
    const manifest = await unpackInto(file, staged, options.ends)
    await proveEvidence(join(staged, EVIDENCE), manifest, unlessEnded(options.progress, options.ends))
    await refuseOccupied(staged, options)
    await makeHarmless(staged)
    const aside = there.length > 0 ? join(data, `before-restore-${time}`) : null
    if (!dryRun) await swap(staged, aside, there, options)
    return { ...summaryOf(file, manifest), aside }
  } catch (error) {
    throw readable(error as Error, file)
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

/** What git would go by is made anew: with settings of somebody else's it could run what they like. */
const makeHarmless = async (staged: string): Promise<void> => {
  for (const name of await readdir(staged)) if (SHADOWS.test(name)) await keepContents(join(staged, name))
  await freeCheckouts(join(staged, 'checkouts'))
}

/** Whether the server takes the evidence: found out before anything is changed, and where nothing is to be. */
const refuseOccupied = async (staged: string, { evidence, clock, progress }: Options): Promise<void> => {
  if (evidence !== null) await restoreFrom(join(staged, EVIDENCE), evidence, { clock, dryRun: true, progress })
}

const swap = async (staged: string, aside: string | null, there: readonly string[], options: Options) => {
  const { data, evidence, clock, progress } = options
  await writeFile(join(data, UNFINISHED), 'A restore was cut off here: run `bellhop restore` again, with --force.\n')
  if (evidence !== null) {
    await restoreFrom(join(staged, EVIDENCE), evidence, { clock, progress })
    await rm(join(staged, EVIDENCE))
  }
  if (aside !== null) await mkdir(aside, { mode: 0o700 })
  for (const name of there) await rename(join(data, name), join(aside ?? data, name))
  // Once the evidence has its place, all of it is there.
  const names = (await readdir(staged)).sort((a, b) => Number(a === EVIDENCE) - Number(b === EVIDENCE))
  for (const name of names) await rename(join(staged, name), join(data, name))
  await rm(join(data, UNFINISHED))
  syncFolderOf(join(data, UNFINISHED))
}

/** The folder itself or, where it is not there and is not to be made, the one above it that is: the disk is the same. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

const thingsIn = async (data: string): Promise<string[]> => {
  if (!existsSync(data)) return []
  const names = (await readdir(data)).filter((name) => !STAYS.test(name))
  // What every folder is made with is no instance yet.
  return names.every((name) => name === '.gitignore') ? [] : names
}
