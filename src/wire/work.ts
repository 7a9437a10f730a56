import { signatureOf } from '../agents/seats.ts'
import type { TurnRecord } from '../evidence/store.ts'
import type { Fruit } from '../shapes/fruit.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { Seat } from '../shapes/seat.ts'
import { type StepReport, TurnOutcome } from '../shapes/turn.ts'
import type { Said } from '../shapes/wire.ts'
import type { AgentsHouse, Answer } from './house.ts'
import { no } from './objection.ts'
import { isOf, keep, nameFor, type Peer } from './peer.ts'

/** Never aborted: a connection that breaks stops no tool, as its agent may come back for the answer. */
const never = (): AbortSignal => new AbortController().signal

/**
 * What an agent asks for once it was welcomed. Nothing of it is kept here: turns, steps and stops are evidence, so what
 * was asked for by one connection is answered to the next.
 */
export const createWork = (house: AgentsHouse) => {
  const { seats, store, specs, registry, receive, hold, lease, describe } = house

  const message = async (peer: Peer, { id, to, text }: Said<'message'>): Promise<Answer> => {
    const { principal, grant } = peer
    const addressed = to === undefined || to === grant.room ? text : `@${to} ${text}`
    const received = await receive({
      id: nameFor(principal.key, id, addressed),
      face: 'agent',
      room: grant.room,
      text: addressed,
      credential: { token: principal.token, as: null },
    })
    return received.ok ? yes({ type: 'receipt', ...received.value }) : received
  }

  const start = async (peer: Peer, said: Said<'peripheral_start'>): Promise<Answer> => {
    const { principal, grant } = peer
    const { peripheral_id: peripheral, request } = said
    const wanted = peripheral ?? grant.peripheral
    const objection = objectionTo(wanted, grant.peripherals)
    if (objection) return objection
    const id = nameFor(principal.key, said.id, wanted, request)
    const before = await seats.at(principal)
    if (!before.ok) return before
    if (before.value.session !== null) await hold(before.value.session, lease.ms, peer.holder)
    // What was asked for by a connection that broke before its answer came is not asked for twice.
    const stands = before.value.active && before.value.turn === `${id}.${grant.agent}`
    const begun = stands ? before : await seats.start(principal, { peripheral: wanted, request, id })
    return begun.ok ? started(peer, begun.value, said.id) : begun
  }

  const started = async (peer: Peer, { session, turn, spec, active }: Seat, frame: string): Promise<Answer> => {
    if (!active || session === null || turn === null)
      return no('id-conflict', `${frame} began a turn that has ended: use a new id`)
    peer.turn = { id: turn, session }
    await hold(session, lease.ms, peer.holder)
    const tools = [...spec.tools]
    return yes({ type: 'peripheral_started', peripheral_id: spec.id, session_id: session, turn_id: turn, tools })
  }

  const objectionTo = (wanted: string, granted: readonly string[]): Answer | null => {
    const known = [...specs.keys()]
    const context = { peripheral_id: wanted, known }
    if (!specs.has(wanted))
      return no('peripheral-unknown', `there is no such peripheral; there is ${known.join(', ')}`, context)
    if (granted.includes(wanted)) return null
    return no('grant-exceeded', `the token is not for ${wanted}, but for ${granted.join(', ')}`, context)
  }

  const act = async ({ principal }: Peer, { id, tool, args = {} }: Said<'tool_action'>): Promise<Answer> => {
    const acted = await seats.act(principal, { tool, args }, { signal: never(), step: nameFor(id, tool, args) })
    if (!acted.ok) return { ...acted, context: { tool } }
    const { step, report } = acted.value
    return yes({ type: 'tool_result', tool, step_id: step, ok: report.kind === 'ok', report })
  }

  const hop = async ({ principal }: Peer, { id, to }: Said<'hop'>): Promise<Answer> => {
    const context = { to }
    const acted = await seats.act(principal, { tool: 'hop', args: { to } }, { signal: never(), step: nameFor(id, to) })
    if (!acted.ok) return { ...acted, context }
    const { step, report } = acted.value
    if (report.kind !== 'ok') return { ok: false, refusal: whyNot(report), context }
    const began = (await store.get(`${step}.peripheral`))?.body
    if (began?.event !== 'peripheral-started') return no('store-failed', 'the hop was made, and is not there', context)
    const { peripheral, tools, context: carried = {} } = began
    return yes({ type: 'hopped', peripheral_id: peripheral, tools: [...tools], context: carried })
  }

  /** Stops what stands. Whoever comes second, or too late, is told what was left. */
  const stop = async (peer: Peer, { reason = 'client-requested' }: Said<'peripheral_stop'>): Promise<Answer> => {
    const { principal } = peer
    const seat = await seats.at(principal)
    if (!seat.ok) return seat
    const { turn, session } = seat.value
    if (turn === null) return stopped(await lastStop(session), true)
    const gave = await endingOf(turn, principal.person.name, reason)
    const left = await whileEnding(peer, turn, () => seats.leave(principal, { ...gave, reason }))
    if (!left.ok) return left
    const recorded = await stopOf(left.value?.turn ?? turn)
    return stopped(recorded, left.value?.peripheral == null)
  }

  /** How a turn ends that its agent stops: done where it began it by itself; where somebody asked, without an answer. */
  const endingOf = async (turn: string, agent: string, reason: string) => {
    const own = (await store.get(turn))?.author.id === agent
    const answer = own ? reason : `${agent} stopped without an answer: ${reason}`
    return { outcome: own ? 'done' : 'cancelled', answer } as const
  }

  const stopOf = async (turn: string): Promise<Stop> => {
    const body = (await store.get(`${turn}.stopped`))?.body
    return body?.event === 'peripheral-stopped' ? body : { ...NOTHING, turn }
  }

  const lastStop = async (session: string | null): Promise<Stop> => {
    if (session === null) return NOTHING
    const found = await store.query({ session, event: 'peripheral-stopped', limit: 1 })
    const body = found.ok ? found.value.entries[0]?.body : null
    return body?.event === 'peripheral-stopped' ? body : NOTHING
  }

  const result = async (peer: Peer, said: Said<'invoke_result'>): Promise<Answer> => {
    const { invoke_id, result: done, error } = said
    const turn = await store.turn(invoke_id)
    if (!turn || !isOf(peer, turn) || turn.status === 'accepted')
      return no('invoke-unknown', 'no such invoke was sent to this agent', { invoke_id })
    if (turn.status !== 'running') return ended(turn, true)
    const conclusion = { outcome: done === undefined ? 'failed' : 'done', answer: done ?? error ?? '' } as const
    const over = await whileEnding(peer, invoke_id, () =>
      seats.end(turn, signatureOf(peer.principal), { ...conclusion, patient: true }),
    )
    // Somebody may have been faster: what was written first stands.
    return over.ok ? ended((await store.turn(invoke_id)) ?? turn, false) : over
  }

  /** Says to whoever asks who is here what it is doing. That it is idle needs no saying. */
  const status = async ({ grant, holder }: Peer, said: Said<'status'>): Promise<Answer> => {
    const { status: stands, activity = '' } = said
    const quiet = stands === 'idle' && activity.trim() === ''
    const noted = await registry.note(grant.agent, holder, quiet ? '' : saying(stands, activity))
    return noted.ok ? yes({ type: 'status_ack' }) : noted
  }

  const tools = async ({ principal }: Peer): Promise<Answer> => {
    const seat = await seats.at(principal)
    if (!seat.ok) return seat
    const { spec, active } = seat.value
    const all = await Promise.all(spec.tools.map(async (name) => ({ name, about: await describe(name) })))
    const known = all.flatMap(({ name, about }) => (about ? [{ name, help: about.help, schema: about.schema }] : []))
    return yes({ type: 'tools', peripheral_id: spec.id, active, tools: known })
  }

  return { message, start, act, hop, stop, result, status, tools, stopOf }
}

