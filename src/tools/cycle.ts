import { z } from 'zod'
import { ok, type Result } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { Basis, CyclePhase, ItemId, ItemStatus } from '../shapes/undertaking.ts'
import type { Done } from '../workspace/write.ts'
import type { Moved } from './desk.ts'
import { shown } from './shown.ts'
import { type Bench, defineTool, failed, type Reach } from './tool.ts'

const Nothing = z.strictObject({})
const Words = z.string().regex(/\S/, 'expected words').max(4000)

/** Only looks. */
const looks = (): Result<Reach> => ok({})
/** Moves something: no other step of the session beside it. */
const moves = (): Result<Reach> => ok({ alone: true })
/** Also holds what files are now against what they were. */
const movesByFiles = (): Result<Reach> => ok({ reads: ['.'], alone: true })

/** The tools of the cycle machine and its ledger: one piece for whatever is carried on in cycles. */
export const cycle = {
  'cycle-get': defineTool({
    args: Nothing,
    help: 'cycle-get {}: how the undertaking stands: its cycle and phase, what is owed, what has failed, what is open',
    reach: looks,
    run: (_args, bench) => moved(bench.desk.get(), bench),
  }),
  'cycle-list': defineTool({
    args: Nothing,
    help: 'cycle-list {}: the cycles that have ended, and how',
    reach: looks,
    run: (_args, bench) => moved(bench.desk.cycles(), bench),
  }),
  'cycle-begin': defineTool({
    args: z.strictObject({ item: ItemId }),
    help: 'cycle-begin {item}: begins a cycle on what is in the way: an item of the ledger that is not settled',
    reach: moves,
    run: ({ item }, bench) => moved(bench.desk.begin(item), bench),
  }),
  'cycle-back': defineTool({
    args: z.strictObject({ to: CyclePhase, why: Words }),
    help: 'cycle-back {to, why}: back to an earlier phase; back before propose, the approach has failed and is kept as that',
    reach: moves,
    run: ({ to, why }, bench) => moved(bench.desk.back(to, why), bench),
  }),
  'cycle-end': defineTool({
    args: z.strictObject({ why: Words }),
    help: 'cycle-end {why}: gives the cycle up; the ledger is what it was before, and the approach is kept as failed',
    reach: moves,
    run: ({ why }, bench) => moved(bench.desk.end(why), bench),
  }),
  'ledger-query': defineTool({
    args: z.strictObject({ item: ItemId.optional(), status: ItemStatus.optional() }),
    help: 'ledger-query {item?, status?}: the items of the ledger, or one of them whole',
    reach: looks,
    run: (of, bench) => moved(bench.desk.query(of), bench),
  }),
  'ledger-upsert': defineTool({
    args: z.strictObject({
      item: ItemId,
      text: Words.optional(),
      dependsOn: z.array(ItemId).max(50).optional(),
      status: ItemStatus.optional(),
      basis: Basis.optional(),
      why: z.string().max(4000).optional(),
    }),
    help: 'ledger-upsert {item, text?, dependsOn?, status?, basis?, why?}: adds an item or changes it; in integrate, as it was classified',
    reach: moves,
    run: (wish, bench) => moved(bench.desk.upsert(wish), bench),
  }),
  'ledger-impact': defineTool({
    args: z.strictObject({ item: ItemId }),
    help: 'ledger-impact {item}: all that rests on an item, directly or over others',
    reach: looks,
    run: ({ item }, bench) => moved(bench.desk.impact(item), bench),
  }),
  'approach-failed': defineTool({
    args: z.strictObject({ item: ItemId, approach: Words, why: Words }),
    help: 'approach-failed {item, approach, why}: keeps for ever what does not work, and why',
    reach: moves,
    run: (what, bench) => moved(bench.desk.failedApproach(what), bench),
  }),
  classify: defineTool({
    args: z.strictObject({
      item: ItemId,
      status: ItemStatus,
      basis: Basis.nullable(),
      why: z.string().max(4000).default(''),
    }),
    help: 'classify {item, status, basis, why}: says what an item is worth by what this cycle has shown; refused where that is not honest',
    reach: moves,
    run: (classified, bench) => moved(bench.desk.classify(classified), bench),
  }),
  'gate-check': defineTool({
    args: Nothing,
    help: 'gate-check {}: what each gate says of the cycle as it stands',
    reach: movesByFiles,
    run: (_args, bench) => moved(bench.desk.gates(), bench),
  }),
}

/** What was said, and the phase that was entered by it; or why nothing was done. */
export const moved = async (moving: Promise<Done<Moved>>, bench: Bench): Promise<StepOutcome> => {
  const done = await moving
  if (!done.ok) return failed(done.why)
  const { text, phase, undertaking } = done.value
  return {
    kind: 'ok',
    paths: [],
    ...(await shown(text, bench, 1)),
    ...(phase === undefined ? {} : { phase }),
    ...(undertaking === undefined ? {} : { undertaking }),
  }
}
