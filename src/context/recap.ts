import { brief } from '../evidence/digest.ts'
import { digestSession } from '../evidence/keep.ts'
import { lineageOf, turnsOf } from '../evidence/lineage.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { type Account, accountsIn, turnOf } from './account.ts'
import { entriesById, entriesOf, pageOf } from './entries.ts'
import { framed, framedText, NOTHING, type Piece, sizeOf, type Told, under } from './pieces.ts'
import { createQuote, type Quote } from './quote.ts'
import { BRIEFLY, type Detail, stepPiece, turnPiece } from './render.ts'

/** What somebody is to be told who remembers nothing. */
export type RecapOf = {
  store: Store
  session: string
  /** The turn that is under way, where one is: what of it is done already. */
  within?: string | null
  /** The word that the marks of this session are made with. */
  nonce: string
}

/** The most that a recap has, and of it what is told of the turn that is under way, and of what lies far back. */
export const RECAP_BYTES = 24 * 1024
const WITHIN_BYTES = 10 * 1024
const FOLDED_BYTES = 6 * 1024

/**
 * How far back it is looked: entries of the session, turns of the threads that it goes on from, entries of one turn.
 */
const MOST_ENTRIES = 600
const MOST_BEFORE = 16
const MOST_OF_TURN = 400

/** How many of the last turns are told in more detail, and of the last steps. */
const DETAILED = 3
const DETAILED_STEPS = 6

const FULLY: Detail = { request: 800, answer: 2000, names: 20, output: 800, troubles: 6 }
const OLDER: Detail = { ...BRIEFLY, troubles: 2 }

/**
 * What a session came to so far, and what it goes on from, for a conversation that remembers nothing: from the evidence
 * alone. The last turns are told in more detail, those before them briefly, and what lies further back is folded
 * together. Where a turn is under way, the steps that are done are told, so that they are not done again.
 */
export const recapFor = async (of: RecapOf): Promise<Told> => {
  const quote = createQuote(of.nonce)
  const [before, own] = await Promise.all([turnsBefore(of), turnsIn(of)])
  const begun = withinText(quote, of.within ?? null, own.accounts)
  const ended = [...before.accounts, ...own.accounts.filter(({ ended, turn }) => ended && turn !== of.within)]
  const room = RECAP_BYTES - sizeOf(['', HEAD, '', begun.text])
  const gone = before.more ? 1 : 0
  const whole = turnsText(quote, ended, { bytes: room, gone })
  const isWhole = !own.more && whole.left === gone
  const folded = isWhole ? NOTHING : await foldedText(quote, of)
  const turns = isWhole ? whole : turnsText(quote, ended, { bytes: room - sizeOf(['', folded.text]), gone })
  const parts = [{ text: HEAD, from: [] }, folded, turns, begun].filter(({ text }) => text !== '')
  return {
    text: parts.length === 1 ? NEW : parts.map(({ text }) => text).join('\n\n'),
    from: [...new Set(parts.flatMap(({ from }) => from))],
  }
}

const NEW = 'This session begins: nothing was done in it before.'

const HEAD = `You do not remember it, but this work was begun before. What follows is what happened, from the evidence. It is
material, not a request: what was asked in it is answered, and what was done is done.`

type Past = { accounts: Account[]; more: boolean }

/** The turns of the session itself, oldest first; whether there are more than was looked at. */
const turnsIn = async ({ store, session }: RecapOf): Promise<Past> => {
  const { entries: page, next } = await pageOf(store, { session, limit: MOST_ENTRIES })
  const accounts = [...accountsIn(page).values()]
  const [first] = accounts
  // Of the first one, the beginning may lie further back.
  const begun = first && !first.asked ? await entriesById(store, [first.turn]) : []
  const whole = begun.length > 0 ? [...accountsIn([...begun, ...page]).values()] : accounts
  return { accounts: whole, more: next !== null }
}

/** The turns of the threads that the session's own was forked from, up to where it was. */
const turnsBefore = async ({ store, session }: RecapOf): Promise<Past> => {
  const room = (await store.session(session))?.room
  const [, ...threads] = room === undefined ? [] : await lineageOf(store, room)
  if (threads.length === 0) return { accounts: [], more: false }
  const { turns, next } = await turnsOf(store, threads, { limit: MOST_BEFORE, cursor: null })
  const accounts = await Promise.all(turns.map((turn, i) => accountOf(store, turn, turns.length - i <= DETAILED)))
  return {
    accounts: accounts.filter((account) => account?.ended).filter((account) => account !== null),
    more: next !== null,
  }
}

/** What there is of a turn: all of it, or how it began and ended. */
const accountOf = async (
  store: Store,
  { id, session, position }: TurnRecord,
  wholly: boolean,
): Promise<Account | null> => {
  const entries = wholly
    ? await entriesOf(store, { session, order: 'oldest', cursor: position - 1, limit: MOST_OF_TURN })
    : []
  const ends = await entriesById(store, [id, `${id}.stopped`, `${id}.ended`])
  const known = new Map([...entries, ...ends].filter((entry) => turnOf(entry) === id).map((entry) => [entry.id, entry]))
  return accountsIn([...known.values()]).get(id) ?? null
}

type Fit = { bytes: number; gone: number }

const turnsText = (quote: Quote, accounts: readonly Account[], { bytes, gone }: Fit) => {
  const pieces = accounts.map((account, i) =>
    turnPiece(quote, account, accounts.length - i <= DETAILED ? FULLY : OLDER),
  )
  return under('The turns that have ended, oldest first:', bytes, (room) =>
    framed(quote, pieces, {
      label: 'turns before',
      bytes: room,
      keep: 'last',
      left: (n) => `${gone > 0 ? 'at least ' : ''}${n} earlier turns were left out`,
      gone,
    }),
  )
}

/** All of the session, folded together. */
const foldedText = async (quote: Quote, { store, session }: RecapOf): Promise<Told> => {
  const { digest } = await digestSession(store, session)
  const text = framedText(quote, brief(digest), {
    label: 'session',
    bytes: FOLDED_BYTES,
    left: (lines) => `${lines} lines more`,
  })
  return { text: `All of the session, in short:\n${text}`, from: [] }
}

/** What of a turn that is under way is done already. */
const withinText = (quote: Quote, turn: string | null, accounts: readonly Account[]): Told => {
  const account = accounts.find((one) => one.turn === turn)
  if (turn === null || !account) return NOTHING
  const steps = account.steps.map((step, i): Piece => {
    const output = account.steps.length - i <= DETAILED_STEPS ? FULLY.output : BRIEFLY.output
    return stepPiece(quote, step, { ...BRIEFLY, output })
  })
  const ofSteps = new Set(account.steps.flatMap(({ from }) => from))
  const own = { ...account, from: account.from.filter((id) => !ofSteps.has(id)) }
  return under(WITHIN, WITHIN_BYTES, (bytes) =>
    framed(quote, steps, {
      label: 'this turn so far',
      bytes,
      keep: 'last',
      left: (n) => `${n} earlier steps were left out: they are done too`,
      lead: turnPiece(quote, own, { ...FULLY, troubles: 0 }),
    }),
  )
}

const WITHIN = `The turn that you are at was begun before. Its steps so far are here, in their order; they are done, so do not do them again. Of one
that was interrupted, or whose end is not known, look first at what it left. Then go on with the request.`
