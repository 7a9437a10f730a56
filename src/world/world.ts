import type { WorldKind } from '../shapes/world.ts'

/** What is asked for: something of a kind, and, where it is to be put somewhere, the kind of place. */
export type Task = { kind: WorldKind; thing: string; place: string | null }

export type Place = { id: string; kind: string; open: boolean | null; lamp: { id: string; on: boolean } | null }

/** A thing is in a place, or in somebody's hand. */
export type Thing = {
  id: string
  kind: string
  at: { place: string } | { hand: string }
  clean: boolean
  temperature: 'hot' | 'cool' | null
}

/** Somebody in the world; null stands in the middle of the room. */
export type Player = { id: string; at: string | null }

/**
 * A world at a moment. It is a value: what somebody does makes another one of it, and the same seed and moves make the
 * same world. All players share it; each has a place and one hand of their own.
 */
export type World = {
  readonly task: Task
  readonly places: readonly Place[]
  readonly things: readonly Thing[]
  readonly players: readonly Player[]
  /** Once it is won it stays so, and nothing in it is changed any more. */
  readonly won: boolean
}

export const placeIn = ({ places }: World, id: string | null): Place | undefined => places.find((one) => one.id === id)
export const thingIn = ({ things }: World, id: string | null): Thing | undefined => things.find((one) => one.id === id)

export const thingsAt = ({ things }: World, place: string): readonly Thing[] =>
  things.filter(({ at }) => 'place' in at && at.place === place)

export const heldBy = ({ things }: World, player: string): Thing | null =>
  things.find(({ at }) => 'hand' in at && at.hand === player) ?? null

export const withThing = (world: World, thing: Thing): World => ({
  ...world,
  things: world.things.map((one) => (one.id === thing.id ? thing : one)),
})

export const withPlace = (world: World, place: Place): World => ({
  ...world,
  places: world.places.map((one) => (one.id === place.id ? place : one)),
})

/** A world with somebody at a place; who was not there yet comes in. */
export const withPlayer = (world: World, player: Player): World => ({
  ...world,
  players: world.players.some(({ id }) => id === player.id)
    ? world.players.map((one) => (one.id === player.id ? player : one))
    : [...world.players, player],
})
