import { placeKind } from './catalogue.ts'
import { heldBy, type Place, placeIn, type Thing, thingsAt, type World } from './world.ts'

export const a = (name: string): string => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

const listed = (names: readonly string[]): string => names.map(a).join(', ')

/** What somebody sees where they stand: the place, what is in or on it, and who else is there. */
export const viewFrom = (world: World, player: string, at: string | null): string => {
  const place = placeIn(world, at)
  const here = place ? insideOf(world, place) : `You are in the middle of the room. ${aroundIn(world)}`
  return [here, ...othersAt(world, player, at)].join(' ')
}

export const aroundIn = ({ places }: World): string => `There is ${listed(places.map(({ id }) => id))}.`

export const insideOf = (world: World, place: Place): string => {
  if (place.open === false) return `The ${place.id} is closed.`
  const { prep } = placeKind(place.kind)
  const names = [
    ...thingsAt(world, place.id).map(({ id }) => id),
    ...(place.lamp ? [`${place.lamp.id} that is ${place.lamp.on ? 'on' : 'off'}`] : []),
  ]
  const open = place.open ? `The ${place.id} is open. ` : ''
  return `${open}${prep === 'in' ? 'In' : 'On'} the ${place.id}, there is ${names.length === 0 ? 'nothing' : listed(names)}.`
}

const othersAt = (world: World, player: string, at: string | null): string[] =>
  world.players
    .filter((other) => other.id !== player && other.at === at)
    .map(({ id }) => `${id} is here, and holds ${handOf(heldBy(world, id))}.`)

export const handOf = (thing: Thing | null): string => (thing === null ? 'nothing' : a(thing.id))

/** What a thing is besides itself. */
export const isOf = ({ clean, temperature }: Pick<Thing, 'clean' | 'temperature'>): string[] => [
  ...(clean ? ['clean'] : []),
  ...(temperature === null ? [] : [temperature]),
]
