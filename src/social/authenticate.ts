import { sameSecret } from '../lib/secret.ts'
import type { Message } from '../shapes/message.ts'
import type { Person, Role } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face } from '../shapes/room.ts'

/** Whose token it is. */
export type TokenOwner = { token: string; name: string; role: Role }

type Claimed = { face: Face; credential: Message['credential'] }

/** Stage 2. Who is speaking, in which role? Without a token that is known, nobody; fails closed. */
export const authenticate = (
  { face, credential }: Claimed,
  owners: readonly TokenOwner[],
  agents: readonly string[] = [],
): Result<Person> => {
  const owner = owners.find(({ token }) => token !== '' && sameSecret(credential.token, token))
  if (!owner) return refused(refusal('unauthenticated', 'no token, or not one of this instance'))
  const { name, role } = owner
  if (credential.as === null || credential.as === name) return ok({ name, role, face, via: null })
  if (role !== 'admin') return refused(refusal('impersonation-refused', `${name} may not speak as ${credential.as}`))
  if (agents.includes(credential.as.toLowerCase())) {
    return refused(refusal('impersonation-refused', `${credential.as} is an agent's name, and no person's`))
  }
  return ok({ name: credential.as, role, face, via: name })
}
