import { z } from 'zod'
import type { Author } from './evidence.ts'
import { Sender } from './network.ts'
import { Face } from './room.ts'

/** Each role may do what the ones before it may. */
export const Role = z.enum(['viewer', 'operator', 'approver', 'admin'])
export type Role = z.infer<typeof Role>

export const mayAct = (role: Role, needed: Role): boolean => Role.options.indexOf(role) >= Role.options.indexOf(needed)

/** Who is speaking, once authenticated. `via` names the token's owner where an admin speaks as somebody else. */
export const Person = z.strictObject({
  name: z.string().min(1).max(64),
  role: Role,
  face: Face,
  via: z.string().nullable(),
  /** Whether it is an agent that speaks, by a token of its own. */
  agent: z.literal(true).optional(),
  /** Whether nobody gave them a role: they talk, and ask what is for everybody. */
  guest: z.literal(true).optional(),
  /** Who they are on the network they come from. */
  sender: Sender.optional(),
})
export type Person = z.infer<typeof Person>

/** How a person signs evidence, or an agent that speaks for itself. */
export const authorOf = ({ name, face, via, agent }: Person): Author => ({
  kind: agent ? 'agent' : 'person',
  id: name,
  face,
  via,
})
