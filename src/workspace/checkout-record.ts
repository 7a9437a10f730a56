import { createHash, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import { readLeniently } from '../shapes/lenient.ts'
import { Id } from '../shapes/message.ts'

const Tree = z.string().regex(/^[0-9a-f]{64}$/)

/** What is known of a checkout. It lies beside its files, where nothing that runs in there can reach it. */
export const CheckoutRecord = z.strictObject({
  version: z.literal(1),
  /** The commit that it begins with, and what its files were then, as the shadow names it. */
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  clean: Tree,
  /** Whether the workspace had something then that was in no commit: it is not in here. */
  apart: z.boolean(),
  /** What is closed to everybody, as it was then. */
  closed: z.record(z.string(), z.string()),
  /** What was merged since: the entry that says so, and what the files were. */
  merges: z.array(z.strictObject({ id: Id, tree: Tree })),
})
export type CheckoutRecord = z.infer<typeof CheckoutRecord>

/** What the agent had when it was merged last; what it began with, where it was not. */
export const baseOf = ({ clean, merges }: CheckoutRecord): string => merges.at(-1)?.tree ?? clean

/** Where a checkout lies: the folder with all of it, its files, what is known of it, and the turns that have begun in it. */
type CheckoutAt = { outer: string; root: string; record: string; begun: string }

/** One for each workspace and agent; the files are in a folder of the same name as the workspace. */
export const checkoutAt = (folder: string, workspace: string, agent: string): CheckoutAt => {
  const key = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  const outer = join(folder, key, agent)
  return {
    outer,
    root: join(outer, basename(workspace) || 'files'),
    record: join(outer, RECORD),
    begun: join(outer, BEGUN),
  }
}

/** Beside all of them: the repository of our own that a git has which is to know nothing of theirs. */
export const OWN_GIT = '.git-own'

const RECORD = '.checkout.json'
const BEGUN = '.begun.json'

/** Null where there is none, or none that can be read. */
export const readRecord = async (file: string): Promise<CheckoutRecord | null> => {
  const text = await readFile(file, 'utf8').catch(() => null)
  const parsed = text === null ? null : parseJson(text)
  return readLeniently(CheckoutRecord, parsed)
}

export const writeRecord = (file: string, record: CheckoutRecord): Promise<void> => replace(file, record)

/** The turns that have begun in a checkout, as far as that is known. */
export const readBegun = async (file: string): Promise<string[]> =>
  z.array(Id).safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data ?? []

export const writeBegun = (file: string, turns: readonly string[]): Promise<void> => replace(file, turns)

const replace = async (file: string, value: unknown): Promise<void> => {
  const fresh = join(dirname(file), `.${randomBytes(6).toString('hex')}`)
  await writeFile(fresh, JSON.stringify(value, null, 2), { flush: true })
  await rename(fresh, file)
}
