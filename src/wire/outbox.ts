import type { WebSocket } from 'ws'
import type { Answer, Limits, Objection, Reply } from './house.ts'
import { no } from './objection.ts'

/** How long a connection has to close in order, before it is cut. */
const CLOSE_MS = 2000
/** How often it is looked whether a slow reader has read. */
const LOOK_MS = 50

/** The codes of RFC 6455 that connections end with. */
export const CLOSED = { away: 1001, refused: 1008, tooLarge: 1009 } as const

export type Outbox = ReturnType<typeof createOutbox>

/** The one writer of a connection: frames go out one after the other, each with an id of its own. */
export const createOutbox = (socket: WebSocket, limits: Pick<Limits, 'unreadBytes' | 'mostUnreadBytes'>) => {
  let sent = 0
  const isOpen = () => socket.readyState === socket.OPEN

  const write = (frame: object): void => {
    if (!isOpen()) return
    socket.send(JSON.stringify(frame), () => {})
    if (socket.bufferedAmount > limits.mostUnreadBytes) {
      end(CLOSED.refused, 'reader-slow')
      socket.terminate()
    }
  }

  const end = (code: number, reason: string): void => {
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), CLOSE_MS).unref()
  }

  const id = () => `s${++sent}`
  const replyTo = (re: string | null, { type, ...reply }: Reply) => ({ type, id: id(), re, ...reply })
  const errorTo = (re: string | null, { refusal: why, context = {} }: Objection) =>
    replyTo(re, { type: 'error', ...why, context })

  return {
    isOpen,
    tell: ({ type, ...reply }: Reply): void => write({ type, id: id(), ...reply }),
    answer: (re: string | null, answer: Answer): void =>
      write(answer.ok ? replyTo(re, answer.value) : errorTo(re, answer)),
    /** Says why, and ends the connection. */
    refuse: (re: string | null, objection: Objection, code: number = CLOSED.refused): void => {
      write(errorTo(re, objection))
      end(code, objection.refusal.code)
    },
    end,
    /** Waits until what was sent is mostly read; answers why not, where that takes too long. */
    drained: async (ms: number, signal: AbortSignal): Promise<Objection | null> => {
      const until = performance.now() + ms
      while (isOpen() && !signal.aborted && socket.bufferedAmount > limits.unreadBytes) {
        if (performance.now() > until) {
          const message = `more than ${limits.unreadBytes} bytes wait to be read`
          return no('reader-slow', message)
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())
      }
      return null
    },
  }
}
