import { type WorldKind, type WorldMap, type WorldState, type WorldStepped, worldActionOf } from '../shapes/world.ts'
import { act } from './act.ts'
import { generate } from './generate.ts'
import { isOf, viewFrom } from './says.ts'
import { scoreOf, taskText } from './task.ts'
import { heldBy, thingsAt, type World } from './world.ts'

export type Move = { player: string; action: string }

/** A game of our own: a world that was made from a seed, and all that was done in it, with what was seen. */
export type Game = {
  readonly kind: WorldKind
  readonly seed: number
  readonly world: World
  readonly moves: readonly (Move & { saw: WorldStepped })[]
}

export const begin = (kind: WorldKind, seed: number): Game => ({ kind, seed, world: generate(kind, seed), moves: [] })

/** Plays one move. A line that is no action is one that changes nothing: whoever wrote it down did so for good. */
export const play = (game: Game, { player, action }: Move): Game => {
  const meant = worldActionOf(action)
  if (typeof meant === 'string') {
    const saw = { observation: `Nothing happens: ${meant}.`, changed: false, ...standOf(game.world) }
    return { ...game, moves: [...game.moves, { player, action, saw }] }
  }
  const { world, observation, changed, score, done } = act(game.world, player, meant)
  return { ...game, world, moves: [...game.moves, { player, action, saw: { observation, changed, score, done } }] }
}

const standOf = (world: World): Pick<WorldStepped, 'score' | 'done'> => ({ score: scoreOf(world), done: world.won })

/** What whoever begins sees. */
export const openingOf = ({ world }: Game): string =>
  `${viewFrom(world, '', null)} Your task is to: ${taskText(world.task)}.`

export const stateOf = ({ kind, seed, world, moves }: Game): WorldState => ({
  kind,
  seed,
  task: taskText(world.task),
  moves: moves.length,
  ...standOf(world),
  ...mapOf(world),
})

const mapOf = (world: World): WorldMap => ({
  players: world.players.map(({ id, at }) => ({ player: id, at, holds: heldBy(world, id)?.id ?? null })),
  places: world.places.map(({ id, open, lamp }) => ({
    place: id,
    open,
    things: [
      ...thingsAt(world, id).map((thing) => ({ thing: thing.id, is: isOf(thing) })),
      ...(lamp ? [{ thing: lamp.id, is: [lamp.on ? 'on' : 'off'] }] : []),
    ],
  })),
})
