import type { Presence } from '../shapes/agent.ts'
import { AgentState, type Judged } from '../shapes/tickle.ts'
import type { TurnView } from '../shapes/turn-view.ts'
import type { Lately } from '../status/turn-view.ts'
import { inMinutes } from './minutes.ts'

/** A turn of an agent that has not ended, and when it was last heard of, where it has begun. */
export type Looked = { view: Pick<TurnView, 'turn' | 'room' | 'state' | 'detail' | 'by'>; lately: Lately | null }

/** What is known of an agent at one moment. Of its presence nothing may be known, as while Redis is away. */
export type Known = { agent: string; presence: Presence | null; turns: readonly Looked[] }

/** How an agent stands, and the turn that says so: one that is stuck, where one is. */
export type Judgement = Judged & { turn: Looked | null }

/**
 * How an agent stands, from what is known of it and the time alone. Only one that is at work, is here, waits for nobody and
 * was not heard of for long is stuck; whoever has nothing to do is idle, and left alone.
 */
export const judge = ({ agent, presence, turns }: Known, now: number, stuckMs: number): Judgement => {
  const absent = absence(presence)
  if (absent) return { agent, ...absent, turn: turns[0] ?? null }
  const [worst] = turns
    .map((turn) => ({ ...stateOf(turn, now, stuckMs), turn }))
    .sort((a, b) => SEVERITY.indexOf(b.state) - SEVERITY.indexOf(a.state))
  return worst ? { agent, ...worst } : { agent, state: 'idle', why: 'it has nothing to do', turn: null }
}

/** What is told of an agent with several turns: the later of these. */
const SEVERITY: readonly AgentState[] = AgentState.options

/** One that only stepped back is there, and says why; one whose entry cannot be read may be there. */
const absence = (presence: Presence | null): { state: AgentState; why: string } | null => {
  switch (presence?.readiness) {
    case 'registered':
      return { state: 'parked', why: presence.reason ?? 'it is not ready yet' }
    case 'lapsed':
    case 'absent':
      return { state: 'gone', why: presence.reason ?? `it is ${presence.readiness}` }
    default:
      return null
  }
}

const stateOf = ({ view, lately }: Looked, now: number, stuckMs: number): { state: AgentState; why: string } => {
  switch (view.state) {
    case 'waiting':
      return { state: 'waiting', why: view.detail }
    case 'running':
    case 'stalled':
      return lately === null ? { state: 'queued', why: 'about to begin' } : heardOf(lately, now, stuckMs)
    case 'parked':
    case 'interrupted':
      return { state: 'parked', why: view.detail }
    default:
      return { state: 'queued', why: view.detail }
  }
}

const heardOf = ({ heard, doing }: Lately, now: number, stuckMs: number): { state: AgentState; why: string } => {
  const silentMs = now - Date.parse(heard)
  const at = doing === null ? '' : `, at: ${doing}`
  return silentMs < stuckMs
    ? { state: 'thinking', why: `heard of ${inMinutes(silentMs)} ago${at}` }
    : { state: 'stuck', why: `nothing was heard for ${inMinutes(silentMs)}${at}` }
}
