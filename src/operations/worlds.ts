import { z } from 'zod'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import { Id } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { WorldLook as Whole, WorldGame, type WorldLook, WorldOrder } from '../shapes/world.ts'
import { defineOperation, defineWork } from './operation.ts'
import { roleAt } from './standing.ts'

/** A turn of Tickle in alfworld: what is done is a step there, and a move of Tickle's in the game of the room. */
export const world = defineWork({
  name: 'world',
  summary: 'a text world that agents play in: begin a game here, see how it stands, or do something in it',
  example: 'world act go to fridge 1',
  positional: ['action', 'rest'],
  rest: 'rest',
  input: z.strictObject({
    action: WorldOrder.default('show').describe(WorldOrder.options.join(', ')),
    rest: z.string().max(1000).optional().describe('for new a kind of task and a seed; for act what is done'),
  }),
  gives: ({ action, rest = '' }) => ({
    agent: 'tickle',
    peripheral: 'alfworld',
    request: ['world', action, ...(rest === '' ? [] : [rest])].join(' '),
  }),
})

export const worlds = defineOperation({
  name: 'worlds',
  summary: 'the games in text worlds; with the name of one, who did what in it, and what is where',
  example: 'worlds',
  positional: ['game'],
  input: z.strictObject({ game: Id.optional().describe('a game, such as lobby-1') }),
  output: z.strictObject({ games: z.array(WorldGame), look: Whole.nullable() }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ game }, context) => {
    if (game === undefined) {
      const seen: WorldGame[] = []
      for (const one of await context.worlds.list()) if ((await roleAt(one.room, context)) !== null) seen.push(one)
      return ok({ games: seen, look: null })
    }
    // Whether there is a game in a room that somebody may not look into is not said either.
    const room = await context.worlds.roomOf(game)
    const look = room !== null && (await roleAt(room, context)) !== null ? await context.worlds.look(game) : null
    return look ? ok({ games: [look.game], look }) : refused(refusal('game-unknown', `there is no game ${game}`))
  },
  render: ({ games, look }) => (look ? wholeText(look) : games.map(lineOf).join('\n') || 'there is no game yet'),
})

const TASK = 120

const lineOf = ({ game, kind, task, state, moves, players, won }: WorldGame): string => {
  const by = players.map((one) => `${one.player} ${one.moves}`).join(', ')
  const how = won ? `won by ${won.player}` : state
  return `${game} ${how}, ${kind}: ${oneLine(task, TASK)}; ${count(moves, 'move')}${by === '' ? '' : ` (${by})`}`
}

/** As many of the last moves as a room is shown. */
const SHOWN = 20

const wholeText = ({ game, log, score, map }: WorldLook): string => {
  const left = log.length - SHOWN
  return [
    lineOf(game),
    ...(score === null ? ['its server cannot be asked how it stands'] : [`score ${Math.round(score * 100)} of 100`]),
    ...(left > 0 ? [`  (${count(left, 'move')} before these)`] : []),
    ...log.slice(-SHOWN).map(({ n, player, action }) => `  ${n}. ${player}: ${oneLine(action, TASK)}`),
    ...(map?.players ?? []).map(
      ({ player, at, holds }) =>
        `${oneLine(player, TASK)} at ${oneLine(at ?? 'no place', TASK)} with ${oneLine(holds ?? 'nothing', TASK)}`,
    ),
    ...(map?.places ?? []).map(({ place, open, things }) => {
      const is = open === null ? '' : open ? ' (open)' : ' (closed)'
      return `${oneLine(place, TASK)}${is}: ${oneLine(things.map((one) => [one.thing, ...one.is].join(' ')).join(', ') || 'nothing', LINE)}`
    }),
  ].join('\n')
}

const LINE = 400
