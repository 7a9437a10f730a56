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
  | ({ kind: 'count'; of: 'matches' } & Pattern & Scope)
  | ({ kind: 'count'; of: 'files' } & Scope)
  | { kind: 'count'; of: 'lines'; path: string }
  | { kind: 'help' }
  | { kind: 'unknown' }

export type IntentOf<K extends Intent['kind']> = Extract<Intent, { kind: K }>
