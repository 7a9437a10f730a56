import { createHash } from 'node:crypto'

/** The kinds of spans there are. */
export type SpanName =
  | 'message'
  | 'read'
  | 'presence'
  | 'authenticate'
  | 'mode'
  | 'dispatch'
  | 'persist'
  | 'wait'
  | 'turn'
  | 'conversation'
  | 'step'
  | 'gate'
  | 'tool'
  | 'delivery'

/**
 * Which trace and which span something is, made from ids that every process knows: the queue carries nothing but a session, and
 * a worker that takes a turn up after a restart goes on in the same trace. A message's id has no dot, and what follows from it
 * begins with it.
 */
export const messageOf = (id: string): string => id.split('.', 1)[0] ?? id

export const traceIdOf = (id: string): string => digest(`trace/${messageOf(id)}`, 32)

export const spanIdOf = (name: SpanName, id: string): string => digest(`${name}/${id}`, 16)

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)
