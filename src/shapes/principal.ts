import { z } from 'zod'
import { Id } from './message.ts'
import { Identity } from './network.ts'
import { PeripheralId } from './peripheral.ts'
import { type Person, Role } from './person.ts'
import { Name } from './room.ts'

/** What a token is good for: to speak as a person in a role (a viewer only reads), or to be one agent in one room. */
export const Grant = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('person'),
    name: z.string().min(1).max(64),
    role: Role,
    /** The account that it was asked for by: it is good for no more than that is, and ends when that is theirs no longer. */
    account: Identity.optional(),
  }),
  z.strictObject({
    kind: z.literal('agent'),
    agent: Name,
    type: Name,
    room: Name,
    /** Where it starts when it names none, and all that it may inhabit. */
    peripheral: PeripheralId,
    peripherals: z.array(PeripheralId).min(1),
    /** The role its own work is done in: what needs more is refused. */
    role: Role.extract(['viewer', 'operator']),
    /** The one session it is for; null: whichever the agent has open in the room. */
    session: Id.nullable(),
  }),
])
export type Grant = z.infer<typeof Grant>
export type AgentGrant = Extract<Grant, { kind: 'agent' }>

/** A token as it is listed: everything but the token, which is shown once. */
export const TokenRow = z.strictObject({
  token: z.string(),
  label: z.string(),
  grant: Grant,
  by: z.string(),
  made: z.iso.datetime(),
  expires: z.iso.datetime().nullable(),
  state: z.enum(['valid', 'expired', 'revoked']),
})
export type TokenRow = z.infer<typeof TokenRow>

/**
 * Who stands at a door, once let in. `key` is the same for all that come with the same token, and says nothing of it;
 * `token` is the credential itself, in memory alone: every message is authenticated with it again.
 */
export type Principal = {
  key: string
  /** The door it stands at, such as `mcp`: what it does is signed with it. */
  door: string
  token: string
  person: Person
  /** What an agent's token is for; null for a person. */
  grant: AgentGrant | null
  /** When the token ends, in milliseconds; null where it does not. */
  expires: number | null
}
