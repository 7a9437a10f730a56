import type { z } from 'zod'
import { plain } from '../lib/plain.ts'
import { type WorldKind, WorldReset, WorldState, WorldStepped } from '../shapes/world.ts'
import type { Move } from './game.ts'

/**
 * What was heard of a server: what was asked for; that it does not know the game; that it lacks moves before this one, or
 * knows others (null); or why nothing was heard.
 */
export type Heard<T> =
  | { kind: 'heard'; value: T }
  | { kind: 'unknown' }
  | { kind: 'behind'; moves: number | null }
  | { kind: 'failed'; why: string }

export type WorldServer = ReturnType<typeof createWorldClient>

/** How long an answer may take, and how much it may be. */
const ANSWER_MS = 10_000
const ANSWER_BYTES = 262_144

/** Speaks with the server of a text world. What it says is a stranger's text: bounded, without codes, and read strictly. */
export const createWorldClient = (address: () => Promise<string>) => {
  const once = async <T extends z.ZodType>(path: string, sent: object | null, shape: T): Promise<Heard<z.infer<T>>> => {
    const base = await address()
    const response = await fetch(new URL(path, base.endsWith('/') ? base : `${base}/`), {
      ...(sent && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }),
      // Where the config says it is, and nowhere else.
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return heard(response.status, await jsonOf(response), shape)
  }
  const ask = async <T extends z.ZodType>(path: string, sent: object | null, shape: T): Promise<Heard<z.infer<T>>> => {
    const failed = (error: Error): Heard<never> => ({ kind: 'failed', why: reasonOf(error) })
    return once(path, sent, shape).catch((error: Error) =>
      // A server that was restarted has left connections behind; and to be asked the same again does no harm.
      CUT.has(reasonOf(error)) ? once(path, sent, shape).catch(failed) : failed(error),
    )
  }
  return {
    reset: (game: string, kind: WorldKind, seed: number) => ask('reset', { game, kind, seed }, WorldReset),
    step: (game: string, n: number, { player, action }: Move) => ask('step', { game, n, player, action }, WorldStepped),
    state: (game: string) => ask(`state?game=${encodeURIComponent(game)}`, null, WorldState),
  }
}

const heard = <T extends z.ZodType>(status: number, said: unknown, shape: T): Heard<z.infer<T>> => {
  if (status === 404) return { kind: 'unknown' }
  if (status === 409) return { kind: 'behind', moves: movesIn(said) }
  if (status !== 200) return { kind: 'failed', why: `it answered ${status}${errorIn(said)}` }
  const read = shape.safeParse(said)
  return read.success ? { kind: 'heard', value: read.data } : { kind: 'failed', why: 'it said what is no answer' }
}

const fieldOf = (said: unknown, name: string): unknown =>
  typeof said === 'object' && said !== null ? (said as Record<string, unknown>)[name] : undefined

const movesIn = (said: unknown): number | null => {
  const moves = fieldOf(said, 'moves')
  return Number.isSafeInteger(moves) && Number(moves) >= 0 ? Number(moves) : null
}

const errorIn = (said: unknown): string => {
  const error = fieldOf(said, 'error')
  return typeof error === 'string' ? `: ${error.slice(0, 200)}` : ''
}

/** What an answer says, in texts without codes; undefined where it is no JSON, and an error where it is too long. */
const jsonOf = async (response: Response): Promise<unknown> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES) throw new Error(`it said more than ${ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'), (_key, value) =>
      typeof value === 'string' ? plain(value) : value,
    )
  } catch {
    return undefined
  }
}

const CUT: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Why a request failed: the cause says more than that it did. */
const reasonOf = ({ message, cause }: Error): string => {
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string }
  return code ?? why ?? message
}
