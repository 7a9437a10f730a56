import type { APIInteraction } from 'discord.js'
import type { Sender } from '../../src/shapes/network.ts'
import { senderOf } from './reading.ts'

/** Who used a command or a button. */
export const senderIn = (network: string, { member, user }: Pick<APIInteraction, 'member' | 'user'>): Sender => {
  const who = member?.user ?? user
  if (!who) throw new Error('Discord does not say whose interaction it is')
  return senderOf(network, who, member?.roles ?? [])
}
