import type { HandCall } from './call.ts'

/** Where a request looks: below one path, and only in files that match; null is the whole workspace. */
export type Scope = { where: string | null; glob: string | null }

export type Pattern = { pattern: string; syntax: 'literal' | 'regex'; ignoreCase: boolean }

/** What a rehearsal understood of a request. */
export type Intent =
  | ({ kind: 'define'; name: string } & Scope)
  | ({ kind: 'uses'; name: string } & Scope)
  | ({ kind: 'search' } & Pattern & Scope)
  | ({ kind: 'list' } & Scope)
  | { kind: 'read'; path: string; from: number | null; to: number | null }
  | { kind: 'reads'; paths: readonly string[] }
  | ({ kind: 'count'; of: 'matches' } & Pattern & Scope)
  | ({ kind: 'count'; of: 'files' } & Scope)
  | { kind: 'count'; of: 'lines'; path: string }
  | { kind: 'replace'; old: string; new: string; path: string; all: boolean }
  | { kind: 'create'; path: string; text: string }
  | { kind: 'run'; argv: readonly string[] }
  | { kind: 'test' }
  | { kind: 'fetch'; url: string }
  | { kind: 'commit'; message: string }
  | { kind: 'push' }
  | { kind: 'evidence' }
  | { kind: 'reflect' }
  | { kind: 'hop'; to: string }
  /** Null where the arguments are no JSON object. */
  | { kind: 'use'; call: HandCall | null }
  | { kind: 'help' }
  | { kind: 'unknown' }

export type IntentOf<K extends Intent['kind']> = Extract<Intent, { kind: K }>

/** One part of a request: what it means, how it was said, and whether it comes after something, with "then". */
export type Part = { intent: Intent; said: string; after: boolean }
