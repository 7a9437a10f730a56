import { channelOf, messageIn } from './channels.ts'
import { fault, invalidForm } from './form.ts'
import { deleteMessage, editMessage, type Page, pageOf, sendMessage } from './messages.ts'
import { demand, may } from './permissions.ts'
import { type Pinning, pin, pinsIn, unpin } from './pins.ts'
import { clearReactions, type Reacting, react, reactedWith, unreact } from './reactions.ts'
import { type Call, idIn, numberIn, type Route } from './route.ts'
import { isoTime } from './state.ts'
import { toAuthor, toBot } from './view.ts'

const MESSAGES = '/channels/:channel/messages'
const MESSAGE = `${MESSAGES}/:message`
const REACTIONS = `${MESSAGE}/reactions`
const reacting = { rate: 'reactions', bucket: 'reactions' } as const

const PINS = `${MESSAGES}/pins`

export const messageRoutes: Route[] = [
  { method: 'GET', path: PINS, handle: (call) => readPins(call) },
  { method: 'PUT', path: `${PINS}/:message`, handle: (call) => pin(call.world, pinningOf(call)) },
  { method: 'DELETE', path: `${PINS}/:message`, handle: (call) => unpin(call.world, pinningOf(call)) },
  { method: 'GET', path: MESSAGES, handle: (call) => readPage(call) },
  {
    method: 'POST',
    path: MESSAGES,
    rate: 'messages',
    handle: (call) => toAuthor(call.world, sendMessage(call.world, sendingOf(call))),
  },
  {
    method: 'GET',
    path: MESSAGE,
    handle: ({ world, me, ids }) => {
      demand(world, me, channelOf(world, ids.channel), 'READ_MESSAGE_HISTORY')
      return toBot(world, messageIn(world, ids.channel, ids.message))
    },
  },
  {
    method: 'PATCH',
    path: MESSAGE,
    rate: 'edits',
    handle: (call) => toBot(call.world, editMessage(call.world, call.ids.message, sendingOf(call))),
  },
  {
    method: 'DELETE',
    path: MESSAGE,
    rate: 'deletes',
    handle: ({ world, me, ids }) => deleteMessage(world, ids.channel, ids.message, me),
  },
  {
    method: 'GET',
    path: `${REACTIONS}/:emoji`,
    handle: (call) => reactedWith(call.world, reactingOf(call)),
  },
  {
    method: 'PUT',
    path: `${REACTIONS}/:emoji/@me`,
    ...reacting,
    handle: (call) => react(call.world, reactingOf(call)),
  },
  {
    method: 'DELETE',
    path: `${REACTIONS}/:emoji/@me`,
    ...reacting,
    handle: (call) => unreact(call.world, reactingOf(call), call.me),
  },
  {
    method: 'DELETE',
    path: `${REACTIONS}/:emoji/:user`,
    ...reacting,
    handle: (call) => unreact(call.world, { ...reactingOf(call), userId: call.ids.user }, call.me),
  },
  {
    method: 'DELETE',
    path: `${REACTIONS}/:emoji`,
    ...reacting,
    handle: (call) => clearReactions(call.world, reactingOf(call)),
  },
  { method: 'DELETE', path: REACTIONS, ...reacting, handle: (call) => clearReactions(call.world, reactingOf(call)) },
]

const sendingOf = ({ me, ids, body, uploads }: Call) => ({ channelId: ids.channel, authorId: me, body, uploads })

const reactingOf = ({ me, ids }: Call): Reacting => ({
  channelId: ids.channel,
  messageId: ids.message,
  emoji: ids.emoji,
  userId: me,
})

const pinningOf = ({ me, ids }: Call): Pinning => ({ channelId: ids.channel, messageId: ids.message, userId: me })

/** What is pinned, the newest pin first; for whoever may not read what was said before, nothing. */
const readPins = ({ world, me, ids, query }: Call) => {
  const limit = numberIn(query, 'limit', { min: 1, max: 50, or: 50 })
  const before = Date.parse(query.get('before') ?? '')
  const channel = channelOf(world, ids.channel)
  demand(world, me, channel)
  const all = may(world, me, channel, 'READ_MESSAGE_HISTORY') ? pinsIn(world, ids.channel) : []
  const older = all.filter(({ pinnedAt }) => Number.isNaN(before) || (pinnedAt ?? 0) < before)
  const items = older.slice(0, limit).map((stored) => ({
    pinned_at: isoTime(stored.pinnedAt ?? 0),
    message: toBot(world, stored),
  }))
  return { items, has_more: older.length > limit }
}

const readPage = ({ world, me, ids, query }: Call) => {
  const limit = numberIn(query, 'limit', { min: 1, max: 100, or: 50 })
  const ends = (['before', 'after', 'around'] as const).flatMap((name) => {
    const id = idIn(query, name)
    return id === undefined ? [] : [{ [name]: id }]
  })
  if (ends.length > 1) {
    throw invalidForm(fault('MUTUALLY_EXCLUSIVE', 'before, after and around exclude each other'))
  }
  const page: Page = { limit, ...ends[0] }
  return pageOf(world, ids.channel, me, page).map((stored) => toBot(world, stored))
}
