import type { Body, BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Domain } from '../shapes/peripheral.ts'
import {
  type Artifact,
  type Classified,
  CyclePhase,
  domainOf,
  type FailedApproach,
  type LedgerItem,
  type Licence,
  type ProofMode,
  type UndertakingId,
} from '../shapes/undertaking.ts'

export type Items = ReadonlyMap<string, LedgerItem>

/** One round of work on one item: where it stands, and what its phases have brought so far. */
export type Cycle = {
  n: number
  item: string
  mode: ProofMode | null
  phase: CyclePhase
  /** The places in the store where it began, and where its phase did: what lies before has no part in it. */
  began: number
  since: number
  approach: string | null
  /** The items that the approach is to change. */
  wanted: readonly string[]
  artifacts: readonly Artifact[]
  validations: readonly string[]
  classified: ReadonlyMap<string, Classified>
  /** The ledger as it was when the cycle began: what the changes are held against, and what is left where it is given up. */
  base: Items
  /** The sessions that have had a hand in it. */
  sessions: ReadonlySet<string>
}

type EndedCycle = Pick<BodyOf<'cycle-ended'>, 'n' | 'outcome' | 'why' | 'gates' | 'paths'> & {
  item: string
  mode: ProofMode | null
  at: string
}

/** What is to be proved, to the letter, and why it is not what it was before. */
type Statement = Pick<BodyOf<'statement-set'>, 'version' | 'text' | 'hash' | 'why'>

/** A proof or a mission as its chain says it stands; a fold of that and of nothing else. */
export type Undertaking = {
  id: UndertakingId
  domain: Domain
  title: string
  /** How many entries there are: the next one has the number after it. */
  version: number
  statement: Statement | null
  /** Every version of it, the first one first. */
  statements: readonly Statement[]
  items: Items
  failed: readonly FailedApproach[]
  cycle: Cycle | null
  cycles: readonly EndedCycle[]
  mode: ProofMode
  /** How many cycles have ended since the mode was entered: an attempt counts, whatever came of it. */
  attempts: number
  licence: Licence | null
  /** The means of licences that were given before, by item: none is given twice. */
  levers: readonly { item: string; lever: string }[]
  holder: { session: string; stay: string } | null
  saved: { file: Artifact; through: number } | null
  /** The items that its file has, or had: taken in from there, or saved. */
  filed: ReadonlySet<string>
  /** The entry that last changed what a saved file would say. */
  changed: number
}

/** An undertaking as it is before its first entry; null where that does not open one. */
export const begunBy = ({ body }: Pick<Entry, 'body'>): Undertaking | null =>
  body?.event === 'undertaking-opened' ? begun(body) : null

const begun = ({ undertaking, title }: BodyOf<'undertaking-opened'>): Undertaking => ({
  id: undertaking,
  domain: domainOf(undertaking),
  title,
  version: 0,
  statement: null,
  statements: [],
  items: new Map(),
  failed: [],
  cycle: null,
  cycles: [],
  mode: 'SPEC',
  attempts: 0,
  licence: null,
  levers: [],
  holder: null,
  saved: null,
  filed: new Set(),
  changed: 0,
})

type Written = Pick<Entry, 'seq' | 'body' | 'position' | 'at'>

/** How it stands after one more entry. */
export const after = (before: Undertaking, { seq, body, position, at }: Written): Undertaking => {
  const moved = body ? moves[body.event] : undefined
  const place: Place = { position, at, seq }
  const now = moved ? (moved as Move<EventName>)(before, body as never, place) : {}
  return { ...before, ...now, version: seq }
}

type Place = { position: number; at: string; seq: number }
type Move<E extends EventName> = (before: Undertaking, body: BodyOf<E>, place: Place) => Partial<Undertaking>
type Moves = { [E in Body['event']]?: Move<E> }

