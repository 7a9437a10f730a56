import { z } from 'zod'

/** The version of the archive: a reader knows those up to its own. */
export const FORMAT = 1

/** The first file of a backup says what it is, the last one what is in it. */
export const FIRST = 'bellhop-backup.json'
export const LAST = 'manifest.json'

/** What a restore that was cut off leaves: nothing may be started on such a folder. */
export const UNFINISHED = 'restore-unfinished'

/** What a newer Bellhop may add is passed over. */
export const Opening = z.object({
  bellhop: z.literal('backup'),
  format: z.int().positive(),
  version: z.string(),
  at: z.string(),
  /** Whether whoever has it can act as this instance, and as its agents. */
  secrets: z.boolean(),
})

export const Manifest = Opening.extend({
  /** Of which the evidence is: a file in this archive, however it was kept. */
  engine: z.enum(['sqlite', 'postgres']),
  evidence: z.object({ entries: z.int().nonnegative(), position: z.int().nonnegative(), root: z.string() }),
  /** The name of the config file, where there was one. */
  config: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), size: z.int().nonnegative(), sha256: z.string() })),
  links: z.int().nonnegative(),
  /** What could not be taken along. */
  left: z.array(z.string()),
})
export type Manifest = z.infer<typeof Manifest>

/** What a backup came to, for whoever made it or looks at it. */
export type Summary = Omit<Manifest, 'files' | 'bellhop'> & { file: string; files: number; bytes: number }

export const summaryOf = (file: string, { files, bellhop: _, ...rest }: Manifest): Summary => ({
  ...rest,
  file,
  files: files.length,
  bytes: files.reduce((sum, { size }) => sum + size, 0),
})
