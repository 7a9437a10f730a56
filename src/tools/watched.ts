import { asFits } from '../lib/fits.ts'
import type { SandboxMode } from '../shapes/peripheral.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Bench } from './tool.ts'

type Ended = Exclude<StepOutcome, { kind: 'interrupted' }>

/** Runs something in a sandbox. Where that can write, what was changed is looked up, whatever it says of itself. */
export const watched = async (
  sandbox: SandboxMode,
  bench: Pick<Bench, 'tree' | 'changes'>,
  run: () => Promise<Ended>,
): Promise<StepOutcome> => {
  if (sandbox === 'read-only') return run()
  const before = await bench.tree()
  const outcome = await run()
  const after = await bench.tree()
  const all = await bench.changes(before, after)
  const files = asFits(all)
  const more = files.length < all.length ? { more: { before, after, files: all.length - files.length } } : {}
  return { ...outcome, files, changed: files.map(({ path }) => path), ...more }
}
