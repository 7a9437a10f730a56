import type { Author, Body, Draft } from '../shapes/evidence.ts'

/** The chain of what concerns no room and no session: who came and went, and what was refused at the door. */
export const HOUSE = 'house'

/** The chain of a room: what was said there and how it was answered. Session ids begin otherwise. */
const roomChain = (room: string): string => `room-${room}`

type RoomDraft = { id: string; room: string; author: Author; body: Body; inReplyTo?: string }

/** An entry in a room's own chain. */
export const roomDraft = ({ id, room, author, body, inReplyTo }: RoomDraft): Draft => ({
  id,
  session: roomChain(room),
  subject: { type: 'room', id: room },
  author,
  body,
  tags: [`room/${room}`],
  inReplyTo: inReplyTo ?? null,
})

type SessionDraft = RoomDraft & { session: string; agent: string; tags?: string[] }

/** An entry in a session's chain; the tags say where it can be seen and what it is about. */
export const sessionDraft = ({
  id,
  session,
  room,
  agent,
  author,
  body,
  inReplyTo,
  tags = [],
}: SessionDraft): Draft => ({
  id,
  session,
  subject: { type: 'session', id: session },
  author,
  body,
  tags: [`room/${room}`, `agent/${agent}`, ...tags],
  inReplyTo: inReplyTo ?? null,
})

/** What the tags of an entry say of its agent or its room; null where they say nothing. */
export const taggedIn = (tags: readonly string[], family: 'agent' | 'room'): string | null =>
  tags.find((tag) => tag.startsWith(`${family}/`))?.slice(family.length + 1) ?? null

/** The chain of an undertaking: what became of it, in whichever session. */
export const undertakingChain = (id: string): string => `undertaking~${id}`

type UndertakingDraft = Omit<SessionDraft, 'id' | 'session'> & { undertaking: string; n: number }

/** An entry of an undertaking, by its number there: of two that go on from the same one, the second is refused. */
export const undertakingDraft = ({
  undertaking,
  n,
  room,
  agent,
  author,
  body,
  inReplyTo,
}: UndertakingDraft): Draft => ({
  id: `${undertakingChain(undertaking)}.${n}`,
  session: undertakingChain(undertaking),
  subject: { type: 'undertaking', id: undertaking },
  author,
  body,
  tags: [`room/${room}`, `agent/${agent}`, ...(undertaking.startsWith('M-') ? [`mission/${undertaking}`] : [])],
  inReplyTo: inReplyTo ?? null,
})

/** An entry in the house's chain, shown in the rooms given. */
export const houseDraft = (id: string, body: Body, rooms: string[], author: Author = BELLHOP): Draft => ({
  // Who came and went is of use while it is fresh; nothing later builds on it.
  ephemeral: body.event === 'presence' || body.event === 'network-noted' || isPassing(body),
  id,
  session: HOUSE,
  subject: { type: 'house', id: HOUSE },
  author,
  body,
  tags: rooms.map((room) => `room/${room}`),
  inReplyTo: null,
})

/** That all was said so far is overtaken by the next such note; what could not be said is not. */
const isPassing = (body: Body): boolean => body.event === 'delivery-noted' && body.about === 'through'

/** Bellhop itself, where nobody else did it. */
export const BELLHOP: Author = { kind: 'house', id: 'bellhop', face: 'house', via: null }
