import { z } from 'zod'
import { taggedIn } from '../evidence/drafts.ts'
import { pauseOf } from '../evidence/pauses.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Entry } from '../shapes/evidence.ts'
import { Now } from '../shapes/now.ts'
import { ok } from '../shapes/result.ts'
import { isOver, type TurnView } from '../shapes/turn-view.ts'
import { approvals, mayDecideIn } from './approvals.ts'
import { networks } from './networks.ts'
import { type Context, type Defined, defineOperation } from './operation.ts'
import { rooms } from './rooms.ts'
import { usage } from './usage.ts'

export const now = defineOperation({
  name: 'now',
  summary:
    'how everything stands in one look: agents and their walls, rooms, approvals, budgets, and what was refused last',
  example: 'now',
  positional: [],
  input: z.strictObject({}),
  output: Now,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, context) => {
    const { store, who, turns, health } = context
    // What happens while it is looked up is looked up again by whoever follows from here.
    const through = await store.head()
    // Each may wait a while for a Redis that is gone: side by side, the answer still comes soon.
    const [views, { ready, up, reasons }, told, present, processes, queue] = await Promise.all([
      turns.open(),
      health(),
      askedOf(context),
      who(),
      context.processes(),
      context.lanes(),
    ])
    const open = views.filter(({ state }) => !isOver(state))
    const agents = await Promise.all(present.map((agent) => agentNow(agent, open, context)))
    return ok({
      at: new Date(context.now()).toISOString(),
      through,
      ready,
      reasons,
      processes,
      queue,
      parts: [
        ...['redis', 'evidence'].map((name) => ({ name, state: up[name] ?? 'down', detail: '' })),
        { name: 'queue', ...queueNow(up['redis'] === 'up', agents, open) },
        ...told.networks.map(({ network, state, detail }) => ({ name: network, state, detail })),
      ],
      agents,
      rooms: told.rooms.map((room) => ({ ...room, ...countsIn(room.id, open) })),
      approvals: await Promise.all(
        told.approvals.map(async ({ step: _step, approvers: _approvers, ...one }) => ({
          ...one,
          yours: await mayDecideIn(one.room, context),
        })),
      ),
      budgets: told.budgets.map(({ unpriced: _unpriced, ...budget }) => budget),
      refused: await refusedIn({}, MOST_REFUSED, context),
    })
  },
  render: ({ agents, approvals: open, ready }) =>
    [
      ready ? 'everything is up' : 'not everything is up: /readyz of this instance says what is not',
      ...agents.map(({ id, readiness, turn, waiting }) => {
        const doing = turn ? `${turn.state}${turn.detail === '' ? '' : `, ${oneLine(turn.detail, 80)}`}` : readiness
        return `${id}: ${doing}${waiting > 0 ? `; ${count(waiting, 'turn')} wait` : ''}`
      }),
      `${count(open.length, 'approval')} to decide`,
    ].join('\n'),
})

const MOST_REFUSED = 5
const MOST_NEXT = 3

/** What other rows of the table say, as whoever asks may see it. */
const askedOf = async (context: Context) => {
  const [waiting, places, spent, others] = await Promise.all([
    said(approvals, context),
    said(rooms, context),
    said(usage, context),
    said(networks, context),
  ])
  return {
    approvals: waiting?.approvals ?? [],
    rooms: places?.rooms ?? [],
    budgets: spent?.budgets ?? [],
    networks: others?.networks ?? [],
  }
}

/** What a row answers that is asked for nothing in particular; null where it refuses. */
const said = async <Output>(row: Defined<string, { output: Output }>, context: Context): Promise<Output | null> => {
  const answer = await row.run(row.input.parse({}), context)
  return answer.ok ? (answer.value as Output) : null
}

const agentNow = async (
  agent: Presence,
  open: readonly TurnView[],
  context: Context,
): Promise<Now['agents'][number]> => {
  const { id, type, readiness, reason } = agent
  const own = open.filter((view) => view.agent === id)
  const turn = own.find(isUnderWay) ?? null
  const spec = context.specs.get(turn?.peripheral ?? '')
  const [refused] = await refusedIn({ agent: id, event: 'step-refused' }, 1, context)
  return {
    id,
    type,
    readiness,
    reason,
    wall: spec ? { peripheral: spec.id, tools: [...spec.tools] } : null,
    turn,
    waiting: own.filter((view) => !isUnderWay(view)).length,
    next: own
      .filter((view) => view !== turn)
      .slice(0, MOST_NEXT)
      .map(nextOf),
    paused: (await pauseOf(context.store, id)) !== null,
    refused: refused ?? null,
  }
}

const isUnderWay = ({ started }: TurnView): boolean => started !== null

const nextOf = ({ turn, room, by, request, state, detail }: TurnView) => ({
  turn,
  room,
  by,
  request: oneLine(request, 300),
  state,
  detail,
})

/** The queue is in Redis, and agents that are ready take from it. */
const queueNow = (isUp: boolean, agents: Now['agents'], open: readonly TurnView[]) => {
  const running = open.filter(isUnderWay).length
  const detail = `${running} at work, ${open.length - running} waiting`
  if (!isUp) return { state: 'down', detail: `it is in Redis; ${detail}` }
  const isTaken = agents.some(({ readiness }) => readiness === 'ready')
  return isTaken ? { state: 'up', detail } : { state: 'stands still', detail: `no agent is ready; ${detail}` }
}

const countsIn = (room: string, open: readonly TurnView[]) => {
  const here = open.filter((view) => view.room === room)
  const running = here.filter(isUnderWay).length
  return { running, waiting: here.length - running }
}

/** What was refused last: calls at the gate, and lines at the door. */
const refusedIn = async (
  filters: Record<string, string>,
  limit: number,
  { store }: Context,
): Promise<Now['refused']> => {
  const found = await store.query({ type: 'gate-traversal', claim: 'correction', ...filters, limit })
  const turned = found.ok ? found.value.entries.map((entry) => turnedAway(entry, store)) : []
  return (await Promise.all(turned)).flat()
}

const turnedAway = async (
  { id: entry, at, author, tags, session, body, inReplyTo }: Entry,
  store: Context['store'],
): Promise<Now['refused']> => {
  if (body?.event !== 'step-refused' && body?.event !== 'refused') return []
  const { code, message } = body.refusal
  // The house writes down that a line was refused; whose it was, the line says.
  const line = inReplyTo === null ? null : await store.get(inReplyTo)
  const who = taggedIn(tags, 'agent') ?? (line ?? { author }).author.id
  return [{ entry, at, who, room: taggedIn(tags, 'room'), session, code, message: oneLine(message, 300) }]
}
