import { taggedIn } from '../evidence/drafts.ts'
import type { BodyOf, Entry } from '../shapes/evidence.ts'
import type { Fruit } from '../shapes/fruit.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import type { FileChange, StepOutcome, StepReport } from '../shapes/turn.ts'

/** One step of a turn: what was called, what it touched, and how it ended; null where that is not known. */
export type StepAccount = {
  step: string
  call: ToolCall | null
  touched: readonly string[]
  report: StepReport | null
  from: string[]
}

/** What the evidence has of one turn, as far as its entries are at hand. */
export type Account = {
  turn: string
  agent: string
  room: string
  /** Where it was accepted. */
  position: number
  asked: { by: string; request: string } | null
  ended: Pick<BodyOf<'turn-ended'>, 'outcome' | 'answer'> | null
  /** What each of its stays left, in order. */
  fruits: Fruit[]
  steps: StepAccount[]
  /** What people added while it ran. */
  added: { by: string; text: string }[]
  from: string[]
}

/** The accounts of all turns that some entries are of, in the order that the turns come up. */
export const accountsIn = (entries: readonly Entry[]): Map<string, Account> => {
  const accounts = new Map<string, Account>()
  for (const entry of entries.toSorted((a, b) => a.position - b.position)) {
    const turn = turnOf(entry)
    if (turn === null) continue
    const account = accounts.get(turn) ?? begun(turn, entry)
    accounts.set(turn, account)
    if (takes(account, entry)) account.from.push(entry.id)
  }
  return accounts
}

/** The turn that an entry is of; null where it is of none. */
export const turnOf = ({ id, body }: Entry): string | null => {
  if (body?.event === 'accepted') return id
  return body && 'turn' in body && typeof body.turn === 'string' ? body.turn : null
}

export const tagged = ({ tags }: Entry, family: 'agent' | 'room'): string => taggedIn(tags, family) ?? ''

const begun = (turn: string, entry: Entry): Account => ({
  turn,
  agent: tagged(entry, 'agent'),
  room: tagged(entry, 'room'),
  position: entry.position,
  asked: null,
  ended: null,
  fruits: [],
  steps: [],
  added: [],
  from: [],
})

/** Adds what an entry says to the account of its turn; answers whether it says anything. */
const takes = (account: Account, { id, author, body }: Entry): boolean => {
  switch (body.event) {
    case 'accepted':
      account.asked = { by: author.id, request: body.request }
      return true
    case 'turn-amended':
      account.asked = { by: author.id, request: body.request }
      return true
    case 'steered':
      account.added.push({ by: author.id, text: body.text })
      return true
    case 'turn-ended':
      account.ended = { outcome: body.outcome, answer: body.answer }
      return true
    case 'peripheral-stopped':
      account.fruits.push(body.fruit)
      return true
    default:
      return takesStep(account, id, body)
  }
}

const takesStep = ({ steps }: Account, id: string, body: Entry['body']): boolean => {
  switch (body.event) {
    case 'step-intended':
      stepIn(steps, body.step, id, { call: body.call, touched: [...(body.reads ?? []), ...(body.writes ?? [])] })
      return true
    case 'step-ended':
      stepIn(steps, body.step, id, { report: body.outcome })
      return true
    case 'step-refused':
      stepIn(steps, body.step, id, { call: body.call, report: { kind: 'refused', refusal: body.refusal } })
      return true
    default:
      return false
  }
}

const stepIn = (steps: StepAccount[], step: string, id: string, known: Partial<StepAccount>): void => {
  const at = steps.findLastIndex((one) => one.step === step)
  const before = steps[at] ?? { step, call: null, touched: [], report: null, from: [] }
  const now = { ...before, ...known, from: [...before.from, id] }
  if (at === -1) steps.push(now)
  else steps[at] = now
}

/** The names of all files that a step touched. */
export const pathsOf = ({ touched, report }: StepAccount): string[] => {
  if (report?.kind !== 'ok' && report?.kind !== 'failed') return [...touched]
  const { changed = [], files = [] } = report
  return [...touched, ...readBy(report), ...changed, ...files.map(({ path }) => path)]
}

const readBy = (outcome: StepOutcome): string[] => (outcome.kind === 'ok' ? outcome.paths : [])

/** What the stays of a turn left, taken together: of each kind what was left last, and all files. */
export const fruitIn = ({ fruits }: Account): Fruit => {
  const changed = new Map<string, FileChange>()
  for (const fruit of fruits) for (const change of fruit.changed ?? []) changed.set(change.path, change)
  const merged = Object.assign({ steps: 0, found: [] }, ...fruits)
  return {
    ...merged,
    found: [...new Set(fruits.flatMap(({ found }) => found))],
    ...(changed.size > 0 && { changed: [...changed.values()] }),
  }
}

/** Whether there is anything in a fruit that somebody could go on from. */
export const isSomething = ({ found, changed = [], tests, deploy, review }: Fruit): boolean =>
  found.length + changed.length > 0 || Boolean(tests ?? deploy ?? review)
