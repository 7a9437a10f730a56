import { z } from 'zod'
import { Name } from './room.ts'

/** A name somebody speaks as: of whole characters, and of none that a terminal would obey. */
export const Spoken = z
  .string()
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected a name without control characters')

/** A channel by the network's own name for it: `#team`, or the number of a Discord channel. */
export const ChannelName = z
  .string()
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}\s,]+$/u, 'expected the name of a channel, such as "#team"')

/**
 * Who said something on a network, as far as the network vouches for it. A name alone is anybody's: without an account
 * and without a visit that proved itself, nobody is trusted with a role.
 */
export const Sender = z.strictObject({
  network: Name,
  /** The account they are signed in to: an IRC account, the number of a Discord user; null where there is none. */
  account: Spoken.refine((account) => !account.startsWith('~'), 'expected an account without ~ before it').nullable(),
  /** Their stay, where the network only knows names: from coming in to leaving, and never the same again. */
  visit: Name.nullable(),
  /** What they are called there. */
  nick: Spoken,
  /** Whether the network says that it is a program. */
  bot: z.boolean(),
  /** What they belong to there: the roles of a Discord server, by their numbers. */
  groups: z.array(z.string().max(64)).max(250),
})
export type Sender = z.infer<typeof Sender>

/** What a person can be known by: `libera/ada` is an account, `libera/~v-…` one visit. */
export const Identity = z
  .string()
  .max(160)
  .regex(/^[a-z][a-z0-9-]*\/~?[^\p{Cc}\p{Cs}\s]+$/u, 'expected an account such as "libera/ada"')

/** What somebody is known by; null where the network says nothing of them. */
export const identityOf = ({ network, account, visit }: Sender): string | null => {
  if (account !== null) return `${network}/${account}`
  return visit === null ? null : `${network}/~${visit}`
}
