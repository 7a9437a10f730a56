import type { Entry } from '../../shapes/evidence.ts'
import type { FileState } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import type { Book, Undertaken } from './book.ts'

/** A step of some session, as far as an undertaking is judged by it. What was let go by policy is null. */
export type Deed = {
  session: string
  agent: string
  /** The stay behind a wall that it was taken in, by the entry that began it. */
  stay: string | null
  began: number
  at: string
  call: { turn: string; tool: string; args: Record<string, unknown> } | null
  /** Where it ended; null where it did not. */
  ended: number | null
  outcome: Came | null
}

/** What came of it: whether it ended well, with a program that did, and what it left. */
export type Came = {
  ok: boolean
  ran: boolean
  argv: readonly string[]
  files: readonly { path: string; after: FileState | null }[]
}

/** What other chains say of the steps that an undertaking names. */
export type Deeds = {
  of: (step: string) => Deed | null
  /** Where a stay was over; null where it is not, or was not when it was looked up. */
  over: (stay: string) => number | null
  /** What the sessions of a cycle had left files as when this entry was written; null where not all is there any more. */
  left: (entry: string) => ReadonlyMap<string, FileState | null> | null
}

/** What an entry of an undertaking is judged by. */
export type At = { book: Book; entry: Entry; deed: Deed | null; deeds: Deeds }

export const wrong = (rule: string, what: string): Finding => ({ rule, what })

/** Which tools write what. What only missions have is theirs. */
const DOERS: { [E in Undertaken['event']]: readonly string[] } = {
  'undertaking-opened': ['proof-load', 'mission-load'],
  'undertaking-taken': ['proof-load', 'mission-load'],
  'statement-set': ['proof-statement'],
  'item-set': ['ledger-upsert'],
  'item-classified': ['classify'],
  'cycle-begun': ['cycle-begin'],
  'cycle-moved': ['advance', 'cycle-back'],
  'approach-failed': ['approach-failed', 'cycle-back', 'cycle-end'],
  'cycle-ended': ['advance', 'cycle-end'],
  'proof-mode-moved': ['proof-mode'],
  'licence-given': ['proof-licence'],
  'licence-ended': ['proof-licence', 'advance'],
  'undertaking-saved': ['proof-save'],
}

/** What is wrong with who did it, and how: no step, another's, one that does not do such things or did not end well. */
export const wrongDeed = (book: Book, entry: Entry, body: Undertaken, deed: Deed | null): Finding[] => {
  const { step } = body
  if (!deed) return [undone(`was done in ${step}, which is no step`)]
  const { ended, outcome, began, call } = deed
  const within = began < entry.position && entry.position < (ended ?? Number.POSITIVE_INFINITY)
  const ill = ended === null || outcome?.ok === false
  return [
    ...(does(body, call) ? [] : [undone(`was done by ${call?.tool}, which does no such thing`)]),
    ...(isOthers(entry, body, deed) ? [undone(`says that it was done in ${step}, which is not its step`)] : []),
    ...(ill ? [undone(`was done in ${step}, which did not end well`)] : []),
    ...(within ? [] : [undone(`was not written while ${step} was under way`)]),
    ...(holds(book, body, deed) ? [] : [wrong('hold', `is by ${deed.session}, which had not taken it up`)]),
  ]
}

const does = ({ event, undertaking }: Undertaken, call: Deed['call']): boolean =>
  call === null ||
  DOERS[event].includes(call.tool) ||
  (undertaking.startsWith('M-') && call.tool.startsWith('mission-'))

const isOthers = ({ author, inReplyTo }: Entry, { step, turn }: Undertaken, { agent, call }: Deed): boolean =>
  agent !== author.id || inReplyTo !== `${step}.intent` || (call !== null && call.turn !== turn)

/** Whoever takes it up has it; all else is by the stay that has. */
const holds = ({ holder }: Book, body: Undertaken, { session, stay }: Deed): boolean => {
  if (body.event === 'undertaking-opened') return true
  const by = body.event === 'undertaking-taken' ? body : holder
  return by?.session === session && (stay === null || by.stay === stay)
}

const undone = (what: string): Finding => wrong('deed', what)