const moves: Moves = {
  'undertaking-opened': (_before, _body, { seq }) => ({ changed: seq }),
  'undertaking-taken': ({ cycle }, { session, stay }) => ({
    holder: { session, stay },
    cycle: cycle && { ...cycle, sessions: new Set([...cycle.sessions, session]) },
  }),
  'statement-set': ({ items, statements }, { version, text, hash, why, shaken }, { seq }) => ({
    items: opened(items, shaken, 'the statement has changed'),
    statement: { version, text, hash, why },
    statements: [...statements, { version, text, hash, why }],
    changed: seq,
  }),
  'item-set': ({ items, filed }, { item, shaken, from }, { seq }) => ({
    items: withItem(items, item, shaken),
    filed: from === undefined ? filed : new Set([...filed, item.id]),
    changed: seq,
  }),
  'item-classified': ({ cycle }, { classified }) => ({
    cycle: cycle && { ...cycle, classified: new Map([...cycle.classified, [classified.item, classified]]) },
  }),
  'cycle-begun': ({ items, holder }, { n, item, mode }, { position }) => ({
    cycle: {
      n,
      item,
      mode,
      phase: 'observe',
      began: position,
      since: position,
      approach: null,
      wanted: [],
      artifacts: [],
      validations: [],
      classified: new Map(),
      base: items,
      sessions: new Set(holder ? [holder.session] : []),
    },
  }),
  'cycle-moved': ({ cycle, items, changed, filed }, { to, outputs, artifacts, why }, { position, seq }) => {
    if (!cycle) return {}
    const now = why === undefined ? forward(cycle, outputs, artifacts ?? []) : backTo(cycle, to)
    const undone = why !== undefined && comesBefore(to, 'integrate') && cycle.base !== items
    return {
      cycle: { ...now, phase: to, since: position },
      items: undone ? cycle.base : items,
      filed: undone ? filedIn(cycle.base, filed) : filed,
      changed: undone ? seq : changed,
    }
  },
  'approach-failed': ({ failed }, body) => ({ failed: [...failed, body.failed] }),
  'cycle-ended': (
    { cycle, cycles, items, attempts, changed, filed },
    { n, outcome, why, gates, paths },
    { at, seq },
  ) => {
    const undone = outcome === 'given-up' && cycle !== null
    return {
      cycle: null,
      cycles: [...cycles, { n, outcome, why, gates, paths, at, item: cycle?.item ?? '', mode: cycle?.mode ?? null }],
      attempts: attempts + 1,
      items: undone ? cycle.base : items,
      filed: undone ? filedIn(cycle.base, filed) : filed,
      changed: undone && cycle.base !== items ? seq : changed,
    }
  },
  'proof-mode-moved': (_before, { to }) => ({ mode: to, attempts: 0 }),
  'licence-given': ({ levers }, { licence }) => ({
    licence,
    levers: [...levers, { item: licence.item, lever: licence.lever }],
  }),
  'licence-ended': () => ({ licence: null }),
  'undertaking-saved': ({ items }, { file, through }) => ({ saved: { file, through }, filed: new Set(items.keys()) }),
}

/** What is not in the ledger any more was never in the file of it. */
const filedIn = (items: Items, filed: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...filed].filter((id) => items.has(id)))

type Outputs = BodyOf<'cycle-moved'>['outputs']

/** What a phase brought is the cycle's from here on. */
const forward = (cycle: Cycle, outputs: Outputs, artifacts: readonly Artifact[]): Cycle => ({
  ...cycle,
  approach: typeof outputs['approach'] === 'string' ? outputs['approach'] : cycle.approach,
  wanted: listed(outputs['items']) ?? cycle.wanted,
  artifacts: outputs['artifacts'] === undefined ? cycle.artifacts : artifacts,
  validations: listed(outputs['validation']) ?? cycle.validations,
})

/** Who goes back takes back what comes after: what was to be changed, what was made, what was shown of it, what it is worth. */
const backTo = (cycle: Cycle, to: CyclePhase): Cycle => ({
  ...cycle,
  ...(comesBefore(to, 'execute') && { approach: null, wanted: [] }),
  ...(comesBefore(to, 'validate') && { artifacts: [] }),
  ...(comesBefore(to, 'classify') && { validations: [] }),
  ...(comesBefore(to, 'integrate') && { classified: new Map() }),
})

const comesBefore = (one: CyclePhase, other: CyclePhase): boolean =>
  CyclePhase.options.indexOf(one) < CyclePhase.options.indexOf(other)

const listed = (value: Outputs[string] | undefined): readonly string[] | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? [value] : value

const withItem = (items: Items, item: LedgerItem, shaken: readonly string[]): Items =>
  opened(new Map(items).set(item.id, item), shaken, `${item.id} has changed`)

/** What rests on something that changed is open again, and says why. */
const opened = (items: Items, shaken: readonly string[], why: string): Items => {
  const now = new Map(items)
  for (const id of shaken) {
    const one = now.get(id)
    if (one) now.set(id, { ...one, status: 'open', basis: null, artifacts: [], runs: [], why })
  }
  return now
}
