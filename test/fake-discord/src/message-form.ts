import { messageComponents } from './component-form.ts'
import {
  boolean,
  both,
  type Check,
  fault,
  integer,
  isObject,
  lengthOf,
  list,
  object,
  optional,
  read,
  snowflake,
  text,
  webAddress,
} from './form.ts'
import { type AllowedMentions, allowedMentions } from './mentions.ts'
import type { Component, Embed, Snowflake } from './wire.ts'

export const FLAGS = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  newerLayout: 1 << 15,
} as const

export type MessageForm = {
  content?: string | null
  nonce?: string | number | null
  enforce_nonce?: boolean | null
  tts?: boolean | null
  embeds?: Embed[] | null
  allowed_mentions?: AllowedMentions | null
  message_reference?: { message_id: Snowflake; fail_if_not_exists?: boolean } | null
  components?: Component[] | null
  attachments?: { id: string | number; filename?: string; description?: string }[] | null
  flags?: number | null
}

const embed: Check = object({
  title: optional(text({ max: 256 })),
  description: optional(text({ max: 4096 })),
  url: optional(webAddress),
  color: optional(integer({ min: 0, max: 0xffffff })),
  timestamp: optional((value) =>
    Number.isNaN(Date.parse(String(value))) ? fault('DATE_TIME_TYPE_PARSE', 'Could not parse value.') : null,
  ),
  footer: optional(object({ text: text({ max: 2048 }) })),
  author: optional(object({ name: text({ max: 256 }), url: optional(webAddress) })),
  image: optional(object({ url: webAddress })),
  thumbnail: optional(object({ url: webAddress })),
  fields: optional(
    list(object({ name: text({ min: 1, max: 256 }), value: text({ min: 1, max: 1024 }), inline: optional(boolean) }), {
      max: 25,
    }),
  ),
})

const sizeOf = ({ title, description, footer, author, fields }: Embed): number =>
  [title, description, footer?.text, author?.name, ...(fields ?? []).flatMap(({ name, value }) => [name, value])]
    .map((one) => lengthOf(one ?? ''))
    .reduce((sum, length) => sum + length, 0)

const embedsTogether: Check = (value) =>
  (value as Embed[]).reduce((sum, one) => sum + sizeOf(one), 0) > 6000
    ? fault('MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000')
    : null

const nonce: Check = (value) => (typeof value === 'number' ? integer()(value) : text({ max: 25 })(value))

const fields = object({
  content: optional(text({ max: 2000 })),
  nonce: optional(nonce),
  enforce_nonce: optional(boolean),
  tts: optional(boolean),
  embeds: optional(both(list(embed, { max: 10 }), embedsTogether)),
  allowed_mentions: optional(allowedMentions),
  message_reference: optional(object({ message_id: snowflake, fail_if_not_exists: optional(boolean) })),
  attachments: optional(
    list(
      object({ id: snowflake, filename: optional(text({ max: 1024 })), description: optional(text({ max: 1024 })) }),
      {
        max: 10,
      },
    ),
  ),
  flags: optional(integer({ min: 0 })),
})

const CLASHES = fault(
  'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  'This field cannot be used with IS_COMPONENTS_V2',
)

const newerLayoutAlone = (value: unknown, newer: boolean) => {
  if (!newer || !isObject(value)) return null
  const clashing = ['content', 'embeds', 'poll', 'sticker_ids'].filter((field) => !isEmpty(value[field]))
  return clashing.length > 0 ? Object.fromEntries(clashing.map((field) => [field, CLASHES])) : null
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Reads what is to be sent; `had` are the flags of the message that is edited. */
export const readMessage = (value: unknown, had = 0): MessageForm => {
  const flags = isObject(value) && typeof value['flags'] === 'number' ? value['flags'] : 0
  const newer = ((flags | had) & FLAGS.newerLayout) !== 0
  const components: Check = (inside) => messageComponents(inside, newer)
  const rest: Check = (whole) => object({ components: optional(components) })(whole)
  const form = read<MessageForm>(
    both(fields, rest, (whole) => newerLayoutAlone(whole, newer)),
    value ?? {},
  )
  return typeof form.content === 'string' ? { ...form, content: cleaned(form.content) } : form
}

/** Discord takes away space around a message, and what is no character. */
const cleaned = (content: string): string => content.replaceAll(/\p{Surrogate}|\0/gu, '').trim()
