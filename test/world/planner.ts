import type { WorldMap } from '../../src/shapes/world.ts'
import { thingKind } from '../../src/world/catalogue.ts'
import { begin, type Game, play, stateOf } from '../../src/world/game.ts'
import type { Task } from '../../src/world/world.ts'

/** What it knows of a world, as the server tells everybody: what is where. */
type Known = Pick<WorldMap, 'places'> & { task: Task }

const kindOf = (id: string): string => id.replace(/ \d+$/, '')

/**
 * The actions that do a task, for one player who begins in the middle of the room with empty hands: a way of its own to
 * what `act` comes to. It says where to go, what to open and what to carry; nothing here knows how the world answers.
 */
const planFor = ({ places, task }: Known): string[] => {
  let stands = ''
  const open = new Set(places.filter((place) => place.open === true).map(({ place }) => place))
  const wanted = places.flatMap(({ place, things }) =>
    things.filter(({ thing }) => kindOf(thing) === task.thing).map(({ thing }) => ({ thing, place })),
  )
  const goal = places.find(({ place }) => kindOf(place) === task.place)?.place ?? ''
  const at = (id: string): string => places.find(({ place }) => kindOf(place) === id)?.place ?? ''
  const goTo = (place: string): string[] => {
    if (stands === place) return []
    stands = place
    const closed = places.find((one) => one.place === place)?.open === false && !open.has(place)
    open.add(place)
    return [`go to ${place}`, ...(closed ? [`open ${place}`] : [])]
  }
  const fetched = ({ thing, place }: { thing: string; place: string }): string[] => [
    ...goTo(place),
    `take ${thing} from ${place}`,
  ]
  const laid = (thing: string): string[] => [...goTo(goal), `put ${thing} in/on ${goal}`]
  const [first, second] = wanted
  if (!first) throw new Error(`there is no ${task.thing}`)
  switch (task.kind) {
    case 'pick-and-place':
      return [...fetched(first), ...laid(first.thing)]
    case 'examine-in-light':
      return [...fetched(first), ...goTo(at('desk')), 'use desklamp 1']
    case 'clean-then-place':
      return [
        ...fetched(first),
        ...goTo(at('sinkbasin')),
        `clean ${first.thing} with ${at('sinkbasin')}`,
        ...laid(first.thing),
      ]
    case 'heat-then-place':
      return [
        ...fetched(first),
        ...goTo(at('microwave')),
        `heat ${first.thing} with ${at('microwave')}`,
        ...laid(first.thing),
      ]
    case 'cool-then-place':
      return [
        ...fetched(first),
        ...goTo(at('fridge')),
        `cool ${first.thing} with ${at('fridge')}`,
        ...laid(first.thing),
      ]
    case 'pick-two-and-place':
      if (!second) throw new Error(`there is one ${thingKind(task.thing).kind}, and two are wanted`)
      return [...fetched(first), ...laid(first.thing), ...fetched(second), ...laid(second.thing)]
  }
}

/** The plan for a game that was just begun. */
export const planOf = (game: Game): string[] => planFor({ ...stateOf(game), task: game.world.task })

/** A game after these moves. */
export const playAll = (game: Game, moves: readonly (readonly [player: string, action: string])[]): Game =>
  moves.reduce((now, [player, action]) => play(now, { player, action }), game)

/** A game that was begun, and won by its plan. */
export const won = (...[kind, seed]: Parameters<typeof begin>): Game => {
  const game = begin(kind, seed)
  return playAll(
    game,
    planOf(game).map((action) => ['claude-1', action] as const),
  )
}
