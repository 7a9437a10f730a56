import { type Spending, tokensIn } from '../shapes/spending.ts'
import type { Allowance, Budget } from '../shapes/usage.ts'
import type { Book } from './usage.ts'

/** Who is about to use something: which agent, in which room or thread, and in which turn, where it is in one. */
export type Spender = { agent: string; room: string; turn: string | null }

/** As much as may be used of something: tokens or dollars, by a turn, in a room or on a day. */
type Limit = { of: keyof Budget; unit: keyof Allowance; limit: number }

/** How much of that is used. */
export type Standing = Limit & {
  used: number
  /** How many of the tokens have no price: they are not in the money. */
  unpriced: number
}

/** How much is used of each allowance that some budgets give: of several for the same, the narrowest. */
export const standingsOf = async (book: Book, spender: Spender, budgets: readonly Budget[]): Promise<Standing[]> => {
  const standings: Standing[] = []
  // Nothing is read for what nobody has bounded.
  for (const limit of limitsIn(budgets)) {
    const spent = await spentIn(book, spender, limit.of)
    if (!spent) continue
    const used = limit.unit === 'usd' ? spent.usd : tokensIn(spent)
    standings.push({ ...limit, used, unpriced: spent.unpriced })
  }
  return standings
}

/** Which allowance is used up, in a sentence; null where none is. */
export const spentOver = async (book: Book, spender: Spender, budgets: readonly Budget[]): Promise<string | null> => {
  const over = (await standingsOf(book, spender, budgets)).find(({ used, limit }) => used >= limit)
  return over ? sayStanding(spender, over) : null
}

/** How an allowance stands, in a sentence. */
export const sayStanding = ({ agent, room }: Pick<Spender, 'agent' | 'room'>, standing: Standing): string => {
  const { of, unit, unpriced } = standing
  const used = unit === 'usd' ? money(standing.used) : grouped(standing.used)
  const what = amount(unit, standing.limit)
  const unknown = unit === 'usd' && unpriced > 0 ? `; ${grouped(unpriced)} tokens have no price, and are not in it` : ''
  return of === 'room'
    ? `the turns in ${room} have used ${used} of their ${what}${unknown}`
    : `${agent} has used ${used} of the ${what} of its ${of}${unknown}`
}

/** Tokens or dollars, as people read them. */
export const amount = (unit: keyof Allowance, n: number): string => (unit === 'usd' ? money(n) : `${grouped(n)} tokens`)

export const grouped = (n: number): string => n.toLocaleString('en-US')

/** Dollars, with as many places as small sums need. */
export const money = (usd: number): string => `$${usd.toFixed(usd === 0 || usd >= 1 ? 2 : 4)}`

const SCOPES = ['turn', 'room', 'day'] as const satisfies readonly (keyof Budget)[]
const UNITS = ['tokens', 'usd'] as const satisfies readonly (keyof Allowance)[]

/** What some budgets bound, each by the narrowest of them. */
export const limitsIn = (budgets: readonly Budget[]): Limit[] =>
  SCOPES.flatMap((of) =>
    UNITS.flatMap((unit) => {
      const limits = budgets.flatMap((budget) => budget[of]?.[unit] ?? [])
      return limits.length > 0 ? [{ of, unit, limit: Math.min(...limits) }] : []
    }),
  )

const spentIn = async (book: Book, { agent, room, turn }: Spender, of: keyof Budget): Promise<Spending | null> => {
  switch (of) {
    case 'turn':
      return turn === null ? null : book.ofTurn(turn)
    case 'room':
      return book.ofRoom(room)
    case 'day':
      return book.ofDay(agent)
  }
}
