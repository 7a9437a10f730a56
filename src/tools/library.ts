import type { PatternId } from '../shapes/pattern.ts'
import type { Result } from '../shapes/result.ts'
import type { Told } from './control.ts'

type Telling = Promise<Result<Told>>

/** What an agent says when it chooses a pattern: why, and over which others. */
export type Selecting = { pattern: string; why: string; over: readonly { pattern: string; why: string }[] }

/** What it says of one that it chose: what came of it, and the steps that show it. */
export type Judging = { pattern: string; outcome: 'worked' | 'failed'; why: string; steps: readonly string[] }

/** That it leaves one: for another, or for what no pattern says. */
export type Pivoting = { from: string; to: string | null; why: string; instead: string | null }

export type Punctuating = Record<'worked' | 'didNot' | 'surprises' | 'next', string> & { solution: string | null }

/** A new pattern as it is to be written, and the entries that it was proposed for. */
export type Composed = { text: string; evidence: string[] }

/** The library of patterns, as it is seen from one step: in its session, with the files that its wall shows. */
export type Library = {
  /** The folder that new ones are made in. */
  folder: string
  /** The patterns that have the words, the best first; all of them where nothing is looked for. */
  search: (query: string | null, most: number) => Telling
  read: (pattern: string) => Telling
  record: (pattern: string | null) => Telling
  select: (selecting: Selecting) => Telling
  judge: (judging: Judging) => Telling
  pivot: (pivoting: Pivoting) => Telling
  punctuate: (words: Punctuating) => Telling
  /** What people are to decide; or one of these. */
  proposals: (pattern: string | null) => Telling
  decline: (pattern: string, why: string) => Telling
  retire: (pattern: string, why: string, back: boolean) => Telling
  /** The file of a new one: of what is given, or of what was proposed under its name. */
  compose: (pattern: PatternId, words: { description: string; text: string } | null) => Promise<Result<Composed>>
  /** Writes down that it was made. */
  added: (pattern: PatternId, path: string, evidence: string[]) => void
  /** Why nothing may be changed in the room as it is; null where it may be. */
  closed: () => Promise<string | null>
}
