import { hashOf } from '../evidence/hash.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import type { Role } from '../shapes/person.ts'
import type { FileChange, FileState, RunResult, StepOutcome } from '../shapes/turn.ts'
import type { WorldStep } from '../shapes/world.ts'

/** A program that a stay has run, and how many changes had been made before it. */
export type RunRecord = { run: RunResult; ok: boolean; after: number }

/** One stay in a peripheral: what its steps came to so far. */
export type Stay = {
  peripheral: string
  spec: string
  /** The entry that started it, and the turn it is of. */
  started: string
  turn: string
  /** What a hop carried here. */
  context: Record<string, unknown>
  phase: string | null
  /** The undertaking that it has taken up. */
  undertaking: string | null
  steps: number
  found: Set<string>
  /** By path: what it was before the first change, and what it is since the last. */
  changes: Map<string, FileChange>
  /** How many steps have changed something. */
  changed: number
  runs: RunRecord[]
  /** The last result of each check that was run at an exit, and how many changes had been made by then. */
  checks: Map<string, { ok: boolean; said: string; after: number }>
  review: string | null
  /** What was played in a text world; null where nothing was. */
  world: { moves: number; won: Set<string>; score: number; idle: number } | null
  /** How many cycles of its undertaking it has completed. */
  cycles: number
  blocked: boolean
  /** What may have been written without anybody knowing: by a step that was cut off, or by a program in a terminal. */
  unsure: { all: boolean; paths: Set<string> }
}

type Turn = {
  id: string
  role: Role | null
  /** Where the work may lead, where an agent gave it: no further than its token. */
  within: readonly string[] | null
  started: number
  /** How long people and other agents were waited for; and since when they are, by which steps. */
  waited: number
  asked: number | null
  waiting: Set<string>
  steps: number
  output: number
  /** How often each call has failed since anything was changed. */
  failures: Map<string, number>
  stopped: boolean
  /** Whether the workspace was kept as it was before the turn changed anything. */
  snapshot: boolean
}

/** What the gate and the hops need to know of a session: a fold of its chain, and of nothing else. */
export type Ledger = {
  through: number
  steps: number
  turn: Turn | null
  stay: Stay | null
  /** What the session last saw of each file, or made of it. */
  seen: Map<string, FileState>
  /** What waits to be known of calls whose outcome has not come. */
  open: Map<string, ToolCall>
  /** What those of them would write. */
  writes: Map<string, readonly string[]>
  /** Steps that whoever asked for them has given up. */
  unwanted: Set<string>
  /** The stay that tested last, whether or not it goes on. */
  tested: Stay | null
  /** What is known of turns that have not begun. */
  asked: Map<string, { role: Role | null; within: readonly string[] | null }>
}

/** As many files as a session remembers having seen: the oldest are forgotten, and read again before an edit. */
const SEEN = 5000
/** The most paths a fruit lists: the steps have them all. */
const FOUND = 200
/** The most runs that are looked at for a test result: far more than a turn has steps. */
const RUNS = 1000

export const emptyLedger = (): Ledger => ({
  through: 0,
  steps: 0,
  turn: null,
  stay: null,
  seen: new Map(),
  open: new Map(),
  writes: new Map(),
  unwanted: new Set(),
  tested: null,
  asked: new Map(),
})

/** Moves the ledger by one entry. */
export const note = (ledger: Ledger, entry: Entry): void => {
  ledger.through = entry.seq
  const move = moves[entry.body?.event] as ((l: Ledger, body: Entry['body'], entry: Entry) => void) | undefined
  if (entry.body) move?.(ledger, entry.body, entry)
}

type Moves = { [E in EventName]?: (ledger: Ledger, body: BodyOf<E>, entry: Entry) => void }

