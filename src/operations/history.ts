import { z } from 'zod'
import { taggedIn } from '../evidence/drafts.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { Entry } from '../shapes/evidence.ts'
import { Tag } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { ToolCall } from '../shapes/peripheral.ts'
import { Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { StepOutcome } from '../shapes/turn.ts'
import { defineOperation } from './operation.ts'

const Limit = z.coerce.number().int().min(1).max(200).default(20).describe('how many, up to 200')
const session = Id.optional().describe('of this session')

export const StepRow = z.strictObject({
  step: Id,
  turn: Id,
  session: Id,
  agent: z.string(),
  call: ToolCall,
  state: z.enum(['running', 'refused', ...StepOutcome.options.map(({ shape }) => shape.kind.value)]),
  /** Why the gate did not let it through; null where it did. */
  refusal: Refusal.nullable(),
  /** What came of it; null where nothing has yet. */
  outcome: StepOutcome.nullable(),
  began: z.iso.datetime(),
  ended: z.iso.datetime().nullable(),
})
export type StepRow = z.infer<typeof StepRow>

export const steps = defineOperation({
  name: 'steps',
  summary: 'the latest steps, each once: the call, and what came of it or why it was refused',
  example: 'steps tool=read limit=5',
  positional: [],
  input: z.strictObject({
    session,
    turn: Id.optional().describe('of this turn'),
    tool: Tag.optional().describe('with this tool'),
    limit: Limit,
  }),
  output: z.strictObject({ steps: z.array(StepRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ session, turn: id, tool, limit }, { store }) => {
    const turn = id === undefined ? null : await store.turn(id)
    if (id !== undefined && !turn) return refused(refusal('turn-unknown', `there is no turn ${id}`))
    const filters = { ...(tool === undefined ? {} : { tool }), ...inSession(session ?? turn?.session) }
    const found = await Promise.all(
      ['step-intended', 'step-refused'].map((event) => latest(store, { ...filters, event }, limit, ofTurn(turn))),
    )
    const begun = found.flat().sort((a, b) => b.position - a.position)
    const rows: StepRow[] = []
    for (const entry of begun.slice(0, limit)) rows.push(...(await stepRow(entry, store)))
    return ok({ steps: rows })
  },
  render: ({ steps }) => steps.map(stepLine).join('\n') || 'no steps yet',
})

const LINE = 100

const stepLine = ({ step, agent, call, state, refusal, outcome, began }: StepRow): string => {
  const said = refusal?.message ?? (outcome && outcome.kind !== 'ok' ? outcome.message : '')
  const what = oneLine(`${call.tool} ${JSON.stringify(call.args)}`, LINE)
  return `${timeOf(began)}  ${agent}  ${state}: ${what}${said === '' ? '' : `: ${oneLine(said, LINE)}`} [${step}]`
}

const stepRow = async (entry: Entry, store: Store): Promise<StepRow[]> => {
  const { body, at: began, session, tags } = entry
  if (body?.event !== 'step-intended' && body?.event !== 'step-refused') return []
  const { step, turn, call } = body
  const row = { step, turn, session, agent: agentIn(tags), call, began }
  if (body.event === 'step-refused') {
    return [{ ...row, state: 'refused', refusal: body.refusal, outcome: null, ended: began }]
  }
  const end = await store.get(`${step}.outcome`)
  const outcome = end?.body?.event === 'step-ended' ? end.body.outcome : null
  return [{ ...row, state: outcome?.kind ?? 'running', refusal: null, outcome, ended: end?.at ?? null }]
}

const HopRow = z.strictObject({
  step: Id,
  turn: Id,
  session: Id,
  agent: z.string(),
  from: z.string(),
  to: z.string(),
  /** The condition that let it through. */
  when: z.string().nullable(),
  at: z.iso.datetime(),
})
type HopRow = z.infer<typeof HopRow>

export const hops = defineOperation({
  name: 'hops',
  summary: 'the latest hops: from which wall to which, and on which condition',
  example: 'hops limit=5',
  positional: [],
  input: z.strictObject({ session, limit: Limit }),
  output: z.strictObject({ hops: z.array(HopRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ session, limit }, { store }) => {
    const isHop = ({ body }: Entry) => body?.event === 'peripheral-stopped' && body.to !== undefined
    const left = await latest(store, { event: 'peripheral-stopped', ...inSession(session) }, limit, isHop)
    return ok({ hops: left.flatMap(hopRow) })
  },
  render: ({ hops }) =>
    hops
      .map(
        ({ at, agent, from, to, when, step }) =>
          `${timeOf(at)}  ${agent}  ${from} to ${to}${when === null ? '' : ` (${when})`} [${step}]`,
      )
      .join('\n') || 'no hops yet',
})

const hopRow = ({ id, body, session, tags, at }: Entry): HopRow[] => {
  if (body?.event !== 'peripheral-stopped' || body.to === undefined) return []
  const { turn, peripheral: from, to, when = null } = body
  return [{ step: id.replace(/\.stopped$/, ''), turn, session, agent: agentIn(tags), from, to, when, at }]
}

const PAGE = 200

/** The latest entries that match, as many as are wanted. */
const latest = async (
  store: Store,
  filters: Record<string, unknown>,
  limit: number,
  matches: (entry: Entry) => boolean,
): Promise<Entry[]> => {
  const found: Entry[] = []
  let cursor: number | null | undefined
  while (found.length < limit && cursor !== null) {
    const page: Result<{ entries: Entry[]; next: number | null }> = await store.query({
      ...filters,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    if (!page.ok) break
    found.push(...page.value.entries.filter(matches))
    cursor = page.value.next
  }
  return found.slice(0, limit)
}

const inSession = (session: string | undefined) => (session === undefined ? {} : { session })

const ofTurn =
  (turn: TurnRecord | null) =>
  ({ body }: Entry): boolean =>
    turn === null || (body !== null && 'turn' in body && body.turn === turn.id)

const agentIn = (tags: readonly string[]): string => taggedIn(tags, 'agent') ?? ''

const timeOf = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)}`
