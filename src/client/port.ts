import type { ChatPort } from '../chat/port.ts'
import type { Client, ReadName } from './client.ts'

/** The port of the house over HTTP, for an adapter in a process of its own. The token says who speaks. */
export const portOf = ({ say, follow, ask }: Client): ChatPort => ({
  say: ({ id, room, text }) => say({ id, room, text }),
  follow,
  ask: ({ name, input = {} }) => ask(name as ReadName, input as never),
})
