import type { KnownAgent, Presence } from '../shapes/agent.ts'
import { isOwnId, Message, MessageId, type Receipt } from '../shapes/message.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { comesInCrowds, type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face, Place, RoomMode } from '../shapes/room.ts'
import { dispatch } from './dispatch.ts'
import { drop, droppedFor, objectionToBot } from './drop.ts'
import { type Identifying, identify } from './identify.ts'
import { type Known, mode, type Vocabulary } from './mode.ts'
import { type Keeper, persist, repeatOf } from './persist.ts'
import { presence } from './presence.ts'
import { refuse } from './refuse.ts'
import type { RingOf } from './ring.ts'
import type { Sparingly } from './sparingly.ts'
import { hurried, type Limits } from './unhurried.ts'

export type Stage = 'read' | 'presence' | 'authenticate' | 'mode' | 'dispatch' | 'persist'

/** One message on its way through the stages, as whoever counts and traces is told of it. */
export type Passing = {
  /** A stage begins; the one before it has ended. */
  stage: (name: Stage) => void
  /** It was answered; the id is that of the message, where it has one. */
  ended: (answer: Result<Receipt>, id: string | null) => void
}

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
    /** How much may be said at once. */
    limits: Limits
    /** Writes refusals down: of many alike the first ones, and how many there were. */
    sparingly: Sparingly
    /** Whether it is Bellhop itself that speaks, by ids that are made from what it is about. */
    ownIds?: boolean
    /** Told of each message that comes; nobody, where that is left out. */
    passing?: () => Passing
    /** Tells the queue that a session has work. It does not wait: work the queue never heard of is found by the sweep. */
    enqueue: (session: string) => void
  }

/**
 * The one door: every line of chat comes through here, top to bottom, and is answered with a receipt or a refusal.
 * Both are evidence before they are given, and work is queued only after that.
 */
export const receive = async (given: unknown, social: Social): Promise<Result<Receipt>> => {
  const passing = social.passing?.()
  const answer = await pass(given, social, passing).catch((error: Error) => {
    social.log('a message could not be dealt with', { message: idOf(given), error: error.stack ?? error.message })
    return refuse(social, 'pipeline', refusal('store-failed', `it could not be dealt with: ${error.message}`))
  })
  passing?.ended(answer, idOf(given))
  return answer
}

const idOf = (given: unknown): string | null => MessageId.safeParse((given as Message | null)?.id).data ?? null

const pass = async (given: unknown, social: Social, passing: Passing | undefined): Promise<Result<Receipt>> => {
  // Nobody is known yet who would be made to wait: so it is what is written down that is bounded.
  const no = async (stage: Stage, why: Refusal): Promise<Result<never>> => {
    await social.sparingly.refuse(`${stage} ${why.code}`, stage, why)
    return refused(why)
  }
  passing?.stage('read')
  const message = read(given, social)
  if (!message.ok) return no('read', message.refusal)

  passing?.stage('presence')
  const present = presence(message.value, await social.roomsFor(message.value.room), social.draining())
  if (!present.ok) return no('presence', present.refusal)

  passing?.stage('authenticate')
  const agents = await social.agents()
  const known = await identify(present.value, agents, social)
  if (!known.ok) return no('authenticate', known.refusal)
  passing?.stage('mode')
  return passKnown(known.value, agents, social, passing)
}

const passKnown = async (
  given: Known,
  agents: readonly KnownAgent[],
  social: Social,
  passing: Passing | undefined,
): Promise<Result<Receipt>> => {
  const no = refusing(given, social)
  const before = await repeatOf(given, social.store)
  if (before?.ok === false && before.refusal.code === 'id-conflict') return no('persist', before.refusal)
  if (before) return before

  const ignored = await ignore(given, social, no)
  if (ignored) return ignored

  const listener = await social.listenerOf(given.place, given.face)
  const known = { ...given, place: { ...given.place, listener } }
  const classified = mode(known, await social.roomMode(known.room), { ...social.vocabulary, agents })

  // What Bellhop says itself follows from what was taken before.
  const wish = classified.ok ? classified.value.wish : null
  const early = isBot(given) || social.ownIds ? null : await hurried(known, wish, social.limits)
  if (early) return no('mode', early.refusal, early.who)
  if (!classified.ok) return no('mode', classified.refusal)

  passing?.stage('dispatch')
  const dispatched = await dispatch(classified.value, { ...social, agents })
  if (!dispatched.ok) return no('dispatch', dispatched.refusal)

  passing?.stage('persist')
  const receipt = await persist(dispatched.value, social)
  if (!receipt.ok) return no('persist', receipt.refusal)

  for (const { session } of receipt.value.assignments) social.enqueue(session)
  return receipt
}

const isBot = ({ person }: Known): boolean => person.sender?.bot === true

type No = (stage: string, why: Refusal, who?: string) => Promise<Result<Receipt>>

/** How a line is refused whose sender is known. What a bot is answered, it answers: so it is never told why not. */
const refusing =
  (given: Known, social: Social): No =>
  async (stage, why, who = `${why.code} ${given.room}`) => {
    if (!comesInCrowds(why)) return isBot(given) ? drop(social, why, given) : refuse(social, stage, why, given)
    await social.sparingly.refuse(who, stage, why)
    return isBot(given) ? ok(droppedFor(given, why)) : refused(why)
  }

/** Of most that bots say nothing is made, and of what is too much not even that is kept; null for everybody else. */
const ignore = async (given: Known, social: Social, no: No): Promise<Result<Receipt> | null> => {
  if (!isBot(given)) return null
  const flood = await hurried(given, null, social.limits)
  if (flood) return no('mode', flood.refusal, flood.who)
  const ignored = objectionToBot(given.person, social.networks)
  return ignored && drop(social, ignored, given)
}

const read = (given: unknown, { ownIds = false }: Social): Result<Message> => {
  const parsed = Message.safeParse(given)
  if (parsed.success && isOwnId(parsed.data.id) && !ownIds)
    return refused(refusal('id-conflict', `ids such as ${parsed.data.id} are for Bellhop itself`))
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || 'message'}: ${issue?.message}`))
}
