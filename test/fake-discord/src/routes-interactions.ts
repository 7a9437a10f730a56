import {
  answer,
  answerOf,
  callbackResult,
  deleteAnswer,
  editAnswer,
  followUp,
  interactionBehind,
  interactionOf,
} from './interactions.ts'
import type { Call, Route } from './route.ts'
import type { StoredInteraction } from './state.ts'
import { toAuthor, toBot } from './view.ts'

const WEBHOOK = '/webhooks/:application/:token'
const shared = { rate: 'webhooks', open: true } as const

/** The ways to answer an interaction. Their paths have the token of it; the bot's own is not needed. */
export const interactionRoutes: Route[] = [
  {
    method: 'POST',
    path: '/interactions/:interaction/:token/callback',
    open: true,
    handle: ({ world, ids, body, uploads, query }) => {
      const found = interactionOf(world, ids.interaction, ids.token)
      answer(world, found, body, uploads)
      if (query.get('with_response') !== 'true') return undefined
      const original = world.messages.get(found.originalId ?? '')
      return callbackResult(found, original ? toBot(world, original) : null)
    },
  },
  {
    method: 'POST',
    path: WEBHOOK,
    ...shared,
    handle: (call) => toAuthor(call.world, followUp(call.world, behind(call), call.body, call.uploads)),
  },
  {
    method: 'GET',
    path: `${WEBHOOK}/messages/:message`,
    ...shared,
    handle: (call) => toBot(call.world, answerOf(call.world, behind(call), call.ids.message)),
  },
  {
    method: 'PATCH',
    path: `${WEBHOOK}/messages/:message`,
    ...shared,
    handle: (call) => {
      const found = behind(call)
      const stored = answerOf(call.world, found, call.ids.message)
      editAnswer(call.world, found, stored, call)
      return toBot(call.world, stored)
    },
  },
  {
    method: 'DELETE',
    path: `${WEBHOOK}/messages/:message`,
    ...shared,
    handle: (call) => {
      const found = behind(call)
      deleteAnswer(call.world, found, answerOf(call.world, found, call.ids.message))
    },
  },
]

const behind = ({ world, ids }: Call): StoredInteraction => interactionBehind(world, ids.application, ids.token)
