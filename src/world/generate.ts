import { WorldKind } from '../shapes/world.ts'
import { DOES, LAMP, PLACES, THINGS, type Treatment } from './catalogue.ts'
import { createRandom, type Random } from './random.ts'
import type { Place, Task, Thing, World } from './world.ts'

/** How many things there are in a world, at least and at most. */
const THINGS_LEAST = 20
const THINGS_MOST = 28

/** The world that a seed and a kind of task make: the same ones always make the same. Every task can be done. */
export const generate = (kind: WorldKind, seed: number): World => {
  // Each kind has worlds of its own: what two of them have in common would be learnt.
  const random = createRandom(seed ^ Math.imul(WorldKind.options.indexOf(kind) + 1, 0x9e3779b1))
  const places = furnished(random)
  const task = chosen(kind, random)
  return { task, places, things: strewn(task, places, random), players: [], won: false }
}

const furnished = (random: Random): Place[] =>
  PLACES.flatMap(({ kind, least, most, opens, lamp }) =>
    numbered(kind, random.between(least, most)).map(
      (id, i): Place => ({
        id,
        kind,
        open: opens ? false : null,
        lamp: lamp ? { id: `${LAMP} ${i + 1}`, on: false } : null,
      }),
    ),
  )

const numbered = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${kind} ${i + 1}`)

const TREATED: Partial<Record<WorldKind, Treatment>> = {
  'clean-then-place': 'clean',
  'heat-then-place': 'heat',
  'cool-then-place': 'cool',
}

const chosen = (kind: WorldKind, random: Random): Task => {
  const treatment = TREATED[kind]
  const fit = treatment ? THINGS.filter(({ takes }) => takes.includes(treatment)) : THINGS
  // What is to be looked at is something that nobody eats.
  const wanted = kind === 'examine-in-light' ? THINGS.filter(({ takes }) => takes.length === 0) : fit
  const goals = PLACES.filter((place) => place.goal && (!treatment || place.kind !== DOES[treatment]))
  const thing = random.oneOf(wanted).kind
  return { kind, thing, place: kind === 'examine-in-light' ? null : random.oneOf(goals).kind }
}

/** Puts things everywhere: first as many as the task needs, not where they are to go; then whatever there is room for. */
const strewn = (task: Task, places: readonly Place[], random: Random): Thing[] => {
  const elsewhere = places.filter(({ kind }) => kind !== task.place)
  const needed = task.kind === 'pick-two-and-place' ? 2 : 1
  const wanted = Array.from({ length: needed }, () => ({ kind: task.thing, place: random.oneOf(elsewhere).id }))
  const others = THINGS.filter(({ kind }) => kind !== task.thing)
  const rest = Array.from({ length: random.between(THINGS_LEAST, THINGS_MOST) - needed }, () => ({
    kind: random.oneOf(others).kind,
    place: random.oneOf(places).id,
  }))
  const counts = new Map<string, number>()
  return [...wanted, ...rest].map(({ kind, place }): Thing => {
    const n = (counts.get(kind) ?? 0) + 1
    counts.set(kind, n)
    return { id: `${kind} ${n}`, kind, at: { place }, clean: false, temperature: null }
  })
}
