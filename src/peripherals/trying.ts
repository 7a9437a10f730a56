import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { Judged, Tried } from '../shapes/trial.ts'
import { type Asks, gate, type Passed, type Standing } from '../tools/gate.ts'
import { ruleOf } from '../tools/rules.ts'
import type { Workspace } from '../workspace/paths.ts'
import { conditions } from './conditions.ts'
import { atBest } from './examples.ts'
import { judgeHop, type Specs } from './hops.ts'

type Options = {
  workspace: Workspace
  /** The walls as they are without a room, and as they are put up in one. */
  specs: Specs
  wallsIn: (room: string) => Promise<Specs>
  roomMode: (room: string) => Promise<RoomMode>
  sandboxless: Standing['sandboxless']
  /** Who holds one of these paths, as a sentence; nothing is taken. */
  heldBy: (names: readonly string[]) => Promise<string | null>
}

/**
 * Holds a call against the real gate, on the real workspace, and says what it says. Nothing is run, held, asked or written
 * down: of what a turn would bring with it, the best is taken for granted, and that is said, too.
 */
export const createTrying =
  (options: Options) =>
  async (tried: Tried): Promise<Result<Judged>> => {
    const { call, room } = tried
    const walls = room === null ? options.specs : await options.wallsIn(room)
    const spec = walls.get(tried.peripheral)
    if (!spec) return refused(refusal('peripheral-unknown', unknownText(tried.peripheral, walls)))
    const wrong = wrongPhase(tried, spec)
    if (wrong) return refused(wrong)
    const standing = await standingOf(tried, spec, walls, options)
    const verdict = await gate(call, standing)
    return ok({
      peripheral: spec.id,
      tool: call.tool,
      phase: standing.phase,
      verdict: verdict.ok ? letThrough(verdict.value) : turnedAway(verdict.refusal, tried, spec),
      granted: grantedTo(tried, standing, spec),
    })
  }

const standingOf = async (
  { phase, room, role }: Tried,
  spec: PeripheralSpec,
  walls: Specs,
  { workspace, roomMode, sandboxless, heldBy }: Options,
): Promise<Standing> => ({
  ...atBest(spec, workspace, phase ?? undefined),
  ...(room === null ? {} : { mode: await roomMode(room) }),
  ...(role === null ? {} : { role }),
  sandboxless,
  hold: heldBy,
  hopless: async (to) => hopless(spec, to, walls),
})

const unknownText = (id: string, walls: Specs): string =>
  `there is no peripheral ${id}; there is ${[...walls.keys()].join(', ')}`

const wrongPhase = ({ phase }: Tried, { id, phases }: PeripheralSpec): Refusal | null => {
  if (phase === null || phases.some((one) => one.id === phase)) return null
  const has = phases.length === 0 ? 'it has none' : `it has ${phases.map((one) => one.id).join(', ')}`
  return refusal('command-invalid', `${id} has no phase ${phase}; ${has}`)
}

/** Why a hop there cannot be, whatever a stay brings about; null where one can. */
const hopless = (spec: PeripheralSpec, to: string, walls: Specs): string | null => {
  const leads = waysTo(spec, to).length > 0 && walls.get(to)?.entry.includes(`from-${spec.id}`)
  if (leads) return null
  const verdict = judgeHop(spec, to, NOTHING_YET, walls)
  return verdict.ok ? null : verdict.why
}

const NOTHING_YET = { steps: 0, found: [] }

const waysTo = ({ exit }: PeripheralSpec, to: string) => exit.filter((way) => way.to.includes(to))

const letThrough = (verdict: Passed | Asks): Judged['verdict'] => {
  if (verdict.kind === 'asks') return verdict
  const { reads, writes, command, sandbox } = verdict
  return { kind: 'passes', reads, writes, command, sandbox }
}

const turnedAway = ({ code, message, remedy }: Refusal, { call }: Tried, spec: PeripheralSpec): Judged['verdict'] => ({
  kind: 'refused',
  rule: ruleOf(code, call, spec),
  code,
  message,
  remedy,
})

/** What is taken for granted, so that nobody takes it for more than it is. */
const grantedTo = ({ call, room, role }: Tried, { mode }: Standing, spec: PeripheralSpec): string[] => [
  'the turn has just begun: nothing is spent, nothing has failed, nobody stopped it',
  ...(room === null ? [`the room is in ${mode}`] : []),
  ...(role === null ? ['who asked is an admin'] : []),
  ...(call.tool === 'hop' ? hopGranted(spec, String(call.args['to'])) : []),
  ...(call.tool.includes('.') ? ['its server takes these arguments, and is what was accepted'] : []),
]

const hopGranted = (spec: PeripheralSpec, to: string): string[] => {
  const needed = waysTo(spec, to).map(({ when }) => when)
  return needed.length === 0 || needed.includes('always')
    ? []
    : [`for the hop: ${needed.map((when) => conditions[when].says).join(', or ')}`]
}
