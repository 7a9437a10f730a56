import { sha256 } from '../evidence/hash.ts'
import type { Store } from '../evidence/store.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { tidy, type WorldGame, WorldKind, type WorldLook, type WorldState, type WorldStep } from '../shapes/world.ts'
import type { Playing, Seated } from '../tools/playing.ts'
import type { WorldServer } from './client.ts'
import { begunDraft, gameOf, type Log, latest, latestIn, movedDraft, readLog, wonDraft, wonId } from './log.ts'
import { MOVES } from './server.ts'
import { createTelling, nameOf, unheard } from './telling.ts'

type Options = { store: Store; server: WorldServer }

/**
 * The games of the house. A game is its chain: a move is written down first, in its place, and then told to the server,
 * with all others that it lacks. So nothing is lost and nothing is played twice, whichever process, worker or server ends.
 */
export const createWorlds = ({ store, server }: Options) => {
  const telling = createTelling(server)

  const latestLog = async (room: string): Promise<Log | null> => {
    const game = await latestIn(store, room)
    return game === null ? null : readLog(store, game)
  }

  const underWay = async (room: string): Promise<Result<Log>> => {
    const log = await latestLog(room)
    if (log === null) return none(NO_GAME)
    const { game, won, moves } = log
    if (won) return none(`${game} was won by ${won.player} with move ${won.n}; world-reset {} begins another`)
    return moves.length < MOVES ? ok(log) : none(`${game} has had its ${MOVES} moves; world-reset {} begins another`)
  }

  /** Writes a move down, in its place: where somebody else took that, it comes after theirs. */
  const move = async (action: string, seated: Seated): Promise<Result<Log>> => {
    for (let tries = 0; tries < RIVALS; tries++) {
      const found = await underWay(seated.room)
      if (!found.ok) return found
      const log = found.value
      const written = await store.append([movedDraft(log, action, seated)], null, wonId(log.game))
      const made = { n: log.moves.length + 1, player: seated.agent, action, at: '' }
      if (written.ok) return ok({ ...log, moves: [...log.moves, made] })
      if (!PASSES.has(written.refusal.code)) return written
    }
    return none('too many others move at the same moment; try again')
  }

  /** Writes down that a game was won, and by whom; whoever died before they could is spoken for. */
  const settle = async (log: Log): Promise<Result<unknown>> => {
    const winner = log.won ? null : await telling.winnerOf(log)
    return winner ? store.append([wonDraft(log, winner)]) : ok(null)
  }

  const act = async (action: string, seated: Seated): Promise<Result<{ text: string; world: WorldStep }>> => {
    const moved = await move(tidy(action), seated)
    if (!moved.ok) return moved
    const log = moved.value
    const n = log.moves.length
    const saw = await telling.bring(log)
    if (saw.kind !== 'heard')
      return none(`${unheard(saw)}; it is written down as move ${n}, and told later: do not repeat it`)
    const { observation, changed, score, done } = saw.value
    const settled = done ? await settle(log) : ok(null)
    if (!settled.ok) return settled
    // What is done is done whole, whatever a server makes of its score.
    const won = done && changed
    return ok({ text: observation, world: { game: log.game, n, changed, score: won ? 1 : score, won } })
  }

  /** Begins the next game of a room, unless somebody else does so first. */
  const begin = async ({ kind, seed }: Wanted, seated: Seated): Promise<Result<string>> => {
    const { room, agent: by, turn, step } = seated
    const counted = await store.count({ event: 'world-begun', subject: `room/${room}` })
    if (!counted.ok) return counted
    const game = `${room}-${counted.value + 1}`
    const made = chosen(kind, seed, step)
    const heard = await server.reset(nameOf({ game, step }), made.kind, made.seed)
    if (heard.kind !== 'heard') return none(unheard(heard))
    const task = oneLine(heard.value.task, TASK_LENGTH)
    const written = await store.append([begunDraft({ game, room, ...made, task, by, turn, step }, seated)])
    return written.ok ? ok(`${game} is begun (${made.kind}, seed ${made.seed}).\n${heard.value.observation}`) : written
  }

  const reset = async (how: Wanted, seated: Seated): Promise<Result<string>> => {
    for (let tries = 0; tries < RIVALS; tries++) {
      const log = await underWay(seated.room)
      if (log.ok && !how.again) {
        const { game, task } = log.value
        return none(`${game} is under way here: ${task}; play on, or give it up with {"again": true}`)
      }
      const begun = await begin(how, seated)
      if (begun.ok || !PASSES.has(begun.refusal.code)) return begun
    }
    return none('too many others begin a game at the same moment; try again')
  }

  const state = async ({ room, agent }: Seated): Promise<Result<string>> => {
    const log = await latestLog(room)
    if (log === null) return none(NO_GAME)
    const heard = await telling.stateOf(log)
    if (heard.kind !== 'heard') return none(unheard(heard))
    const settled = heard.value.done ? await settle(log) : ok(null)
    return settled.ok ? ok(stateText(log, heard.value, agent)) : settled
  }

  return {
    /** The game of a room, as it is seen from a step. */
    at: (seated: Seated): Playing => ({
      reset: (how) => reset(how, seated),
      act: (action) => act(action, seated),
      state: () => state(seated),
    }),
    /** The games that were begun last, the newest first. */
    list: async (): Promise<WorldGame[]> => {
      const logs = await Promise.all((await latest(store, LISTED)).map((game) => readLog(store, game)))
      const rooms = new Set<string>()
      return logs.flatMap((log) => {
        if (log === null) return []
        const isLatest = !rooms.has(log.room)
        rooms.add(log.room)
        return [gameOf(log, isLatest)]
      })
    },
    /** The room that a game is played in; null where there is none of this name. */
    roomOf: async (game: string): Promise<string | null> => (await readLog(store, game))?.room ?? null,
    /** One game, whole; null where there is none of this name. */
    look: async (game: string): Promise<WorldLook | null> => {
      const log = await readLog(store, game)
      if (log === null) return null
      const heard = await telling.stateOf(log)
      const now = heard.kind === 'heard' ? heard.value : null
      return {
        game: gameOf(log, (await latestIn(store, log.room)) === game),
        log: log.moves,
        score: now?.score ?? null,
        map: now && { players: now.players, places: now.places },
      }
    },
  }
}

