import { z } from 'zod'
import { boundThreads, watchedBy } from '../evidence/bindings.ts'
import { roomDraft } from '../evidence/drafts.ts'
import { folded } from '../evidence/folded.ts'
import { threadOf } from '../evidence/threads.ts'
import { ChannelName } from '../shapes/network.ts'
import { isChannelOf } from '../shapes/networks.ts'
import { authorOf } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { tooLowAt } from './standing.ts'

const common = { role: 'operator', reads: false, offline: false } as const

const input = z.strictObject({
  thread: Name.describe('which; /threads shows them'),
  network: Name.describe('a network of the config'),
  channel: ChannelName.describe('by the network’s own name for it, such as "#team"'),
})

export const bind = defineOperation({
  ...common,
  name: 'bind',
  summary: 'have a channel of a network lead to a thread: what is said there is said in the thread',
  example: 'bind t-01hxyz libera #release',
  positional: ['thread', 'network', 'channel'],
  input,
  output: input,
  run: async (given, context) => {
    const objection = await objectionTo(given, context)
    if (objection) return refused(objection)
    const { store, person, newId } = context
    const body = { event: 'thread-bound', ...given } as const
    const draft = roomDraft({ id: newId(), room: given.thread, author: authorOf(person), body })
    const written = await store.append([draft])
    return written.ok ? ok(given) : written
  },
  render: ({ thread, network, channel }) => `${channel} on ${network} leads to ${thread}`,
})

const objectionTo = async (
  { thread, network, channel }: z.infer<typeof input>,
  context: Context,
): Promise<Refusal | null> => {
  const { networks } = context.config
  if (!(await threadOf(context.store, thread))) return refusal('thread-unknown', `there is no thread ${thread}`)
  const known = Object.hasOwn(networks, network) ? networks[network] : undefined
  if (!known) {
    const names = Object.keys(networks).join(', ')
    return refusal('network-unknown', `there is no network ${network}; there is ${names || 'none in the config'}`)
  }
  const taken = Object.entries(known.channels).find(([name]) => folded(name) === folded(channel))
  if (taken) return refusal('command-invalid', `${channel} leads to ${taken[1]}, as the config says: choose another`)
  // Who is no channel is somebody: they would be told all that is said.
  if (!isChannelOf(known.kind, channel))
    return refusal('command-invalid', `${channel} is no channel of ${network}: ${EXPECTED[known.kind]}`)
  return (await tooLowAt(thread, 'operator', 'to bind it', context)) ?? objectionToMove({ network, channel }, context)
}

const EXPECTED = {
  irc: 'expected one such as "#team"',
  discord: 'expected its number, such as "1234567890123456789"',
} as const

/** A channel that leads elsewhere already is taken from there by whoever could have brought it there. */
const objectionToMove = async (
  { network, channel }: Pick<z.infer<typeof input>, 'network' | 'channel'>,
  context: Context,
): Promise<Refusal | null> => {
  const bound = await boundThreads(context.store, network)
  const before = bound.find((one) => folded(one.channel) === folded(channel))
  return before ? tooLowAt(before.thread, 'operator', `to take ${channel} from ${before.thread}`, context) : null
}

const watching = {
  ...common,
  positional: ['watched'],
  // Not called a room: on the command line that is the one it is said in.
  input: z.strictObject({ watched: Name.describe('which room or thread') }),
  output: z.strictObject({ room: Name, watching: z.array(Name) }),
} as const

const render = ({ room, watching: rooms }: z.infer<typeof watching.output>): string =>
  rooms.length === 0 ? `${room} watches no other room` : `${room} watches ${rooms.join(', ')}`

export const watch = defineOperation({
  ...watching,
  name: 'watch',
  summary: 'show in this room what happens in another one',
  example: 'watch lobby',
  run: async ({ watched }, context) => {
    const { rooms, store, room } = context
    if (watched === room) return refused(refusal('command-invalid', `${room} is this room: name another`))
    if (!rooms.some(({ id }) => id === watched) && !(await threadOf(store, watched))) {
      const names = rooms.map(({ id }) => id).join(', ')
      return refused(refusal('room-unknown', `there is no room ${watched}; there is ${names}, and /threads`))
    }
    // Who may not look in there does not have it shown here.
    const objection = await tooLowAt(watched, 'viewer', 'to watch it', context)
    return objection ? refused(objection) : set(watched, true, context)
  },
  render,
})

export const unwatch = defineOperation({
  ...watching,
  name: 'unwatch',
  summary: 'no longer show in this room what happens in another one',
  example: 'unwatch lobby',
  run: ({ watched }, context) => set(watched, false, context),
  render,
})

/** Says that a room is shown another one, or is no longer; what is so already is not said twice. */
const set = async (
  watched: string,
  on: boolean,
  { room, store, person, newId }: Context,
): Promise<Result<z.infer<typeof watching.output>>> => {
  if (room === null) return refused(refusal('room-unknown', 'a room watches another: ask in one'))
  if ((await watchedBy(store, room)).includes(watched) !== on) {
    const body = { event: 'watch-set', watched, on } as const
    const written = await store.append([roomDraft({ id: newId(), room, author: authorOf(person), body })])
    if (!written.ok) return written
  }
  return ok({ room, watching: await watchedBy(store, room) })
}
