import { type APIMessage, type APIUser, type REST, Routes } from 'discord.js'
import type { Body } from './body.ts'

type Where = { rest: REST; channel: string; body: Body; me: string | null }
type Found = { kind: 'said'; ref: string } | { kind: 'not-said' } | { kind: 'unknown' }

const PAGE = 100
const PAGES = 3

/** How far our clock and Discord's may be apart. */
const SKEW_MS = 600_000

/**
 * Looks whether a message is in a channel already: the same text by this bot, not older than what it is about. Discord does
 * not say under which nonce a message was sent. Where it cannot look back far enough, nobody knows.
 */
export const findSaid = async ({ rest, channel, body, me }: Where): Promise<Found> => {
  const self = me ?? (await whoWeAre(rest))
  if (self === null) return { kind: 'unknown' }
  const since = Math.min(Date.parse(body.at), Date.now()) - SKEW_MS
  let before: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const messages = await look(rest, channel, before)
    if (messages === null) return { kind: 'unknown' }
    const recent = messages.filter(({ timestamp }) => !(Date.parse(timestamp) < since))
    const same = recent.find((message) => message.author.id === self && isSame(message, body))
    if (same) return { kind: 'said', ref: same.id }
    if (messages.length === 0 && !(await isEmpty(rest, channel))) return { kind: 'unknown' }
    if (recent.length < PAGE) return { kind: 'not-said' }
    before = recent.at(-1)?.id
  }
  return { kind: 'unknown' }
}

/** What is left from before a start is said before the gateway has told us who we are. */
const whoWeAre = async (rest: REST): Promise<string | null> => {
  const self = (await rest.get(Routes.user()).catch(() => null)) as APIUser | null
  return self?.id ?? null
}

const look = async (rest: REST, channel: string, before: string | undefined): Promise<APIMessage[] | null> => {
  const query = new URLSearchParams({ limit: String(PAGE), ...(before === undefined ? {} : { before }) })
  try {
    return (await rest.get(Routes.channelMessages(channel), { query })) as APIMessage[]
  } catch {
    return null
  }
}

/** Who may not read what was said before is shown none of it: that is not the same as there being nothing. */
const isEmpty = async (rest: REST, channel: string): Promise<boolean> => {
  const found = (await rest.get(Routes.channel(channel)).catch(() => null)) as {
    last_message_id?: string | null
  } | null
  return found !== null && !found.last_message_id
}

/** A card is known by what stands below it, whatever it says by now. */
const isSame = ({ content, embeds, attachments, message_reference }: APIMessage, body: Body): boolean =>
  content.trim() === body.content.trim() &&
  (embeds[0]?.footer?.text ?? '') === (body.embed?.footer?.text ?? '') &&
  attachments[0]?.filename === body.file?.name &&
  (body.reply === null || message_reference === undefined || message_reference.message_id === body.reply)
