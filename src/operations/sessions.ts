import { z } from 'zod'
import { oneLine } from '../lib/plain.ts'
import { agentCalled, type Presence } from '../shapes/agent.ts'
import { Id } from '../shapes/message.ts'
import { Flag } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { TurnStatus } from '../shapes/turn.ts'
import { TurnView } from '../shapes/turn-view.ts'
import { defineOperation } from './operation.ts'

const SessionRow = z.strictObject({
  id: Id,
  room: Name,
  agent: Name,
  open: z.boolean(),
  peripheral: z.string().nullable(),
  began: z.iso.datetime(),
  /** When its newest entry was written. */
  last: z.iso.datetime(),
  entries: z.int(),
  turns: z.int(),
  /** Its last turn: how that stands, and what was asked for. */
  turn: z.strictObject({ status: TurnStatus, request: z.string() }).nullable(),
})

export const sessions = defineOperation({
  name: 'sessions',
  summary: 'the latest sessions: one run of an agent, one chain of evidence each',
  example: 'sessions limit=5',
  positional: [],
  input: z.strictObject({
    agent: Name.optional().describe('of this agent'),
    room: Name.optional().describe('in this room'),
    open: Flag.optional().describe('only those that are open, or only those that are not'),
    before: Id.optional().describe('from where the page before ended: its last session'),
    limit: z.coerce.number().int().min(1).max(200).default(20),
  }),
  output: z.strictObject({
    sessions: z.array(SessionRow),
    /** Where the next page begins; null where this was the last. */
    next: Id.nullable(),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ limit, ...wanted }, { store }) => {
    const found = await store.listSessions({ ...wanted, limit: limit + 1 })
    const page = found.slice(0, limit)
    return ok({ sessions: page, next: found.length > limit ? (page.at(-1)?.id ?? null) : null })
  },
  render: ({ sessions }) =>
    sessions
      .map(
        ({ id, agent, room, open, peripheral }) =>
          `${id}  ${agent} in ${room}, ${open ? 'open' : 'closed'}${peripheral ? `, in ${peripheral}` : ''}`,
      )
      .join('\n') || 'no sessions yet',
})

export const status = defineOperation({
  name: 'status',
  aliases: ['jobs'],
  summary: 'what is being worked on and what waits, and how each stands',
  example: 'status',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ turns: z.array(TurnView) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, { turns }) => ok({ turns: await turns.open() }),
  render: ({ turns }) => turns.map(turnText).join('\n') || 'nothing is being worked on',
})

const DETAIL = 120

/** How a turn stands, on a line: what it holds is what others wrote. */
const turnText = ({ turn, agent, room, state, detail, ahead }: TurnView): string => {
  const more = oneLine(detail, DETAIL) || (ahead > 0 ? `${ahead} ahead of it` : '')
  return `${agent} in ${room}: ${state}${more === '' ? '' : `, ${more}`} (${turn})`
}

/** An agent by its id, or by its type: the first of its kind. */
export const agentNamed = (name: string, here: readonly Presence[]): string => agentCalled(name, here)?.id ?? name

export const reset = defineOperation({
  name: 'reset',
  summary: 'end an agent’s session in this room: its next request begins a new one',
  example: 'reset claude-1',
  positional: ['agent'],
  input: z.strictObject({ agent: Name }),
  output: z.strictObject({ agent: Name, session: Id.nullable() }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ agent: name }, { person, room, store, who, closeSession }) => {
    if (room === null) return refused(refusal('room-unknown', 'a session belongs to a room: ask in one'))
    const agent = agentNamed(name, await who())
    const session = await store.openSession(room, agent)
    if (!session) return ok({ agent, session: null })
    const closed = await closeSession(session, `reset by ${person.name}`)
    return closed.ok ? ok({ agent, session: session.id }) : closed
  },
  render: ({ agent, session }) =>
    session ? `${agent} starts afresh (session ${session} is closed)` : `${agent} has no open session here`,
})