const saying = (stands: string, activity: string): string =>
  activity.trim() === '' ? stands : `${stands}: ${activity}`

type Stop = { turn: string | null; peripheral: string | null; reason: string; fruit: Fruit | null }

const NOTHING: Stop = { turn: null, peripheral: null, reason: 'nothing-active', fruit: null }

const yes = (value: Extract<Answer, { ok: true }>['value']): Answer => ({ ok: true, value })

export const stopped = (
  { turn, peripheral, reason, fruit }: Stop,
  already: boolean,
): Extract<Answer, { ok: true }> => ({
  ok: true,
  value: { type: 'peripheral_stopped', turn_id: turn, peripheral_id: peripheral, reason, fruit, already },
})

const ended = ({ id, status }: TurnRecord, already: boolean): Answer => {
  const outcome = TurnOutcome.safeParse(status)
  if (!outcome.success) return no('store-failed', 'the end of the turn could not be written down')
  return yes({ type: 'invoke_ended', invoke_id: id, outcome: outcome.data, already })
}

/** A refused hop has its own refusal; one that failed is refused with what it said. */
const whyNot = (report: Exclude<StepReport, { kind: 'ok' }>): Refusal =>
  report.kind === 'refused' ? report.refusal : refusal('hop-refused', report.message)

const whileEnding = async <T>(peer: Peer, turn: string, work: () => Promise<T>): Promise<T> => {
  keep(peer.ending, turn)
  try {
    return await work()
  } finally {
    if (peer.turn?.id === turn) peer.turn = null
  }
}
