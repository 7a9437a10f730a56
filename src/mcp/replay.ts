import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'
import type { McpLimits } from './house.ts'

type Kept = { stream: string; message: JSONRPCMessage; bytes: number }

/** What a session has sent, for a client that lost its connection: as much as is kept, and of this session alone. */
export const createReplay = ({ keptEvents, keptBytes }: McpLimits): EventStore => {
  const kept = new Map<string, Kept>()
  let bytes = 0
  let count = 0

  const forget = (): void => {
    for (const [id, event] of kept) {
      if (kept.size <= keptEvents && bytes <= keptBytes) return
      kept.delete(id)
      bytes -= event.bytes
    }
  }

  return {
    storeEvent: async (stream, message) => {
      count += 1
      const id = String(count)
      const size = JSON.stringify(message).length
      kept.set(id, { stream, message, bytes: size })
      bytes += size
      forget()
      return id
    },
    getStreamIdForEventId: async (id) => kept.get(id)?.stream,
    replayEventsAfter: async (last, { send }) => {
      const stream = kept.get(last)?.stream ?? ''
      const later = [...kept].filter(([id, event]) => event.stream === stream && Number(id) > Number(last))
      for (const [id, { message }] of later) {
        // A stream begins with an event that says nothing but its id.
        if ('jsonrpc' in message) await send(id, message)
      }
      return stream
    },
  }
}
