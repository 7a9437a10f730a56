import { z } from 'zod'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { mcNew } from './mc-new.ts'
import { told } from './told.ts'
import { defineTool, type Reach } from './tool.ts'

const Nothing = z.strictObject({})
const Named = z.strictObject({ mission: z.string().min(1).max(80).optional() })
const Words = z.string().regex(/\S/, 'expected words').max(1000)

/** How missions stand is read from the evidence of all rooms, so a wall that does not open it has nothing to tell. */
const evidenceOf = ({ id, scope }: PeripheralSpec, reach: Reach): Result<Reach> =>
  scope.evidence === 'all'
    ? ok(reach)
    : refused(refusal('out-of-scope', `${id} may not ask for the evidence of all rooms`))

/** The folders of the missions are the config's: the workspace is looked at, and of it only what the scope shows. */
const files = (_args: unknown, spec: PeripheralSpec): Result<Reach> => evidenceOf(spec, { reads: ['.'] })
const entries = (_args: unknown, spec: PeripheralSpec): Result<Reach> => evidenceOf(spec, {})
/** Writes something down: no other step of the session beside it. */
const writes = (_args: unknown, spec: PeripheralSpec): Result<Reach> => evidenceOf(spec, { alone: true })
const filesAndWrites = (_args: unknown, spec: PeripheralSpec): Result<Reach> =>
  evidenceOf(spec, { reads: ['.'], alone: true })

/** The tools of mission control. What they know is handed in with the bench; they say it. */
export const missionControl = {
  'mc-inventory': defineTool({
    args: Named,
    help: 'mc-inventory {mission?}: the missions by how they stand, or one of them whole; and what is wrong with their files',
    reach: files,
    run: ({ mission = null }, bench) => told(bench.control.inventory(mission), bench),
  }),
  'mc-coverage': defineTool({
    args: Named,
    help: 'mc-coverage {mission?}: what the evidence has of the work on each mission: turns, steps, files, tests',
    reach: files,
    run: ({ mission = null }, bench) => told(bench.control.coverage(mission), bench),
  }),
  'mc-review': defineTool({
    args: Nothing,
    help: 'mc-review {}: how the portfolio stands, what can be done, where missions and evidence drift apart; kept for the next diff',
    reach: filesAndWrites,
    run: (_args, bench) => told(bench.control.review(), bench),
  }),
  'mc-diff': defineTool({
    args: Nothing,
    help: 'mc-diff {}: what is different between the last two reviews',
    reach: entries,
    run: (_args, bench) => told(bench.control.diff(), bench),
  }),
  'mc-next': defineTool({
    args: Nothing,
    help: 'mc-next {}: what should be worked on next, best first, and why',
    reach: files,
    run: (_args, bench) => told(bench.control.next(), bench),
  }),
  'mc-sessions': defineTool({
    args: Nothing,
    help: 'mc-sessions {}: the latest sessions of all agents, and how each stands',
    reach: entries,
    run: (_args, bench) => told(bench.control.sessions(), bench),
  }),
  'mc-bulletin': defineTool({
    args: Nothing,
    help: 'mc-bulletin {}: how it stands, in a few lines: agents, queue, approvals, missions, budgets',
    reach: files,
    run: async (_args, bench) =>
      told(
        bench.control.bulletinText().then((text) => ok({ text, paths: [] })),
        bench,
      ),
  }),
  'mc-focus': defineTool({
    args: z.strictObject({ mission: z.string().min(1).max(80).nullable().optional() }),
    help: 'mc-focus {mission?}: has the room work on a mission, on none (null), or says which it works on',
    reach: filesAndWrites,
    run: ({ mission }, bench) => told(bench.control.focus(mission), bench),
  }),
  'mc-watch': defineTool({
    args: z.strictObject({ bulletins: z.enum(['on', 'off', 'default']) }),
    help: 'mc-watch {bulletins}: whether the room is told now and then how it stands: on, off, or default as the config says',
    reach: () => ok({ alone: true }),
    run: ({ bulletins }, bench) => told(bench.control.watch(bulletins), bench),
  }),
  'mc-todo': defineTool({
    args: z.union([z.strictObject({ add: Words }), z.strictObject({ done: Words }), Nothing]),
    help: 'mc-todo {add} or {done} or {}: adds to what is to be done in the room, ticks it off by number or words, or lists it',
    reach: writes,
    run: (order, bench) => {
      if ('add' in order) return told(bench.control.todo({ kind: 'add', text: order.add }), bench)
      return told(bench.control.todo('done' in order ? { kind: 'done', which: order.done } : { kind: 'list' }), bench)
    },
  }),
  'mc-new': mcNew,
}