const moves: Moves = {
  accepted: (ledger, { role = null, within = null }, { id }) => {
    ledger.asked.set(id, { role, within })
  },
  'turn-started': (ledger, { turn }, { at }) => {
    const asked = ledger.asked.get(turn) ?? { role: null, within: null }
    const spent = { waited: 0, asked: null, waiting: new Set<string>(), steps: 0, output: 0 }
    const fresh = { ...spent, failures: new Map(), stopped: false, snapshot: false }
    ledger.turn = { id: turn, ...asked, started: Date.parse(at), ...fresh }
  },
  'turn-ended': (ledger, { turn }) => {
    ledger.turn = null
    ledger.asked.delete(turn)
    ledger.open.clear()
    ledger.writes.clear()
    ledger.unwanted.clear()
  },
  'stop-asked': ({ turn, unwanted }, body) => {
    if (body.step !== undefined) unwanted.add(body.step)
    else if (turn?.id === body.turn) turn.stopped = true
  },
  'approval-asked': ({ turn }, { step }, { at }) => waits(turn, step, at),
  'approval-decided': ({ turn }, { step }, { at }) => goesOn(turn, step, at),
  parked: ({ turn }, { step }, { at }) => waits(turn, step, at),
  'snapshot-taken': ({ turn }) => {
    if (turn) turn.snapshot = true
  },
  'peripheral-started': (ledger, { peripheral, spec, turn, context = {} }, { id }) => {
    ledger.stay = newStay({ peripheral, spec, turn, context, started: id })
  },
  'peripheral-stopped': (ledger) => {
    if (ledger.stay?.runs.some(({ run }) => run.for === 'test')) ledger.tested = ledger.stay
    ledger.stay = null
  },
  'step-intended': (ledger, { step, call, writes = [] }, { at }) => {
    goesOn(ledger.turn, step, at)
    ledger.steps++
    if (ledger.turn) ledger.turn.steps++
    if (ledger.stay) ledger.stay.steps++
    ledger.open.set(step, call)
    ledger.writes.set(step, writes)
  },
  'step-refused': ({ turn, stay }, { step, call, refusal }, { at }) => {
    goesOn(turn, step, at)
    if (stay) {
      stay.steps++
      stay.blocked = true
      unchecked(stay, step, refusal.message)
    }
    if (!turn) return
    // A call that is refused is a step of the budget too: an agent cannot knock at the wall for ever.
    turn.steps++
    failedOnce(turn, call)
  },
  'step-ended': (ledger, body) => {
    const { step, outcome } = body
    const call = ledger.open.get(step)
    if (ledger.stay && call) doubt(ledger.stay, call, outcome, ledger.writes.get(step) ?? [])
    ledger.open.delete(step)
    ledger.writes.delete(step)
    if (ledger.turn && call) reckon(ledger.turn, call, outcome)
    remember(ledger.seen, outcome)
    if (ledger.stay) gather(ledger.stay, body)
    if (ledger.tested && changesIn(outcome).length > 0) ledger.tested = null
  },
  reviewed: ({ stay }, _body, { id }) => {
    if (stay) stay.review = id
  },
  // What was put back is as if it had not been changed, and nothing that was tested holds any more.
  restored: (ledger, { files }) => {
    for (const change of files) {
      if (ledger.stay) changeOnce(ledger.stay, change)
      if (change.after === null) ledger.seen.delete(change.path)
      else ledger.seen.set(change.path, change.after)
    }
    ledger.tested = null
  },
}

/** How long a turn has waited for people and other agents, up to a moment. */
export const waitedBy = ({ waited, asked }: Pick<Turn, 'waited' | 'asked'>, now: number): number =>
  waited + (asked === null ? 0 : now - asked)

const waits = (turn: Turn | null, step: string, at: string): void => {
  if (!turn) return
  turn.asked ??= Date.parse(at)
  turn.waiting.add(step)
}

/** Steps that wait at the same time are waited for once. */
const goesOn = (turn: Turn | null, step: string, at: string): void => {
  if (!turn?.waiting.delete(step) || turn.asked === null || turn.waiting.size > 0) return
  turn.waited = waitedBy(turn, Date.parse(at))
  turn.asked = null
}

const newStay = (of: Pick<Stay, 'peripheral' | 'spec' | 'turn' | 'context' | 'started'>): Stay => ({
  ...of,
  phase: null,
  undertaking: null,
  steps: 0,
  found: new Set(),
  changes: new Map(),
  changed: 0,
  runs: [],
  checks: new Map(),
  review: null,
  world: null,
  cycles: 0,
  blocked: false,
  unsure: { all: false, paths: new Set() },
})

/** A call as something that can be hashed as the store would: with the secrets taken out. */
export const callBody = (call: ToolCall) => ({ event: 'step-intended', turn: 'any', step: 'any', call }) as const

const callKey = (call: ToolCall): string => hashOf(callBody(call))

const failedOnce = ({ failures }: Turn, call: ToolCall): void => {
  const key = callKey(call)
  failures.set(key, (failures.get(key) ?? 0) + 1)
}

