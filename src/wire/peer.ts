import { createHash } from 'node:crypto'
import type { TurnRecord } from '../evidence/store.ts'
import type { AgentGrant, Principal } from '../shapes/principal.ts'
import type { Capability } from '../shapes/wire.ts'
import type { Outbox } from './outbox.ts'

/** A program that was welcomed: an agent, at the other end of a connection. */
export type Peer = {
  /** How it is known to the registry: its lease is of this connection, and of no other. */
  holder: string
  principal: Principal
  grant: AgentGrant
  minor: number
  capabilities: ReadonlySet<Capability>
  outbox: Outbox
  /** The turn that it is known to be at. */
  turn: Pick<TurnRecord, 'id' | 'session'> | null
  /** Turns that this connection is ending: it has an answer to come, and need not be told. */
  ending: Set<string>
  /** Turns that were looked at for it. */
  offered: Set<string>
  /** Where the store stood when it was welcomed: work that it began before that is not being begun any more. */
  since: number
  /** When something was last heard from it. */
  heard: () => number
  /** Whether it may still come in. */
  admitted: () => Promise<boolean>
  ping: () => void
  cut: () => void
}

/** A turn of this agent, in the room and the session that its token is for. */
export const isOf = ({ grant }: Peer, { agent, room, session }: TurnRecord): boolean =>
  agent === grant.agent && room === grant.room && (grant.session === null || session === grant.session)

/** A short name for something an agent asks for: the same, sent again, has the same name. */
export const nameFor = (...parts: readonly unknown[]): string =>
  `w${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 14)}`

/** How many turns a connection remembers. */
const REMEMBERED = 1000

/** Remembers one more, and forgets the oldest of too many. */
export const keep = (ids: Set<string>, id: string): void => {
  ids.add(id)
  const [oldest] = ids
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest)
}