type Wanted = Parameters<Playing['reset']>[0]

/** How many others may be faster, how many games are listed, and how long a task may be. */
const RIVALS = 50
const LISTED = 20
const TASK_LENGTH = 300

const NO_GAME = 'no game is under way here; world-reset {} begins one'

/** What a rival's entry is refused with: it is there already, or the game was won a moment ago. */
const PASSES: ReadonlySet<string> = new Set(['id-conflict', 'turn-stopped'])

const none = (why: string): Result<never> => refused(refusal('world-failed', why))

/** What was not asked for follows from the step: whoever reads the evidence finds nothing that was left to chance. */
const chosen = (kind: WorldKind | null, seed: number | null, step: string): { kind: WorldKind; seed: number } => {
  const chance = Number.parseInt(sha256(step).slice(0, 7), 16)
  const kinds = WorldKind.options
  return { kind: kind ?? kinds[chance % kinds.length] ?? 'pick-and-place', seed: seed ?? chance }
}

const stateText = ({ game, kind, seed }: Log, now: WorldState, agent: string): string => {
  const { task, moves, score, done, players } = now
  const where = (at: string | null) =>
    at === null ? 'in the middle of the room' : `at the ${oneLine(at, NAME_LENGTH)}`
  const hand = (holds: string | null) => (holds === null ? 'nothing' : oneLine(holds, NAME_LENGTH))
  const me = players.find(({ player }) => player === agent) ?? { at: null, holds: null }
  return [
    `${game} (${kind}, seed ${seed}): ${oneLine(task, TASK_LENGTH)}`,
    `${count(moves, 'move')}, score ${Math.round(score * 100)} of 100${done ? ', done' : ''}`,
    `You are ${where(me.at)}, and hold ${hand(me.holds)}.`,
    ...players
      .filter(({ player }) => player !== agent)
      .map(({ player, at, holds }) => `${oneLine(player, NAME_LENGTH)} is ${where(at)}, and holds ${hand(holds)}.`),
  ].join('\n')
}

const NAME_LENGTH = 100
