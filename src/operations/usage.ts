import { z } from 'zod'
import { grouped, money, type Spender, sayStanding, standingsOf } from '../evidence/budgets.ts'
import { budgetsOf } from '../evidence/profiles.ts'
import { type Cell, sumOf } from '../evidence/usage.ts'
import { oneLine } from '../lib/plain.ts'
import { Id } from '../shapes/message.ts'
import { timeOf } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { NOTHING, Spending, together, tokensIn } from '../shapes/spending.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

const By = z.enum(['agent', 'person', 'room', 'day', 'model', 'turn'])
type By = z.infer<typeof By>

const Since = z.union(
  [z.iso.date(), z.string().regex(/^\d{1,5}d$/)],
  'expected a day such as 2026-01-02, or a number of days such as 7d',
)

const Row = z.strictObject({ name: z.string().nullable(), spent: Spending })
type Row = z.infer<typeof Row>

const BudgetRow = z.strictObject({
  agent: Name,
  room: z.string(),
  of: z.enum(['turn', 'room', 'day']),
  unit: z.enum(['tokens', 'usd']),
  used: z.number(),
  limit: z.number(),
  /** How many of the tokens have no price: they are not in the money. */
  unpriced: z.int(),
})
type BudgetRow = z.infer<typeof BudgetRow>

const input = z.strictObject({
  agent: Name.optional().describe('by this agent'),
  person: z.string().min(1).max(64).optional().describe('for this person'),
  room: Name.optional().describe('in this room or thread'),
  turn: Id.optional().describe('by this turn'),
  since: Since.optional().describe('from this day on (UTC), such as 2026-01-02 or 7d'),
  by: By.default('agent').describe(`a row for each ${By.options.join(', ')}; of turns, for the last thousand`),
  limit: z.coerce.number().int().min(1).max(1000).default(20).describe('how many rows, up to 1000'),
})
type Wanted = z.infer<typeof input>

export const usage = defineOperation({
  name: 'usage',
  summary: 'the tokens and the money that models took: by whom, for whom, where and when; and what is left of budgets',
  example: 'usage by=day since=7d',
  positional: [],
  input,
  output: z.strictObject({
    by: By,
    /** The day that the prices are of. */
    asOf: z.iso.date(),
    rows: z.array(Row),
    /** How many rows there are besides. */
    more: z.int(),
    total: Spending,
    budgets: z.array(BudgetRow),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (wanted, context) => {
    const { book, config, store, who, now } = context
    const { by, limit, turn } = wanted
    if (turn !== undefined && !(await store.turn(turn))) {
      return refused(refusal('turn-unknown', `there is no turn ${turn}`))
    }
    const agent = wanted.agent === undefined ? undefined : agentNamed(wanted.agent, await who())
    const named = { ...wanted, agent }
    const isWanted = wantedBy(named, now())
    const cells = turn === undefined ? await book.cells() : await book.cellsOfTurn(turn)
    const rows = by === 'turn' ? await turnRows(named, isWanted, context) : rowsBy(by, cells.filter(isWanted))
    return ok({
      by,
      asOf: config.prices.asOf,
      rows: rows.slice(0, limit),
      more: Math.max(0, rows.length - limit),
      total: sumOf(cells.filter(isWanted)),
      budgets: await budgetRows(named, context),
    })
  },
  render: ({ by, asOf, rows, more, total, budgets }) =>
    [
      ...(total.requests === 0 ? ['nothing was used'] : [tableOf(by, rows, total)]),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(total.requests === 0 ? [] : [`prices as of ${asOf}`]),
      ...new Set(budgets.map((row) => sayStanding(row, row))),
    ].join('\n'),
})

type Named = Omit<Wanted, 'agent'> & { agent: string | undefined }
type IsWanted = (cell: Cell) => boolean

const wantedBy = ({ agent, person, room, since }: Named, now: number): IsWanted => {
  const first = since === undefined ? '' : timeOf(since, now).slice(0, DAY)
  return (cell) =>
    (agent === undefined || cell.agent === agent) &&
    (person === undefined || cell.person === person) &&
    (room === undefined || cell.room === room) &&
    cell.day >= first
}

const DAY = 'YYYY-MM-DD'.length

/** A row for each agent, person or model, those that took most first; for days, the newest first. */
const rowsBy = (by: Exclude<By, 'turn'>, cells: readonly Cell[]): Row[] => {
  const sums = new Map<string | null, Spending>()
  for (const cell of cells) sums.set(cell[by], together(sums.get(cell[by]) ?? NOTHING, cell.spent))
  const rows = [...sums].map(([name, spent]) => ({ name, spent }))
  return rows.sort(by === 'day' ? byName : byTokens)
}

const byTokens = (a: Row, b: Row): number => tokensIn(b.spent) - tokensIn(a.spent) || -byName(a, b)
const byName = (a: Row, b: Row): number => ((a.name ?? '') < (b.name ?? '') ? 1 : -1)

const turnRows = async ({ turn }: Named, isWanted: IsWanted, { book }: Context): Promise<Row[]> => {
  const turns = turn === undefined ? await book.lastTurns() : [{ turn, cells: await book.cellsOfTurn(turn) }]
  return turns.flatMap(({ turn: name, cells }) => {
    const own = cells.filter(isWanted)
    return own.length > 0 ? [{ name, spent: sumOf(own) }] : []
  })
}

/** How the budgets stand that hold in a room for the agents of the config. */
const budgetRows = async (wanted: Named, context: Context): Promise<BudgetRow[]> => {
  const { book, store, config, rooms } = context
  const turn = wanted.turn === undefined ? null : await store.turn(wanted.turn)
  const room = turn?.room ?? wanted.room ?? context.room ?? rooms[0]?.id ?? ''
  const only = turn?.agent ?? wanted.agent
  const rows: BudgetRow[] = []
  for (const { id } of config.agents.filter((agent) => only === undefined || agent.id === only)) {
    const spender: Spender = { agent: id, room, turn: turn?.id ?? null }
    const budgets = await budgetsOf(store, spender, config)
    rows.push(...(await standingsOf(book, spender, budgets)).map((standing) => ({ agent: id, room, ...standing })))
  }
  return rows
}

const WIDTH = 60
const HEADS = ['requests', 'in', 'cached', 'out']

/** Rows under one another: names to the left, numbers to the right, and what it cost at the end. */
const tableOf = (by: By, rows: readonly Row[], total: Spending): string => {
  const lines = [
    [by, ...HEADS, 'cost'],
    // A model is called what its program says.
    ...rows.map(({ name, spent }) => [oneLine(name ?? 'not named', WIDTH), ...numbersOf(spent), costText(spent)]),
    ['total', ...numbersOf(total), costText(total)],
  ]
  const width = (column: number): number => Math.max(...lines.map((line) => [...(line[column] ?? '')].length))
  const widths = ['name', ...HEADS].map((_head, column) => width(column))
  return lines
    .map((line) => line.map((cell, column) => padded(cell, column, widths[column] ?? 0)).join('  '))
    .join('\n')
}

const numbersOf = ({ requests, input, written, cached, output }: Spending): string[] =>
  [requests, input + written, cached, output].map(grouped)

const costText = (spent: Spending): string => {
  const { usd, unpriced } = spent
  if (unpriced === 0) return money(usd)
  return unpriced === tokensIn(spent) ? 'no price' : `${money(usd)}, and no price for ${grouped(unpriced)} tokens`
}

const padded = (cell: string, column: number, width: number): string => {
  const blanks = ' '.repeat(Math.max(0, width - [...cell].length))
  return column === 0 ? cell + blanks : blanks + cell
}
