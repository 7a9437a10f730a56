import { createHash } from 'node:crypto'
import {
  type AllowedMentionsTypes,
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type RawFile,
  type RESTPostAPIChannelMessageJSONBody,
} from 'discord.js'

/** A button: what is clicked, as `approve:k7f2q`, and how it looks. */
export type Button = { id: string; label: string; style: 'good' | 'bad' | 'plain' }

/** A message of Discord before it is one. */
export type Body = {
  content: string
  embed: APIEmbed | null
  buttons: readonly Button[]
  file: { name: string; text: string } | null
  /** Whether people are notified of it. */
  loud: boolean
  /** The time before which it cannot have been said. */
  at: string
  /** The line whose answer it is: where that was answered in another way, it is not said. */
  receipt: string | null
  /** The message that it replies to. */
  reply: string | null
  /** Whether somebody is at work on it at the moment. */
  working: boolean
  /** Whether it is the board of its room: there is one in a channel, and it is pinned. */
  board: boolean
}

export const BLANK: Body = {
  content: '',
  embed: null,
  buttons: [],
  file: null,
  loud: false,
  at: '',
  receipt: null,
  reply: null,
  working: false,
  board: false,
}

/** What goes with every message and every change of one: nobody is called by it, whatever it says. */
export const NOBODY = { parse: [] as AllowedMentionsTypes[], replied_user: false }

type Wire = { body: RESTPostAPIChannelMessageJSONBody; files: RawFile[] }

/** A body as it goes over the wire, for a change of a message: all of it, so that nothing stays of what was there. */
export const changed = (body: Body): Wire => ({
  body: {
    content: body.content,
    embeds: body.embed ? [body.embed] : [],
    components: rowsOf(body.buttons),
    allowed_mentions: NOBODY,
  },
  files: filesOf(body),
})

/**
 * A body as it goes over the wire, for a new message; `key` tells it from every other, so that it is there once however
 * often it is sent. Addresses in a text are no invitation to show what is there.
 */
export const created = (body: Body, key: string): Wire => {
  const { body: json, files } = changed(body)
  const flags = (body.loud ? 0 : MessageFlags.SuppressNotifications) | (body.embed ? 0 : MessageFlags.SuppressEmbeds)
  const reply = body.reply === null ? {} : { message_reference: { message_id: body.reply, fail_if_not_exists: false } }
  return { body: { ...json, ...reply, flags, nonce: nonceOf(key), enforce_nonce: true }, files }
}

const NONCE = 24

/** The same for the same key: within minutes Discord answers a second one with the message it has. */
const nonceOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, NONCE)

const filesOf = ({ file }: Body): RawFile[] =>
  file === null ? [] : [{ name: file.name, data: Buffer.from(file.text), contentType: 'text/plain; charset=utf-8' }]

const STYLES = { good: ButtonStyle.Success, bad: ButtonStyle.Danger, plain: ButtonStyle.Secondary } as const

const rowsOf = (buttons: readonly Button[]): APIActionRowComponent<APIButtonComponentWithCustomId>[] =>
  buttons.length === 0
    ? []
    : [
        {
          type: ComponentType.ActionRow,
          components: buttons.map(({ id, label, style }) => ({
            type: ComponentType.Button,
            custom_id: id,
            label,
            style: STYLES[style],
          })),
        },
      ]
