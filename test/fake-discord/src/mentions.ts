import { boolean, both, type Check, fault, isObject, list, object, oneOf, optional, snowflake } from './form.ts'
import { may } from './permissions.ts'
import type { World } from './state.ts'
import type { Channel, Component, Snowflake, User, WireMessage } from './wire.ts'

type MentionType = 'users' | 'roles' | 'everyone'

export type AllowedMentions = {
  parse?: MentionType[] | null
  users?: Snowflake[] | null
  roles?: Snowflake[] | null
  replied_user?: boolean | null
}

/** What is mentioned where nothing is said of it. */
export const DEFAULTS = {
  message: { parse: ['users', 'roles', 'everyone'], replied_user: true },
  webhook: { parse: ['users'] },
} as const satisfies Record<string, { parse: MentionType[]; replied_user?: boolean }>

const exclusive: Check = (value) => {
  if (!isObject(value)) return null
  const { parse, users, roles } = value as AllowedMentions
  const clash = (['users', 'roles'] as const).find(
    (type) => parse?.includes(type) && ((type === 'users' ? users : roles) ?? []).length > 0,
  )
  return clash
    ? fault(
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${clash}"] and ${clash}: [ids...] are mutually exclusive.`,
      )
    : null
}

export const allowedMentions: Check = both(
  object({
    parse: optional(list(oneOf(['users', 'roles', 'everyone']))),
    users: optional(list(snowflake, { max: 100 })),
    roles: optional(list(snowflake, { max: 100 })),
    replied_user: optional(boolean),
  }),
  exclusive,
)

type Mentioned = Pick<WireMessage, 'mentions' | 'mention_roles' | 'mention_everyone'>

type Said = {
  text: string
  channel: Channel
  authorId: Snowflake
  allowed: AllowedMentions | { parse: readonly MentionType[]; replied_user?: boolean }
  repliedTo: User | null
}

/** Whom a text mentions: what stands in it, as far as it is allowed to, and as far as the author may. */
export const mentionsIn = (world: World, { text, channel, authorId, allowed, repliedTo }: Said): Mentioned => {
  const { parse, users, roles } = { parse: allowed.parse ?? [], users: [], roles: [], ...withoutNull(allowed) }
  const mayAll = may(world, authorId, channel, 'MENTION_EVERYONE')
  const guild = world.guilds.get(channel.guild_id ?? '')
  const inText = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, id = '']) => id))]

  const mentioned = inText(/<@!?(\d+)>/g).filter((id) => parse.includes('users') || users.includes(id))
  const all = repliedTo && allowed.replied_user ? [...mentioned, repliedTo.id] : mentioned
  return {
    mentions: [...new Set(all)].flatMap((id) => world.users.get(id) ?? []),
    mention_roles: inText(/<@&(\d+)>/g)
      .filter((id) => parse.includes('roles') || roles.includes(id))
      .filter((id) => guild?.roles.get(id)?.mentionable || (mayAll && guild?.roles.has(id))),
    mention_everyone: parse.includes('everyone') && mayAll && guild !== undefined && /@(everyone|here)/.test(text),
  }
}

const withoutNull = (allowed: Said['allowed']): { users?: Snowflake[]; roles?: Snowflake[] } =>
  Object.fromEntries(
    Object.entries(allowed).filter(([field, value]) => (field === 'users' || field === 'roles') && value !== null),
  )

/** All text of a message that can mention somebody. */
export const textOf = (content: string, components: readonly Component[]): string =>
  [content, ...components.flatMap(textsIn)].join('\n')

const textsIn = (component: Component): string[] => [
  ...(component.type === 10 && component.content ? [component.content] : []),
  ...(component.components ?? []).flatMap(textsIn),
]
