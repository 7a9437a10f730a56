import { sameSecret } from '../lib/secret.ts'
import type { Message } from '../shapes/message.ts'
import { identityOf, type Sender } from '../shapes/network.ts'
import type { Person, Role } from '../shapes/person.ts'
import type { AgentGrant } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { type Face, NETWORK_FACES } from '../shapes/room.ts'

/** Whose token it is. */
export type TokenOwner = {
  token: string
  name: string
  role: Role
  /** Who speaks for them, where they do not speak themselves: what they asked for before is being done. */
  via?: string
  /** What an agent's token is good for. */
  grant?: AgentGrant
}

/** A token that was made for somebody: the name it is listed under, where it is, and when it ends. */
export type MintedOwner = TokenOwner & { key: string | null; expires: number | null }

type Claimed = { face: Face; credential: Message['credential']; room?: string }

/** Stage 2. Who is speaking, in which role? Without a token that is known, nobody; fails closed. */
export const authenticate = (
  claimed: Claimed,
  owners: readonly TokenOwner[],
  agents: readonly string[] = [],
): Result<Person> => {
  const { face, credential } = claimed
  if (NETWORK_FACES.has(face)) return refused(refusal('unauthenticated', `nobody comes in through ${face} by a token`))
  const owner = owners.find(({ token }) => token !== '' && sameSecret(credential.token, token))
  if (!owner) return refused(refusal('unauthenticated', 'no token, or not one of this instance'))
  const { name, role, grant, via } = owner
  if (via !== undefined && credential.as === null) return ok({ name, role, face, via })
  const beyond = beyondGrant(claimed, grant ?? null)
  if (beyond) return refused(beyond)
  if (grant) return ok({ name, role, face: 'agent', via: null, agent: true })
  if (credential.as === null || credential.as === name) return ok({ name, role, face, via: null })
  if (role !== 'admin') return refused(refusal('impersonation-refused', `${name} may not speak as ${credential.as}`))
  if (agents.includes(credential.as.toLowerCase())) {
    return refused(refusal('impersonation-refused', `${credential.as} is an agent's name, and no person's`))
  }
  return ok({ name: credential.as, role, face, via: name })
}

/** An agent comes in by the door for agents, into its own room, as itself; nobody else does. */
const beyondGrant = ({ face, credential, room }: Claimed, grant: AgentGrant | null): Refusal | null => {
  if (grant === null) return face === 'agent' ? refusal('agents-only', 'this door is for agents') : null
  if (face !== 'agent') return refusal('grant-exceeded', `the token is for ${grant.agent}, and not for a person's face`)
  if (credential.as !== null) return refusal('impersonation-refused', `${grant.agent} may not speak as somebody else`)
  if (room !== undefined && room !== grant.room)
    return refusal('grant-exceeded', `the token is for the room ${grant.room}, and not for ${room}`)
  return null
}

/** Who somebody on a network is here: the name they go by, and the role that config and pairings give them. */
export type Standing = { name: string; role: Role; guest: boolean }

/**
 * Who a sender is. That the network vouches for them is the word of the process that is on it, which proves itself by a
 * secret of its own; without that, nobody. Whom nobody gave a role is a guest.
 */
export const authenticateSender = (
  { face, credential }: { face: Face; credential: Message['credential'] },
  sender: Sender,
  { standing, secret }: { standing: Standing; secret: string | null },
): Result<Person> => {
  if (secret === null || !NETWORK_FACES.has(face) || !sameSecret(credential.token, secret) || credential.as !== null)
    return refused(refusal('unauthenticated', 'only Bellhop itself speaks for people on networks'))
  const { name, role, guest } = standing
  return ok({ name, role, face, via: identityOf(sender), ...(guest ? { guest: true } : {}), sender })
}
