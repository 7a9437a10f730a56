import type { KnownAgent, Presence } from '../shapes/agent.ts'
import { isOwnId, Message, type Receipt } from '../shapes/message.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face, Place, RoomMode } from '../shapes/room.ts'
import { dispatch } from './dispatch.ts'
import { drop, objectionToBot } from './drop.ts'
import { type Identifying, identify } from './identify.ts'
import { type Known, mode, type Vocabulary } from './mode.ts'
import { type Keeper, persist, repeatOf } from './persist.ts'
import { presence } from './presence.ts'
import { refuse } from './refuse.ts'
import type { RingOf } from './ring.ts'

export type Social = Keeper &
  Identifying & {
    /** The rooms there are, among them the one that is asked for, where there is such a one. */
    roomsFor: (room: string) => Promise<readonly Place[]>
    /** Who hears what is addressed to nobody, in a room and through a face. */
    listenerOf: (place: Place, face: Face) => Promise<string | null>
    agents: () => Promise<readonly KnownAgent[]>
    specs: ReadonlyMap<string, PeripheralSpec>
    vocabulary: Omit<Vocabulary, 'agents'>
    draining: () => boolean
    roomMode: (room: string) => Promise<RoomMode>
    presenceOf: (agent: string) => Promise<Presence>
    spentOver: (agent: string, room: string) => Promise<string | null>
    hopsIn: (room: string) => Promise<number>
    mostHops: number
    entryOf: (spec: PeripheralSpec, room: string, agent: string) => Promise<Refusal | null>
    ringOf: RingOf
    /** Whether it is Bellhop itself that speaks, by ids that are made from what it is about. */
    ownIds?: boolean
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
  const message = read(given, social)
  if (!message.ok) return refuse(social, 'read', message.refusal)

  const present = presence(message.value, await social.roomsFor(message.value.room), social.draining())
  if (!present.ok) return refuse(social, 'presence', present.refusal)

  const agents = await social.agents()
  const known = await identify(present.value, agents, social)
  if (!known.ok) return refuse(social, 'authenticate', known.refusal)
  return passKnown(known.value, agents, social)
}

const passKnown = async (given: Known, agents: readonly KnownAgent[], social: Social): Promise<Result<Receipt>> => {
  // What a bot is answered, it answers: so it is never told why not.
  const no = (stage: string, why: Refusal): Promise<Result<Receipt>> =>
    given.person.sender?.bot ? drop(social, why, given) : refuse(social, stage, why, given)

  const before = await repeatOf(given, social.store)
  if (before?.ok === false && before.refusal.code === 'id-conflict') return no('persist', before.refusal)
  if (before) return before

  const ignored = objectionToBot(given.person, social.networks)
  if (ignored) return drop(social, ignored, given)

  const listener = await social.listenerOf(given.place, given.face)
  const known = { ...given, place: { ...given.place, listener } }
  const classified = mode(known, await social.roomMode(known.room), { ...social.vocabulary, agents })
  if (!classified.ok) return no('mode', classified.refusal)

  const dispatched = await dispatch(classified.value, { ...social, agents })
  if (!dispatched.ok) return no('dispatch', dispatched.refusal)

  const receipt = await persist(dispatched.value, social)
  if (!receipt.ok) return no('persist', receipt.refusal)

  for (const { session } of receipt.value.assignments) social.enqueue(session)
  return receipt
}

const read = (given: unknown, { ownIds = false }: Social): Result<Message> => {
  const parsed = Message.safeParse(given)
  if (parsed.success && isOwnId(parsed.data.id) && !ownIds)
    return refused(refusal('id-conflict', `ids such as ${parsed.data.id} are for Bellhop itself`))
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || 'message'}: ${issue?.message}`))
}
