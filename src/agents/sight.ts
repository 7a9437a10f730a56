import type { Entry } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Seats } from './seats.ts'

/** What is added to a question so that it asks for no more than one may see; null where one may see nothing. */
export type Bounds = { session?: string; room?: string } | null

/** What of the evidence somebody at a door may see: a person all of it, an agent as much as its wall opens. */
export const boundsOf = async (principal: Principal, seats: Pick<Seats, 'at'>): Promise<Bounds> => {
  if (principal.grant === null) return {}
  const seat = await seats.at(principal)
  if (!seat.ok) return null
  const { session, room, spec } = seat.value
  const bounds = { none: null, session: session === null ? null : { session }, room: { room }, all: {} }
  return bounds[spec.scope.evidence]
}

export const isWithin = (bounds: Bounds, { session, tags }: Pick<Entry, 'session' | 'tags'>): boolean => {
  if (bounds === null) return false
  if (bounds.session !== undefined) return session === bounds.session
  return bounds.room === undefined || tags.includes(`room/${bounds.room}`)
}
