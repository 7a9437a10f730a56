import type { WorldAction, WorldVerb } from '../shapes/world.ts'
import { DOES, placeKind, type Treatment, thingKind } from './catalogue.ts'
import { a, aroundIn, handOf, insideOf, isOf, viewFrom } from './says.ts'
import { scoreOf } from './task.ts'
import {
  heldBy,
  type Place,
  placeIn,
  type Thing,
  thingIn,
  thingsAt,
  type World,
  withPlace,
  withPlayer,
  withThing,
} from './world.ts'

/** What an action came to: the world after it, what whoever did it sees, and whether anything is different. */
export type Came = { world: World; observation: string; changed: boolean; score: number; done: boolean }

/** The most that can play in one world. */
const PLAYERS = 16

/** Somebody does something. What cannot be done changes nothing, and the observation says why. It never throws. */
export const act = (before: World, player: string, action: WorldAction): Came => {
  const known = before.players.some(({ id }) => id === player)
  if (!known && before.players.length >= PLAYERS) return cameTo(before, unchanged(before, 'There is no room for more.'))
  if (before.won) return cameTo(before, unchanged(before, 'The task is done: nothing more happens here.'))
  const world = known ? before : withPlayer(before, { id: player, at: null })
  return cameTo(before, verbs[action.verb]({ world, player, at: atOf(world, player) }, action.one, action.other))
}

type Done = { world: World; says: string; changed: boolean }

const cameTo = (before: World, { world, says, changed }: Done): Came => {
  const score = scoreOf(world)
  const won = before.won || score === 1
  const observation = won && !before.won ? `${says} The task is done.` : says
  return { world: won === world.won ? world : { ...world, won }, observation, changed, score, done: won }
}

const unchanged = (world: World, says: string): Done => ({ world, says, changed: false })
const changed = (world: World, says: string): Done => ({ world, says, changed: true })

const atOf = ({ players }: World, player: string): string | null => players.find(({ id }) => id === player)?.at ?? null

/** Who does it, and where they stand. */
type Doer = { world: World; player: string; at: string | null }
type Verb = (doer: Doer, one: string | null, other: string | null) => Done

const go: Verb = ({ world, player, at }, to) => {
  if (!placeIn(world, to)) return unchanged(world, `There is no place ${to}. ${aroundIn(world)}`)
  if (to === at) return unchanged(world, `You are at the ${to} already. ${viewFrom(world, player, at)}`)
  const moved = withPlayer(world, { id: player, at: to })
  return changed(moved, `You go to the ${to}. ${viewFrom(moved, player, to)}`)
}

const take: Verb = (doer, one, other) => {
  const { world, player } = doer
  const place = reached(doer, other)
  if (typeof place === 'string') return unchanged(world, place)
  const held = heldBy(world, player)
  if (held) return unchanged(world, `Your hand is full: you hold ${a(held.id)}.`)
  const thing = thingsAt(world, place.id).find(({ id }) => id === one)
  if (!thing) return unchanged(world, notThere(place, one))
  return changed(withThing(world, { ...thing, at: { hand: player } }), `You take the ${one} from the ${other}.`)
}

const notThere = ({ id, kind, lamp }: Place, thing: string | null): string =>
  lamp?.id === thing ? `The ${thing} cannot be taken.` : `There is no ${thing} ${placeKind(kind).prep} the ${id}.`

const put: Verb = (doer, one, other) => {
  const { world } = doer
  const place = reached(doer, other)
  if (typeof place === 'string') return unchanged(world, place)
  const thing = inHand(doer, one)
  if (typeof thing === 'string') return unchanged(world, thing)
  const laid = withThing(world, { ...thing, at: { place: place.id } })
  return changed(laid, `You put the ${one} ${placeKind(place.kind).prep} the ${other}.`)
}

const setOpen =
  (open: boolean): Verb =>
  ({ world, at }, one) => {
    const place = placeHere(world, at, one)
    if (typeof place === 'string') return unchanged(world, place)
    if (place.open === null) return unchanged(world, `The ${one} can be neither opened nor closed.`)
    if (place.open === open) return unchanged(world, `The ${one} is ${open ? 'open' : 'closed'} already.`)
    const turned = { ...place, open }
    const after = withPlace(world, turned)
    return changed(after, open ? `You open the ${one}. ${insideOf(after, turned)}` : `You close the ${one}.`)
  }

