import { z } from 'zod'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { ACTION_LENGTH, WorldKind, WorldSeed, WorldVerb, worldActionOf } from '../shapes/world.ts'
import { shown } from './shown.ts'
import { defineTool, failed, type Reach } from './tool.ts'

/** The game is the room's: what others did in it is shown, so a wall that does not open the room's evidence has no part in it. */
const inRoom = ({ id, scope }: PeripheralSpec, reach: Reach): Result<Reach> =>
  scope.evidence === 'room' || scope.evidence === 'all'
    ? ok(reach)
    : refused(refusal('out-of-scope', `${id} may not ask for the evidence of the room, which a game is`))

/** The tools of a text world. */
export const world = {
  'world-reset': defineTool({
    args: z.strictObject({ kind: WorldKind.optional(), seed: WorldSeed.optional(), again: z.boolean().optional() }),
    help: `world-reset {kind?, seed?, again?}: begins a game in a text world for all in the room; kind is one of ${WorldKind.options.join(', ')}; with again, one that is under way is given up`,
    reach: (_args, spec) => inRoom(spec, { alone: true }),
    run: async ({ kind = null, seed = null, again = false }, bench) => {
      const begun = await bench.world.reset({ kind, seed, again })
      return begun.ok
        ? { kind: 'ok', paths: [], ...(await shown(begun.value, bench, 1)) }
        : failed(begun.refusal.message)
    },
  }),
  'world-act': defineTool({
    args: z.strictObject({ action: z.string().min(1).max(ACTION_LENGTH) }),
    help: `world-act {action}: does one thing in the game of the room, such as "go to fridge 1", "take mug 1 from shelf 1" or "heat mug 1 with microwave 1", and says what is seen; the verbs are ${WorldVerb.options.join(', ')}`,
    // Moves of one agent come in the order they were asked for.
    reach: ({ action }, spec) => {
      const meant = worldActionOf(action)
      return typeof meant === 'string' ? refused(refusal('arguments-invalid', meant)) : inRoom(spec, { alone: true })
    },
    run: async ({ action }, bench) => {
      const acted = await bench.world.act(action)
      if (!acted.ok) return failed(acted.refusal.message)
      const { text, world: came } = acted.value
      return { kind: 'ok', paths: [], ...(await shown(text, bench, 1)), world: came }
    },
  }),
  'world-state': defineTool({
    args: z.strictObject({}),
    help: 'world-state {}: the task of the game, where you and others are, what everybody holds, the score and the moves so far',
    reach: (_args, spec) => inRoom(spec, {}),
    run: async (_args, bench) => {
      const said = await bench.world.state()
      return said.ok ? { kind: 'ok', paths: [], ...(await shown(said.value, bench, 1)) } : failed(said.refusal.message)
    },
  }),
}
