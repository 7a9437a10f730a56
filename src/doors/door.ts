import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A door beside the page's: what comes in at its path is its own affair, and so is who is let in. */
export type Door = {
  path: string
  /** Answers a request. */
  answer?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
  /** Takes over a connection that is to become a WebSocket. */
  open?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends everything that is open at it. */
  close: () => Promise<void>
}
