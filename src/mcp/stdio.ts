import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Principal } from '../shapes/principal.ts'
import { createBuild } from './build.ts'
import { createGuests } from './guests.ts'
import { limitsOf, type McpHouse } from './house.ts'
import { createLink } from './link.ts'
import { noticesOf } from './notices.ts'

type Pipe = { input: Readable; output: Writable }

/** What a stdio server may hold of a message that has not ended yet. */
const BUFFER_BYTES = 4 * 1024 * 1024

/** Speaks MCP with whoever started the program, in either era, until they go or their token ends. */
export const serveMcpStdio = async (house: McpHouse, principal: Principal, { input, output }: Pipe) => {
  const limits = limitsOf(house)
  const guests = createGuests(house, limits)
  const guest = await guests.of(principal)
  const link = createLink({ notices: noticesOf(() => server), kind: 'pipe' })
  guest.links.add(link)
  const builds = {
    legacy: createBuild({ house, limits, guest, link, era: 'legacy' }),
    modern: createBuild({ house, limits, guest, link, era: 'modern' }),
  }
  let server = builds.legacy()
  const wire = new StdioServerTransport(input, output, { maxBufferSize: BUFFER_BYTES })
  const { transport, closed } = overheard(wire, link, limits.watchesEach)
  const handle = serveStdio(
    ({ era }) => {
      server = builds[era]()
      return server
    },
    {
      transport,
      maxSubscriptions: limits.streamsEach,
      onerror: ({ message }) => house.log('stdio', { error: message }),
    },
  )
  guest.onEnd(() => void handle.close())
  return {
    closed,
    close: async (): Promise<void> => {
      await handle.close()
      guest.links.delete(link)
      await guest.settled()
      await guest.leave()
      await guests.close()
    },
  }
}

/** The pipe, with an ear for what a client of the newer era says it watches: that is answered before it reaches us. */
const overheard = (wire: StdioServerTransport, link: ReturnType<typeof createLink>, most: number) => {
  const streams = new Map<unknown, string[]>()
  let gone = () => {}
  const closed = new Promise<void>((resolve) => {
    gone = resolve
  })
  const hear = (message: JSONRPCMessage): void => {
    if (!('method' in message)) return
    const params = (message.params ?? {}) as Record<string, unknown>
    if (message.method === 'subscriptions/listen' && 'id' in message)
      streams.set(message.id, wanted(params).slice(0, most).filter(link.watch))
    if (message.method !== 'notifications/cancelled') return
    for (const uri of streams.get(params['requestId']) ?? []) link.unwatch(uri)
    streams.delete(params['requestId'])
  }
  const transport: Transport = {
    start: () => wire.start(),
    send: (message) => wire.send(message),
    close: () => wire.close(),
  }
  wire.onmessage = (message) => {
    hear(message)
    transport.onmessage?.(message)
  }
  wire.onerror = (error) => transport.onerror?.(error)
  wire.onclose = () => {
    transport.onclose?.()
    gone()
  }
  return { transport, closed }
}

const wanted = ({ notifications }: Record<string, unknown>): string[] => {
  const uris = (notifications as { resourceSubscriptions?: unknown } | undefined)?.resourceSubscriptions
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}
