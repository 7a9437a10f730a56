import type { TurnRecord } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { reachOf } from '../workspace/scope.ts'
import { type Account, accountsIn, fruitIn, isSomething, pathsOf, type StepAccount, turnOf } from './account.ts'
import { entriesById, entriesOf, type Reader } from './entries.ts'
import { namedIn } from './named.ts'
import { framed, type Told, under } from './pieces.ts'
import type { Quote } from './quote.ts'
import { type Detail, stepPiece, turnPiece } from './render.ts'

type Of = {
  store: Reader
  turn: TurnRecord
  spec: PeripheralSpec
  agents: readonly { id: string; type: string }[]
}

/** Whether a peripheral may ask for what others did in the room. */
export const asksForRoom = ({ scope: { evidence } }: PeripheralSpec): boolean =>
  evidence === 'room' || evidence === 'all'

/**
 * The last turns of the agents that a request speaks of, such as "fix what claude found". A person hands them over,
 * unless the peripheral may ask for no evidence at all; where an agent asks, it must be one that may ask for the
 * room's.
 */
export const sharersOf = async (
  { store, spec, agents, turn }: Of,
  asked: { request: string; by: Entry['author'] | null },
): Promise<Account[]> => {
  const mayShare = asked.by?.kind === 'person' ? spec.scope.evidence !== 'none' : asksForRoom(spec)
  const named = mayShare ? namedIn(asked.request, agents, turn.agent) : []
  const accounts = await Promise.all(
    named.map(async (agent) => {
      const here = await lastTurnOf(store, { agent, room: turn.room })
      return here ?? (spec.scope.evidence === 'all' ? lastTurnOf(store, { agent }) : null)
    }),
  )
  return accounts.filter((account) => account !== null)
}

/** As many entries of a turn as are looked at. */
const MOST_ENTRIES = 120

/** How many turns are looked at for one that left something, and how many stays. */
const TURNS = 4
const STAYS = 12

/** The last turn of an agent that left something to go on from; else its last one; null where it has ended none. */
const lastTurnOf = async (store: Reader, of: { agent: string; room?: string }): Promise<Account | null> => {
  const [ended, stopped] = await Promise.all([
    entriesOf(store, { ...of, event: 'turn-ended', limit: TURNS }),
    entriesOf(store, { ...of, event: 'peripheral-stopped', limit: STAYS }),
  ])
  const left = accountsIn(stopped)
  const entry = ended.find((end) => isFruitful(left.get(turnOf(end) ?? ''))) ?? ended[0]
  const turn = entry ? turnOf(entry) : null
  if (!entry || turn === null) return null
  const page = await entriesOf(store, { session: entry.session, cursor: entry.position + 1, limit: MOST_ENTRIES })
  const own = page.filter((one) => turnOf(one) === turn)
  const begun = own.some(({ id }) => id === turn) ? [] : await entriesById(store, [turn])
  return accountsIn([...begun, ...own]).get(turn) ?? null
}

const isFruitful = (account: Account | undefined): boolean => account !== undefined && isSomething(fruitIn(account))

/** What agents left in their last turns, at length, each in its share of the bytes: the turn, and then its steps. */
export const handedOver = (quote: Quote, spec: PeripheralSpec, accounts: readonly Account[], bytes: number): Told => {
  const share = Math.floor(bytes / Math.max(1, accounts.length)) - 1
  const { mayRead } = reachOf(spec.scope)
  const blocks = accounts.map((account) => blockFor(quote, account, share, mayRead)).filter(({ text }) => text !== '')
  return { text: blocks.map(({ text }) => text).join('\n'), from: blocks.flatMap(({ from }) => from) }
}

type MayRead = (name: string) => boolean

/** The turn itself has to be there; of its steps, the last ones that fit. */
const blockFor = (quote: Quote, account: Account, bytes: number, mayRead: MayRead): Told => {
  const agent = quote.name(account.agent)
  const detail = detailIn(bytes)
  const steps = account.steps.map((step) => stepPiece(quote, withinReach(step, mayRead), detail))
  const title = `What ${agent} left, of which the request speaks; its turn, and then its steps in their order:`
  return under(title, bytes, (room) =>
    framed(quote, steps, {
      label: `handed over from ${agent}`,
      bytes: room,
      keep: 'last',
      left: (n) => `${n} steps were left out`,
      lead: turnPiece(quote, { ...account, from: ownEntries(account) }, detail),
    }),
  )
}

/** As much as fits, whatever has to be written with a backslash before it. */
const detailIn = (bytes: number): Detail => ({
  request: Math.floor(bytes / 12),
  answer: Math.floor(bytes / 4),
  names: Math.floor(bytes / 800),
  output: Math.floor(bytes / 8),
})

/** The entries that a turn is told from, without those of its steps: these have lines of their own. */
const ownEntries = ({ from, steps }: Account): string[] => {
  const ofSteps = new Set(steps.flatMap((step) => step.from))
  return from.filter((id) => !ofSteps.has(id))
}

/** What a step said of files that the reader's own wall does not open stays with whoever took it. */
const withinReach = (step: StepAccount, mayRead: MayRead): StepAccount => {
  const { report } = step
  if (report?.kind !== 'ok' && report?.kind !== 'failed') return step
  if (pathsOf(step).every((path) => path === '.' || mayRead(path))) return step
  return { ...step, report: { ...report, output: 'not shown: it is about files that this peripheral does not open' } }
}
