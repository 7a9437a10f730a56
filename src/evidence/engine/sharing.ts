import { Problem } from '../../lib/problem.ts'

/**
 * What versions of Bellhop may share a store. A step of the schema that only adds (a table, an index, a column that may be
 * empty) leaves the store to those that do not know it: then this number stays as it is. A step that changes what is there
 * is for major versions, and this number becomes its own.
 */
export const SHARED_SINCE = { sqlite: 2, postgres: 1 } as const

/** A store as it says of itself: its version, and the version that a program has to know at least to work on it. */
export type Standing = { version: number; since: number }

/** What becomes of a store when a program opens it. */
type Fit = 'fits' | 'to migrate'

/** What a store is called, and what could be used instead. */
type Named = { what: string; other: string }

export const fitOf = ({ version, since }: Standing, known: number, { what, other }: Named): Fit => {
  if (version < known) return 'to migrate'
  if (version === known || since <= known) return 'fits'
  throw new Problem(
    `${what} was written by a newer Bellhop (store version ${version}, this one knows ${known})`,
    `update Bellhop, or use another ${other}`,
  )
}

/** What was done to a store, and where it is as it was before. */
export type Migrated = { from: number; to: number; kept: string | null }

/** How a store of an older version is brought to this one. */
export type Migrating = {
  /** Whether it is kept as it was, beside what it becomes. */
  keep: boolean
  migrated: (done: Migrated) => void
}

export const migratedLine = ({ from, to, kept }: Migrated): string =>
  `the evidence store was brought from version ${from} to ${to}; ${kept === null ? 'it was not kept' : `${kept} has it`} as it was`
