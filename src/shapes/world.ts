import { z } from 'zod'
import { Id } from './message.ts'

/** What can be asked for in a world: the six kinds of task that ALFWorld has. */
export const WorldKind = z.enum([
  'pick-and-place',
  'examine-in-light',
  'clean-then-place',
  'heat-then-place',
  'cool-then-place',
  'pick-two-and-place',
])
export type WorldKind = z.infer<typeof WorldKind>

/** What a world is made from: the same number and kind make the same world, always. */
export const WorldSeed = z.int().min(0).max(2_147_483_647)

/** What `/world` does. */
export const WorldOrder = z.enum(['new', 'show', 'act'])

export const WorldVerb = z.enum([
  'go',
  'take',
  'put',
  'open',
  'close',
  'toggle',
  'clean',
  'heat',
  'cool',
  'use',
  'examine',
  'inventory',
  'look',
])
export type WorldVerb = z.infer<typeof WorldVerb>

/** What a player does: the first thing that it names, and the second, where there are such. */
export type WorldAction = { verb: WorldVerb; one: string | null; other: string | null }

const THING = '([a-z]{1,24} [0-9]{1,3})'

/** How each verb is said. */
const FORMS: Record<WorldVerb, { says: string; shape: RegExp }> = {
  go: { says: 'go to fridge 1', shape: new RegExp(`^go to ${THING}$`) },
  take: { says: 'take mug 1 from shelf 1', shape: new RegExp(`^take ${THING} from ${THING}$`) },
  put: { says: 'put mug 1 in/on shelf 1', shape: new RegExp(`^put ${THING} (?:in/on|in|on) ${THING}$`) },
  open: { says: 'open fridge 1', shape: new RegExp(`^open ${THING}$`) },
  close: { says: 'close fridge 1', shape: new RegExp(`^close ${THING}$`) },
  toggle: { says: 'toggle desklamp 1', shape: new RegExp(`^toggle ${THING}$`) },
  clean: { says: 'clean mug 1 with sinkbasin 1', shape: new RegExp(`^clean ${THING} with ${THING}$`) },
  heat: { says: 'heat mug 1 with microwave 1', shape: new RegExp(`^heat ${THING} with ${THING}$`) },
  cool: { says: 'cool mug 1 with fridge 1', shape: new RegExp(`^cool ${THING} with ${THING}$`) },
  use: { says: 'use desklamp 1', shape: new RegExp(`^use ${THING}$`) },
  examine: { says: 'examine mug 1', shape: new RegExp(`^examine ${THING}$`) },
  inventory: { says: 'inventory', shape: /^inventory$/ },
  look: { says: 'look', shape: /^look$/ },
}

/** The most characters of an action. */
export const ACTION_LENGTH = 120

/** What a line does in a world; or, where it is nothing that can be done, what can be. */
export const worldActionOf = (line: string): WorldAction | string => {
  const said = tidy(line)
  const verb = WorldVerb.safeParse(said.split(' ')[0])
  if (said.length > ACTION_LENGTH || !verb.success)
    return `expected one of: ${WorldVerb.options.map((name) => FORMS[name].says).join(', ')}`
  const found = FORMS[verb.data].shape.exec(said)
  if (!found) return `expected "${FORMS[verb.data].says}", each thing by its name and its number`
  const [, one = null, other = null] = found
  return { verb: verb.data, one, other }
}

/** A line as it is written down: in small letters, with single spaces. */
export const tidy = (line: string): string => line.trim().toLowerCase().replace(/ +/g, ' ')

/** A player, as a server knows it: the id of an agent. */
export const WorldPlayer = z.string().regex(/^[A-Za-z0-9._~-]{1,64}$/, 'expected a player such as "claude-1"')

/** What a move came to, for whoever made it: whether anything is different, how far the task is, and whether it is done. */
export const WorldStep = z.strictObject({
  game: Id,
  n: z.int().positive(),
  changed: z.boolean(),
  score: z.number().min(0).max(1),
  won: z.boolean(),
})
export type WorldStep = z.infer<typeof WorldStep>

const Said = z.string().max(4000)
const Short = z.string().max(100)
const standing = {
  task: z.string().min(1).max(300),
  /** How many moves it has heard. */
  moves: z.int().nonnegative(),
  score: z.number().min(0).max(1),
  done: z.boolean(),
}

/** What a server answers to a reset, to a step and to the question how a game stands. More than this is not looked at. */
export const WorldReset = z.object({ kind: WorldKind, seed: WorldSeed, ...standing, observation: Said })
export const WorldStepped = z.object({
  observation: Said,
  changed: z.boolean(),
  score: z.number().min(0).max(1),
  done: z.boolean(),
})
export type WorldStepped = z.infer<typeof WorldStepped>

/** A world as it can be drawn: what is where, and who. */
export const WorldMap = z.object({
  players: z.array(z.object({ player: Short, at: Short.nullable(), holds: Short.nullable() })).max(64),
  places: z
    .array(
      z.object({
        place: Short,
        /** Null where it can be neither opened nor closed. */
        open: z.boolean().nullable(),
        things: z.array(z.object({ thing: Short, is: z.array(Short).max(8) })).max(200),
      }),
    )
    .max(100),
})
export type WorldMap = z.infer<typeof WorldMap>

export const WorldState = z.object({ kind: WorldKind, seed: WorldSeed, ...standing, ...WorldMap.shape })
export type WorldState = z.infer<typeof WorldState>

/** A game, as the evidence has it. left: another one was begun in its room, and this one was not won. */
export const WorldGame = z.strictObject({
  game: Id,
  room: z.string(),
  kind: WorldKind,
  seed: WorldSeed,
  task: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  state: z.enum(['playing', 'won', 'left']),
  moves: z.int(),
  /** Who made how many of them. */
  players: z.array(z.strictObject({ player: z.string(), moves: z.int() })),
  /** The move that won it, and whose it was. */
  won: z.strictObject({ n: z.int(), player: z.string() }).nullable(),
})
export type WorldGame = z.infer<typeof WorldGame>

/** One game, whole: what was done in it, in its order; and how its world is now, where a server can say so. */
export const WorldLook = z.strictObject({
  game: WorldGame,
  log: z.array(z.strictObject({ n: z.int(), player: z.string(), action: z.string(), at: z.iso.datetime() })),
  score: z.number().nullable(),
  map: WorldMap.nullable(),
})
export type WorldLook = z.infer<typeof WorldLook>
