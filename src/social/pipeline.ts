import { BELLHOP } from '../evidence/drafts.ts'
import type { KnownAgent, Presence } from '../shapes/agent.ts'
import { Message, type Receipt } from '../shapes/message.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Place, RoomMode } from '../shapes/room.ts'
import { authenticate, type MintedOwner, type TokenOwner } from './authenticate.ts'
import { dispatch } from './dispatch.ts'
import { namesOf } from './mention.ts'
import { type Known, mode, type Vocabulary } from './mode.ts'
import { type Keeper, persist, repeatOf } from './persist.ts'
import { type Present, presence } from './presence.ts'
import { refuse } from './refuse.ts'

export type Social = Keeper & {
  /** The rooms there are, among them the one that is asked for, where there is such a one. */
  roomsFor: (room: string) => Promise<readonly Place[]>
  owners: readonly TokenOwner[]
  /** Whose token it is, where it was made for somebody. */
  minted: (token: string) => Promise<MintedOwner | null>
  agents: () => Promise<readonly KnownAgent[]>
  specs: ReadonlyMap<string, PeripheralSpec>
  vocabulary: Omit<Vocabulary, 'agents'>
  draining: () => boolean
  roomMode: (room: string) => Promise<RoomMode>
  presenceOf: (agent: string) => Promise<Presence>
  spentOver: (agent: string, room: string) => Promise<string | null>
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

  const present = presence(message.value, await social.roomsFor(message.value.room), social.draining())
  if (!present.ok) return refuse(social, 'presence', present.refusal)

  const agents = await social.agents()
  const sender = await identify(present.value, agents, social)
  if (!sender.ok) return refuse(social, 'authenticate', sender.refusal)
  const known = sender.value

  const before = await repeatOf(known, social.store)
  if (before?.ok === false && before.refusal.code === 'id-conflict')
    return refuse(social, 'persist', before.refusal, known)
  if (before) return before

  const classified = mode(known, await social.roomMode(known.room), { ...social.vocabulary, agents })
  if (!classified.ok) return refuse(social, 'mode', classified.refusal, known)

  const dispatched = await dispatch(classified.value, { ...social, agents })
  if (!dispatched.ok) return refuse(social, 'dispatch', dispatched.refusal, known)

  const receipt = await persist(dispatched.value, social)
  if (!receipt.ok) return refuse(social, 'persist', receipt.refusal, known)

  for (const { session } of receipt.value.assignments) social.enqueue(session)
  return receipt
}

/** Who sent it, and by which token, where one was made for them. */
const identify = async (
  message: Present,
  agents: readonly KnownAgent[],
  { owners, minted }: Social,
): Promise<Result<Known>> => {
  const made = await minted(message.credential.token)
  const person = authenticate(message, made ? [...owners, made] : owners, [...namesOf(agents), BELLHOP.id])
  if (!person.ok) return person
  return ok({ ...message, person: person.value, token: made?.key ?? null, grant: made?.grant ?? null })
}

const read = (given: unknown): Result<Message> => {
  const parsed = Message.safeParse(given)
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || 'message'}: ${issue?.message}`))
}
