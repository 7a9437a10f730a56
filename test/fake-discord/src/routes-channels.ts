import { channelOf, dmWith } from './channels.ts'
import { object, read, snowflake } from './form.ts'
import { demand, isThread } from './permissions.ts'
import { refuse } from './refusal.ts'
import { Answered, type Call, type Route } from './route.ts'
import { demandActive, joinThread, leaveThread, membersOf, toBotThread } from './thread-state.ts'
import { archivedThreads, changeChannel, deleteChannel, startThread } from './threads.ts'
import type { Channel, Snowflake } from './wire.ts'

const CHANNEL = '/channels/:channel'
const MEMBERS = `${CHANNEL}/thread-members`

export const channelRoutes: Route[] = [
  {
    method: 'GET',
    path: CHANNEL,
    handle: (call) => toBotThread(call.world, seen(call)),
  },
  {
    method: 'PATCH',
    path: CHANNEL,
    handle: ({ world, me, ids, body }) => toBotThread(world, changeChannel(world, ids.channel, me, body)),
  },
  { method: 'DELETE', path: CHANNEL, handle: ({ world, me, ids }) => deleteChannel(world, ids.channel, me) },
  {
    method: 'POST',
    path: `${CHANNEL}/typing`,
    handle: ({ world, me, ids }) => {
      const channel = channelOf(world, ids.channel)
      demand(world, me, channel, isThread(channel) ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES')
      world.typing.set(channel.id, world.now())
    },
  },
  {
    method: 'POST',
    path: `${CHANNEL}/messages/:message/threads`,
    handle: ({ world, me, ids, body }) => {
      const started = startThread(world, { channelId: ids.channel, userId: me, messageId: ids.message, body })
      return new Answered(201, toBotThread(world, started))
    },
  },
  {
    method: 'POST',
    path: `${CHANNEL}/threads`,
    handle: ({ world, me, ids, body }) =>
      new Answered(201, toBotThread(world, startThread(world, { channelId: ids.channel, userId: me, body }))),
  },
  {
    method: 'GET',
    path: `${CHANNEL}/threads/archived/public`,
    handle: ({ world, ids }) => ({ ...archivedThreads(world, ids.channel, 'public'), has_more: false }),
  },
  {
    method: 'GET',
    path: `${CHANNEL}/threads/archived/private`,
    handle: ({ world, ids }) => ({ ...archivedThreads(world, ids.channel, 'private'), has_more: false }),
  },
  {
    method: 'GET',
    path: MEMBERS,
    handle: (call) => (call.world.intents.members ? membersOf(call.world, seen(call)) : refuse('missingAccess')),
  },
  {
    method: 'GET',
    path: `${MEMBERS}/:user`,
    handle: (call) => call.world.threadMembers.get(seen(call).id)?.get(userIn(call)) ?? refuse('unknownMember'),
  },
  {
    method: 'PUT',
    path: `${MEMBERS}/:user`,
    handle: (call) => {
      const thread = changing(call)
      if (userIn(call) !== call.me) demand(call.world, call.me, thread, 'SEND_MESSAGES_IN_THREADS')
      joinThread(call.world, userIn(call), thread)
    },
  },
  {
    method: 'DELETE',
    path: `${MEMBERS}/:user`,
    handle: (call) => {
      const thread = changing(call)
      const isOwn = userIn(call) === call.me || (thread.type === 12 && thread.owner_id === call.me)
      if (!isOwn) demand(call.world, call.me, thread, 'MANAGE_THREADS')
      leaveThread(call.world, userIn(call), thread)
    },
  },
  {
    method: 'POST',
    path: '/users/@me/channels',
    handle: ({ world, body }) => {
      const { recipient_id } = read<{ recipient_id: Snowflake }>(object({ recipient_id: snowflake }), body)
      return recipient_id === world.bot.id ? refuse('cannotMessageUser') : dmWith(world, recipient_id)
    },
  },
]

const seen = ({ world, me, ids }: Call): Channel => {
  const channel = channelOf(world, ids.channel)
  demand(world, me, channel)
  return channel
}

const changing = (call: Call): Channel => {
  const channel = seen(call)
  demandActive(channel)
  return channel
}

const userIn = ({ me, ids }: Call): Snowflake => (ids.user === '@me' ? me : ids.user)
