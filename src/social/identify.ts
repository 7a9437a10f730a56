import { BELLHOP } from '../evidence/drafts.ts'
import { BY_HAND, type KnownAgent } from '../shapes/agent.ts'
import type { Sender } from '../shapes/network.ts'
import { ok, type Result } from '../shapes/result.ts'
import { authenticate, authenticateSender, type MintedOwner, type Standing, type TokenOwner } from './authenticate.ts'
import { namesOf } from './mention.ts'
import type { Known } from './mode.ts'
import type { Present } from './presence.ts'

/** What it takes to know whom a message is from. */
export type Identifying = {
  owners: readonly TokenOwner[]
  /** Whose token it is, where it was made for somebody. */
  minted: (token: string) => Promise<MintedOwner | null>
  /** The networks, for the process that is on them: the secret it speaks for people there by; null for every other. */
  networks: {
    secret: string | null
    standingOf: (sender: Sender, room: string) => Promise<Standing>
    /** Whether another bot may give work. */
    allows: (sender: Sender) => boolean
  }
}

/** Who sent it, and by which token, where one was made for them; or who they are on the network they come from. */
export const identify = async (
  message: Present,
  agents: readonly KnownAgent[],
  { owners, minted, networks }: Identifying,
): Promise<Result<Known>> => {
  const { sender } = message.credential
  if (sender) {
    const standing = await networks.standingOf(sender, message.room)
    const person = authenticateSender(message, sender, { standing, secret: networks.secret })
    return person.ok ? ok({ ...message, person: person.value, token: null, grant: null }) : person
  }
  const made = await minted(message.credential.token)
  const person = authenticate(message, made ? [...owners, made] : owners, [...namesOf(agents), BELLHOP.id, BY_HAND])
  if (!person.ok) return person
  return ok({ ...message, person: person.value, token: made?.key ?? null, grant: made?.grant ?? null })
}
