import { sha256 } from '../evidence/hash.ts'
import type { WorldState, WorldStepped } from '../shapes/world.ts'
import type { Heard, WorldServer } from './client.ts'
import type { Log } from './log.ts'

/** What the server knows a game by: the step that began it makes it one of its own among all that use the server. */
export const nameOf = ({ game, step }: Pick<Log, 'game' | 'step'>): string => `${game}~${sha256(step).slice(0, 12)}`

/**
 * Tells a server what was played. It may have forgotten, or be another one than before: then it hears the whole game again.
 * A move has its number: one that it knows is not played a second time, but answered as before.
 */
export const createTelling = (server: WorldServer) => {
  const begun = (log: Log) => server.reset(nameOf(log), log.kind, log.seed)

  const tell = async (log: Log, from: number, late: AbortSignal): Promise<Heard<WorldStepped>> => {
    let last: Heard<WorldStepped> = { kind: 'failed', why: 'there is no move to tell of' }
    for (const move of log.moves.slice(from - 1)) {
      if (late.aborted) return LATE
      last = await server.step(nameOf(log), move.n, move)
      if (last.kind !== 'heard') return last
    }
    return last
  }

  /** Tells it again what it lacks; all of it, from the beginning, where it does not know the game as it was played. */
  const again = async (log: Log, known: number | null, late: AbortSignal): Promise<Heard<WorldStepped>> => {
    if (known !== null) return tell(log, known + 1, late)
    const anew = await begun(log)
    return anew.kind === 'heard' ? tell(log, 1, late) : { kind: 'failed', why: unheard(anew) }
  }

  /** Tells all moves that the server lacks; answers with what the last one came to. */
  const bring = async (log: Log): Promise<Heard<WorldStepped>> => {
    const late = AbortSignal.timeout(TELL_MS)
    let told = await tell(log, log.moves.length, late)
    for (let tries = 0; tries < TRIES && told.kind !== 'heard' && told.kind !== 'failed'; tries++)
      told = await again(log, told.kind === 'behind' ? told.moves : null, late)
    return told
  }

  return {
    bring,
    /** How a game stands, on a server that has heard all of it. */
    stateOf: async (log: Log): Promise<Heard<WorldState>> => {
      const told = log.moves.length > 0 ? await bring(log) : null
      if (told !== null && told.kind !== 'heard') return told
      const state = await server.state(nameOf(log))
      if (state.kind !== 'unknown') return state
      const anew = await begun(log)
      return anew.kind === 'heard' ? server.state(nameOf(log)) : { kind: 'failed', why: unheard(anew) }
    },
    /** The move that won a game which the server has heard whole: the last one that changed anything. */
    winnerOf: async (log: Log): Promise<Log['moves'][number] | null> => {
      const late = AbortSignal.timeout(TELL_MS)
      for (const move of log.moves.toReversed()) {
        if (late.aborted) return null
        const saw = await server.step(nameOf(log), move.n, move)
        if (saw.kind !== 'heard' || !saw.value.done) return null
        if (saw.value.changed) return move
      }
      return null
    },
  }
}

/** How long a server is told of a game at a time: what it has heard by then it need not be told again. */
const TELL_MS = 30_000
const LATE = { kind: 'failed', why: 'it takes too long to answer' } as const

/** How often a server is told again that forgot what it was told, as where several tell it at once. */
const TRIES = 5

/** Why nothing was heard. */
export const unheard = (heard: Heard<unknown>): string =>
  heard.kind === 'failed'
    ? `the world's server cannot be spoken with: ${heard.why}`
    : "the world's server forgets what it is told"
