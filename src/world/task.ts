import { placeKind, thingKind } from './catalogue.ts'
import { a } from './says.ts'
import type { Task, Thing, World } from './world.ts'

/** A task in words. */
export const taskText = ({ kind, thing, place }: Task): string => {
  const where = place === null ? '' : `${placeKind(place).prep} ${a(place)}`
  switch (kind) {
    case 'pick-and-place':
      return `put ${a(thing)} ${where}`
    case 'examine-in-light':
      return `look at ${a(thing)} under a desklamp: hold it where the lamp stands, with the lamp on`
    case 'clean-then-place':
      return `clean ${a(thing)} and put it ${where}`
    case 'heat-then-place':
      return `heat ${a(thing)} and put it ${where}`
    case 'cool-then-place':
      return `cool ${a(thing)} and put it ${where}`
    case 'pick-two-and-place':
      return `put two ${thingKind(thing).many} ${place === null ? '' : placeKind(place).prep} the same ${place}`
  }
}

/** How much of its task is done, from 0 to 1: of what must be true of one thing (of two, for some), the best there is. */
export const scoreOf = (world: World): number => {
  const { kind } = world.task
  const wanted = world.things.filter((thing) => thing.kind === world.task.thing)
  if (kind === 'pick-two-and-place') return Math.min(2, together(world, wanted)) / 2
  return Math.max(0, ...wanted.map((thing) => shareOf(goals[kind].map((goal) => goal(world, thing)))))
}

const shareOf = (met: readonly boolean[]): number => met.filter(Boolean).length / met.length

type Goal = (world: World, thing: Thing) => boolean

const isPlaced: Goal = ({ task, places }, { at }) =>
  'place' in at && places.some(({ id, kind }) => id === at.place && kind === task.place)

/** In the hand of somebody who stands where a lamp is. */
const isAtLamp: Goal = ({ players, places }, { at }) => {
  const holder = 'hand' in at ? players.find(({ id }) => id === at.hand) : undefined
  return places.some(({ id, lamp }) => id === holder?.at && lamp !== null)
}

const isLit: Goal = ({ places }) => places.some(({ lamp }) => lamp?.on === true)

const goals: Record<Exclude<Task['kind'], 'pick-two-and-place'>, readonly Goal[]> = {
  'pick-and-place': [isPlaced],
  'examine-in-light': [isAtLamp, isLit],
  'clean-then-place': [(_world, { clean }) => clean, isPlaced],
  'heat-then-place': [(_world, { temperature }) => temperature === 'hot', isPlaced],
  'cool-then-place': [(_world, { temperature }) => temperature === 'cool', isPlaced],
}

/** The most things of the wanted kind that lie together in one place of the wanted kind. */
const together = ({ places, task }: World, wanted: readonly Thing[]): number =>
  Math.max(
    0,
    ...places
      .filter(({ kind }) => kind === task.place)
      .map(({ id }) => wanted.filter(({ at }) => 'place' in at && at.place === id).length),
  )
