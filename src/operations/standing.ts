import { threadOf } from '../evidence/threads.ts'
import { identityOf } from '../shapes/network.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { Context } from './operation.ts'

/** The room of the config that a room belongs to: for a thread, the one that it was begun in. */
export const homeOf = async (room: string, { store }: Pick<Context, 'store'>): Promise<string> =>
  (await threadOf(store, room))?.room ?? room

/**
 * What whoever asks may do in a room, which need not be the one they ask in; null for nothing. At home a token holds
 * everywhere. On a network it is what they would be if they spoke there: what the network gives to everybody counts only
 * in rooms that it leads to.
 */
export const roleAt = async (room: string, context: Context): Promise<Role | null> => {
  const { person, room: here, people, config } = context
  const { sender } = person
  if (!sender || room === here) return person.guest ? null : person.role
  const home = await homeOf(room, context)
  if (Object.values(config.networks[sender.network]?.channels ?? {}).includes(home)) {
    const { role, guest } = await people.standingOf(sender, home)
    return guest ? null : role
  }
  const identity = identityOf(sender)
  return identity === null ? null : people.roleBy(identity, { room: home, network: null })
}

/** Why whoever asks may not do something in another room; null where they may. */
export const tooLowAt = async (room: string, needed: Role, what: string, context: Context): Promise<Refusal | null> => {
  const role = await roleAt(room, context)
  if (role !== null && mayAct(role, needed)) return null
  const is = role === null ? 'you have none there' : `you are ${role} there`
  return refusal('role-too-low', `${what} needs the role ${needed} in ${room}; ${is}`)
}