const doubt = ({ unsure }: Stay, call: ToolCall, outcome: StepOutcome, writes: readonly string[]): void => {
  if (call.tool === 'run' && call.args['terminal'] !== undefined) unsure.all = true
  if (outcome.kind !== 'interrupted') return
  // What a program has written by then, nobody knows: neither one that was run, nor another server.
  if (call.tool === 'run' || call.tool.includes('.')) unsure.all = true
  for (const path of writes) unsure.paths.add(path)
}

const changesIn = (outcome: StepOutcome): readonly FileChange[] =>
  outcome.kind === 'interrupted' ? [] : (outcome.files ?? [])

const reckon = (turn: Turn, call: ToolCall, outcome: StepOutcome): void => {
  if (outcome.kind !== 'interrupted') turn.output += Buffer.byteLength(outcome.output ?? '')
  if (changesIn(outcome).length > 0) turn.failures.clear()
  if (outcome.kind !== 'ok') failedOnce(turn, call)
}

/** What a session knows of files: what it read, and what it left them as. */
const remember = (seen: Ledger['seen'], outcome: StepOutcome): void => {
  if (outcome.kind === 'interrupted') return
  for (const { path, state } of outcome.seen ?? []) see(seen, path, state)
  for (const { path, after } of outcome.files ?? []) see(seen, path, after)
}

const see = (seen: Ledger['seen'], path: string, state: FileState | null): void => {
  seen.delete(path)
  if (state !== null) seen.set(path, state)
  const [oldest] = seen.keys()
  if (seen.size > SEEN && oldest !== undefined) seen.delete(oldest)
}

const gather = (stay: Stay, { step, tool, outcome }: BodyOf<'step-ended'>): void => {
  stay.blocked = outcome.kind !== 'ok'
  if (outcome.kind !== 'ok') unchecked(stay, step, outcome.message)
  if (outcome.kind === 'interrupted') return
  const changes = changesIn(outcome)
  for (const change of changes) changeOnce(stay, change)
  if (changes.length > 0) stay.changed++
  if (outcome.run) ranOnce(stay, step, outcome.run, outcome.kind === 'ok')
  if (outcome.kind !== 'ok') return
  for (const path of outcome.paths) if (stay.found.size < FOUND) stay.found.add(path)
  move(stay, tool, outcome)
}

const move = (stay: Stay, tool: string, { phase, undertaking, world }: StepOutcome & { kind: 'ok' }): void => {
  if (phase !== undefined) stay.phase = phase
  if (undertaking !== undefined) stay.undertaking = undertaking
  // From the last phase one gets on only through all gates.
  if (phase === 'setup' && tool === 'advance') stay.cycles++
  if (world) movedOnce(stay, world)
}

/** A move in a text world, as the game answered it. */
const movedOnce = (stay: Stay, { game, changed, score, won }: WorldStep): void => {
  const { moves, won: before, idle } = stay.world ?? { moves: 0, won: new Set<string>(), idle: 0 }
  stay.world = { moves: moves + 1, won: won ? before.add(game) : before, score, idle: changed ? 0 : idle + 1 }
}

const changeOnce = ({ changes }: Stay, { path, before, after, added, removed }: FileChange): void => {
  const was = changes.get(path)
  const first = was ? was.before : before
  if (first === after) changes.delete(path)
  else
    changes.set(path, {
      path,
      before: first,
      after,
      added: sum(was?.added, added),
      removed: sum(was?.removed, removed),
    })
}

const sum = (a: number | null | undefined, b: number | null): number | null =>
  a === null || b === null ? null : (a ?? 0) + b

const ranOnce = (stay: Stay, step: string, run: RunResult, ok: boolean): void => {
  const check = checkNameOf(step)
  const said = ok ? 'passed' : `${run.argv.join(' ')}: ${run.ended === 'exit' ? `exit ${run.exit}` : run.ended}`
  if (check !== null) stay.checks.set(check, { ok, said, after: stay.changed })
  if (stay.runs.length < RUNS) stay.runs.push({ run, ok, after: stay.changed })
}

/** A check that did not come to a result has not passed. */
const unchecked = (stay: Stay, step: string, said: string): void => {
  const check = checkNameOf(step)
  if (check !== null) stay.checks.set(check, { ok: false, said, after: stay.changed })
}

/** Checks are steps beside the numbered ones: `TURN.4.check-lint`. */
export const checkStep = (name: string): string => `check-${name}`
const checkNameOf = (step: string): string | null => /\.check-([^.]+)$/.exec(step)?.[1] ?? null
