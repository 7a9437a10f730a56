import { BELLHOP } from '../evidence/drafts.ts'
import type { AgentConfig, Presence } from '../shapes/agent.ts'
import { Message, type Receipt } from '../shapes/message.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Room, RoomMode } from '../shapes/room.ts'
import { authenticate, type TokenOwner } from './authenticate.ts'
import { dispatch } from './dispatch.ts'
import { namesOf } from './mention.ts'
import { mode, type Vocabulary } from './mode.ts'
import { type Keeper, persist, repeatOf } from './persist.ts'
import { presence } from './presence.ts'
import { refuse } from './refuse.ts'

export type Social = Keeper & {
  rooms: readonly Room[]
  owners: readonly TokenOwner[]
  agents: readonly AgentConfig[]
  specs: ReadonlyMap<string, PeripheralSpec>
  vocabulary: Vocabulary
  draining: () => boolean
  roomMode: (room: string) => Promise<RoomMode>
  presenceOf: (agent: string) => Promise<Presence>
  entryOf: (spec: PeripheralSpec, room: string, agent: string) => Promise<Refusal | null>
  /** Tells the queue that a session has work. It does not wait: work the queue never heard of is found by the sweep. */
  enqueue: (session: string) => void
}

/**
 * The one door: every line of chat comes through here, top to bottom, and is answered with a receipt or a refusal.
 * Both are evidence before they are given, and work is queued only after that.
 */
export const receive = (given: unknown, social: Social): Promise<Result<Receipt>> =>
  pass(given, social).catch((error: Error) => {
    social.log('a message could not be dealt with', { error: error.stack ?? error.message })
    return refuse(social, 'pipeline', refusal('store-failed', `it could not be dealt with: ${error.message}`))
  })

const pass = async (given: unknown, social: Social): Promise<Result<Receipt>> => {
  const message = read(given)
  if (!message.ok) return refuse(social, 'read', message.refusal)

  const present = presence(message.value, social.rooms, social.draining())
  if (!present.ok) return refuse(social, 'presence', present.refusal)

  const person = authenticate(present.value, social.owners, [...namesOf(social.agents), BELLHOP.id])
  if (!person.ok) return refuse(social, 'authenticate', person.refusal)

  const known = { ...present.value, person: person.value }
  const before = await repeatOf(known, social.store)
  if (before?.ok === false && before.refusal.code === 'id-conflict')
    return refuse(social, 'persist', before.refusal, known)
  if (before) return before

  const classified = mode(known, await social.roomMode(known.room), social.vocabulary)
  if (!classified.ok) return refuse(social, 'mode', classified.refusal, known)

  const dispatched = await dispatch(classified.value, social)
  if (!dispatched.ok) return refuse(social, 'dispatch', dispatched.refusal, known)

  const receipt = await persist(dispatched.value, social)
  if (!receipt.ok) return refuse(social, 'persist', receipt.refusal, known)

  for (const { session } of receipt.value.assignments) social.enqueue(session)
  return receipt
}

const read = (given: unknown): Result<Message> => {
  const parsed = Message.safeParse(given)
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || 'message'}: ${issue?.message}`))
}
