import type { Body, BodyOf, Entry } from '../../shapes/evidence.ts'
import type { Artifact, Classified, FailedApproach, LedgerItem, Licence } from '../../shapes/undertaking.ts'
import { canonical } from '../hash.ts'

/** What is written in the chain of an undertaking. */
export type Undertaken = Extract<Body, { undertaking: string }>

export type Items = ReadonlyMap<string, LedgerItem>

/** The phases of a cycle, in their order. */
export const ORDER: readonly string[] = [
  'setup',
  'observe',
  'propose',
  'execute',
  'validate',
  'classify',
  'integrate',
  'commit',
  'gate-review',
]

type Round = {
  n: number
  item: string
  phase: string
  since: number
  approach: string | null
  wanted: readonly string[]
  artifacts: readonly Artifact[]
  runs: readonly string[]
  classified: Map<string, Classified>
  base: Items
  /** Who has had a hand in it. */
  sessions: Set<string>
}

/** How an undertaking stands, as its entries have said so far: read for the second time, by nothing that wrote them. */
export type Book = {
  id: string
  holder: { session: string; stay: string } | null
  statement: { version: number; text: string } | null
  items: Items
  round: Round | null
  /** How many rounds have ended, and how many of them in this mode. */
  rounds: number
  inMode: number
  mode: string
  failed: FailedApproach[]
  /** The last approach that was kept as failed, and by which step. */
  kept: { step: string; approach: string } | null
  licence: Licence | null
  levers: Set<string>
  saved: { file: Artifact; through: number } | null
  /** The entry after which the saved file would say something else. */
  changed: number
}

export const emptyBook = (id: string): Book => ({
  id,
  holder: null,
  statement: null,
  items: new Map(),
  round: null,
  rounds: 0,
  inMode: 0,
  mode: 'SPEC',
  failed: [],
  kept: null,
  licence: null,
  levers: new Set(),
  saved: null,
  changed: 1,
})

/** Writes an entry into the book, whatever was wrong with it: what follows is judged by what there is. */
export const write = (book: Book, entry: Entry, body: Undertaken): void => {
  const change = changes[body.event] as ((book: Book, body: Undertaken, entry: Entry) => void) | undefined
  change?.(book, body, entry)
}

type Changes = { [E in Undertaken['event']]?: (book: Book, body: BodyOf<E>, entry: Entry) => void }

const changes: Changes = {
  'undertaking-taken': (book, { session, stay }) => {
    book.holder = { session, stay }
    book.round?.sessions.add(session)
  },
  'statement-set': (book, { version, text, shaken }, { seq }) => {
    book.statement = { version, text }
    book.items = fallen(book.items, shaken, 'the statement has changed')
    book.changed = seq
  },
  'item-set': (book, { item, shaken }, { seq }) => {
    book.items = fallen(new Map(book.items).set(item.id, item), shaken, `${item.id} has changed`)
    book.changed = seq
  },
  'item-classified': ({ round }, { classified }) => void round?.classified.set(classified.item, classified),
  'cycle-begun': (book, { n, item }, { position }) => {
    book.round = {
      n,
      item,
      phase: 'observe',
      since: position,
      approach: null,
      wanted: [],
      artifacts: [],
      runs: [],
      classified: new Map(),
      base: book.items,
      sessions: new Set(book.holder ? [book.holder.session] : []),
    }
  },
  'cycle-moved': (book, body, { position, seq }) => {
    const { round } = book
    if (!round) return
    if (body.why === undefined) brought(round, body)
    else takenBack(round, body.to)
    if (body.why !== undefined && ORDER.indexOf(body.to) < ORDER.indexOf('integrate')) undo(book, seq)
    round.phase = body.to
    round.since = position
  },
  'approach-failed': (book, { failed, step }) => {
    book.failed.push(failed)
    book.kept = { step, approach: failed.approach }
  },
  'cycle-ended': (book, { outcome }, { seq }) => {
    if (outcome === 'given-up') undo(book, seq)
    book.round = null
    book.rounds++
    book.inMode++
  },
  'proof-mode-moved': (book, { to }) => {
    book.mode = to
    book.inMode = 0
  },
  'licence-given': (book, { licence }) => {
    book.licence = licence
    book.levers.add(leverOf(licence))
  },
  'licence-ended': (book) => {
    book.licence = null
  },
  'undertaking-saved': (book, { file, through }) => {
    book.saved = { file, through }
  },
}

export const leverOf = ({ item, lever }: Pick<Licence, 'item' | 'lever'>): string => `${item}\n${lever.trim()}`

/** The ledger is what it was when the cycle began. */
const undo = (book: Book, seq: number): void => {
  if (!book.round || book.round.base === book.items) return
  book.items = book.round.base
  book.changed = seq
}

const brought = (round: Round, { outputs, artifacts = [] }: BodyOf<'cycle-moved'>): void => {
  if (round.phase === 'propose') {
    round.approach = saidIn(outputs['approach']).join('\n') || null
    round.wanted = saidIn(outputs['items'])
  }
  if (round.phase === 'execute') round.artifacts = artifacts
  if (round.phase === 'validate') round.runs = saidIn(outputs['validation'])
}

const takenBack = (round: Round, to: string): void => {
  const at = ORDER.indexOf(to)
  if (at <= ORDER.indexOf('propose')) {
    round.approach = null
    round.wanted = []
  }
  if (at <= ORDER.indexOf('execute')) round.artifacts = []
  if (at <= ORDER.indexOf('validate')) round.runs = []
  if (at <= ORDER.indexOf('classify')) round.classified = new Map()
}

/** What an output says, as a list. */
export const saidIn = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

const fallen = (items: Items, shaken: readonly string[], why: string): Items => {
  const now = new Map(items)
  for (const id of shaken) {
    const item = now.get(id)
    if (item) now.set(id, { ...item, status: 'open', basis: null, artifacts: [], runs: [], why })
  }
  return now
}

/** The items that are another in one ledger than in the other, in the order of their names. */
export const changedItems = (before: Items, now: Items): string[] =>
  [...new Set([...before.keys(), ...now.keys()])]
    .filter((id) => canonical(before.get(id) ?? null) !== canonical(now.get(id) ?? null))
    .sort()

/** All that depends on an item, directly or over others. */
export const restingOn = (items: Items, ids: readonly string[]): Set<string> => {
  const above = directlyOn(items)
  const found = new Set<string>()
  const next = [...ids]
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    const more = (above.get(id) ?? []).filter((up) => !found.has(up))
    for (const up of more) found.add(up)
    next.push(...more)
  }
  return found
}

const directlyOn = (items: Items): Map<string, string[]> => {
  const above = new Map<string, string[]>()
  for (const { id, dependsOn } of items.values()) {
    for (const other of dependsOn) {
      const ups = above.get(other)
      if (ups) ups.push(id)
      else above.set(other, [id])
    }
  }
  return above
}