/** Switches a lamp: to a state, or to the other one. */
const setLamp =
  (to: boolean | null): Verb =>
  ({ world, at }, one) => {
    const place = world.places.find(({ lamp }) => lamp?.id === one)
    if (!place?.lamp) return unchanged(world, `There is no lamp ${one} that could be switched.`)
    if (place.id !== at) return unchanged(world, `The ${one} is not here: ${standsAt(at)}`)
    const on = to ?? !place.lamp.on
    if (on === place.lamp.on) return unchanged(world, `The ${one} is ${on ? 'on' : 'off'} already.`)
    const after = withPlace(world, { ...place, lamp: { ...place.lamp, on } })
    return changed(after, `You switch the ${one} ${on ? 'on' : 'off'}.`)
  }

/** Cleans, heats or cools what somebody holds, where that is done. */
const treat =
  (how: Treatment): Verb =>
  (doer, one, other) => {
    const { world, at } = doer
    const place = placeHere(world, at, other)
    if (typeof place === 'string') return unchanged(world, place)
    if (place.kind !== DOES[how])
      return unchanged(world, `Nothing is ${DID[how]} with ${a(place.kind)}: use ${a(DOES[how])}.`)
    const thing = inHand(doer, one)
    if (typeof thing === 'string') return unchanged(world, thing)
    if (!thingKind(thing.kind).takes.includes(how)) return unchanged(world, `A ${thing.kind} cannot be ${DID[how]}.`)
    const after = treated[how](thing)
    if (isOf(after).join() === isOf(thing).join()) return unchanged(world, `The ${one} is ${RESULT[how]} already.`)
    return changed(withThing(world, after), `You ${how} the ${one} with the ${other}.`)
  }

const DID: Record<Treatment, string> = { clean: 'cleaned', heat: 'heated', cool: 'cooled' }
const RESULT: Record<Treatment, string> = { clean: 'clean', heat: 'hot', cool: 'cool' }
const treated: Record<Treatment, (thing: Thing) => Thing> = {
  clean: (thing) => ({ ...thing, clean: true }),
  heat: (thing) => ({ ...thing, temperature: 'hot' }),
  cool: (thing) => ({ ...thing, temperature: 'cool' }),
}

const examine: Verb = ({ world, player, at }, one) => {
  const place = placeIn(world, at)
  if (place && one === place.id) return unchanged(world, insideOf(world, place))
  if (place?.lamp?.id === one) return unchanged(world, `The ${one} is ${place?.lamp?.on ? 'on' : 'off'}.`)
  const thing = thingIn(world, one)
  const inSight = place && place.open !== false ? thingsAt(world, place.id) : []
  const seen = thing && (heldBy(world, player)?.id === thing.id || inSight.includes(thing))
  if (!seen) return unchanged(world, `You see no ${one} here: ${standsAt(at)}`)
  const is = isOf(thing)
  return unchanged(world, is.length === 0 ? `It is ${a(thing.id)}.` : `It is ${a(thing.id)}, ${is.join(' and ')}.`)
}

const inventory: Verb = ({ world, player }) => unchanged(world, `You hold ${handOf(heldBy(world, player))}.`)

const look: Verb = ({ world, player, at }) =>
  unchanged(world, at === null ? viewFrom(world, player, at) : `You are at the ${at}. ${viewFrom(world, player, at)}`)

const verbs: Record<WorldVerb, Verb> = {
  go,
  take,
  put,
  open: setOpen(true),
  close: setOpen(false),
  toggle: setLamp(null),
  clean: treat('clean'),
  heat: treat('heat'),
  cool: treat('cool'),
  use: setLamp(true),
  examine,
  inventory,
  look,
}

/** A place that somebody stands at; else why not. */
const placeHere = (world: World, at: string | null, id: string | null): Place | string => {
  const place = placeIn(world, id)
  if (!place) return `There is no place ${id}. ${aroundIn(world)}`
  return id === at ? place : `You are not at the ${id}: ${standsAt(at)}`
}

/** A place that somebody stands at, and that is not closed. */
const reached = ({ world, at }: Doer, id: string | null): Place | string => {
  const place = placeHere(world, at, id)
  return typeof place !== 'string' && place.open === false ? `The ${id} is closed.` : place
}

const inHand = ({ world, player }: Doer, id: string | null): Thing | string => {
  const held = heldBy(world, player)
  return held && held.id === id ? held : `You do not hold ${a(id ?? 'thing')}: you hold ${handOf(held)}.`
}

const standsAt = (at: string | null): string =>
  at === null ? 'you are in the middle of the room.' : `you are at the ${at}.`
