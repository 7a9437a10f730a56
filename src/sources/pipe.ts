import { StringDecoder } from 'node:string_decoder'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { oneLine } from '../lib/plain.ts'

type Options = {
  write: (line: string) => void
  /** What the other side may say, in bytes, after each thing that it is asked. */
  most: number
  /** The other side is not listened to any more; and where it has done what ends it, what. */
  closed: (offence: string | null) => void
  /** Reads a message, and throws where it is none. */
  parse: (value: unknown) => JSONRPCMessage
}

/** A transport, with a place where bytes come in and where the end of the other side is told. */
export type Pipe = Transport & { hear: (chunk: Buffer, message: boolean) => void; ended: () => void }

/**
 * Messages over the pipes of a process, one a line. What is said without end, and what is no message, ends it: nobody can
 * tell what would come after that.
 */
export const createPipe = ({ write, most, closed, parse }: Options): Pipe => {
  const decoder = new StringDecoder()
  let line: string[] = []
  let left = most
  let open = true

  const close = (offence: string | null): void => {
    if (!open) return
    open = false
    line = []
    closed(offence)
  }

  const take = (text: string): void => {
    if (text.trim() === '') return
    const message = messageIn(text, parse)
    if (message === null) close(`said what is no message: ${oneLine(text.slice(0, SHOWN), SHOWN)}`)
    else pipe.onmessage?.(message)
  }

  const pipe: Pipe = {
    start: async () => {},
    send: async (message) => {
      // An answer to what it asks itself is no reason to say more.
      if ('method' in message && 'id' in message) left = most
      if (open) write(`${JSON.stringify(message)}\n`)
    },
    close: async () => close(null),
    hear: (chunk, isMessage) => {
      left -= chunk.length
      if (left < 0) close('said too much')
      if (!open || !isMessage) return
      const [rest = '', ...lines] = decoder.write(chunk).split('\n')
      line.push(rest)
      for (const next of lines) {
        const whole = line.join('')
        line = [next]
        if (open) take(whole)
      }
    },
    ended: () => {
      open = false
      pipe.onclose?.()
    },
  }
  return pipe
}

const SHOWN = 100

const messageIn = (text: string, parse: Options['parse']): JSONRPCMessage | null => {
  try {
    return parse(JSON.parse(text))
  } catch {
    return null
  }
}
