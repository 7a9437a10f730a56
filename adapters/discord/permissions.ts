import { type APIOverwrite, type APIRole, OverwriteType, PermissionFlagsBits } from 'discord.js'

type Asked = {
  guild: string
  me: string
  roles: readonly APIRole[]
  own: readonly string[]
  overwrites: readonly APIOverwrite[]
}

/** What somebody may do in a channel, as Discord works it out: their roles, then what the channel says of roles, then of them. */
export const permissionsIn = ({ guild, me, roles, own, overwrites }: Asked): bigint => {
  const mine = roles.filter(({ id }) => id === guild || own.includes(id))
  const base = mine.reduce((bits, { permissions }) => bits | BigInt(permissions), 0n)
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return ~0n
  const everybody = overwrites.filter(({ id }) => id === guild)
  const ofRoles = overwrites.filter(({ id, type }) => type === OverwriteType.Role && own.includes(id))
  const ofMe = overwrites.filter(({ id, type }) => type === OverwriteType.Member && id === me)
  const may = [everybody, ofRoles, ofMe].reduce(apply, base)
  // Who does not see a channel can do nothing in it.
  return (may & PermissionFlagsBits.ViewChannel) === 0n ? 0n : may
}

/** Of those of one kind, what is denied goes first, and what is allowed stands. */
const apply = (base: bigint, overwrites: readonly APIOverwrite[]): bigint => {
  const bits = (of: 'allow' | 'deny') => overwrites.reduce((sum, one) => sum | BigInt(one[of]), 0n)
  return (base & ~bits('deny')) | bits('allow')
}
