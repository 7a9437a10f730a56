import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { ItemId, ProblemId, ProofMode } from '../shapes/undertaking.ts'
import type { Inside } from '../workspace/paths.ts'
import { readFound } from '../workspace/write.ts'
import { change } from './change.ts'
import { moved } from './cycle.ts'
import { diffOf } from './diff.ts'
import { targetOf } from './target.ts'
import { SEEN_BYTES, textOf } from './text.ts'
import { type Bench, defineTool, failed, PathArgument } from './tool.ts'

const Words = z.string().regex(/\S/, 'expected words').max(4000)

/** The tools that only a proof has. */
export const proof = {
  'proof-load': defineTool({
    args: z.strictObject({ problem: ProblemId, title: z.string().regex(/\S/, 'expected words').max(200).optional() }),
    help: 'proof-load {problem, title?}: takes a problem up where it was left, in its phase; with a title, begins a new one',
    reach: () => ok({ alone: true }),
    run: ({ problem, title = null }, bench) => moved(bench.desk.load(problem, title), bench),
  }),
  'proof-statement': defineTool({
    args: z.strictObject({ text: Words.optional(), why: z.string().max(4000).default('') }),
    help: 'proof-statement {text?, why?}: what is to be proved, to the letter; with a text, its next version',
    reach: () => ok({ alone: true }),
    run: ({ text = null, why }, bench) => moved(bench.desk.statement(text, why), bench),
  }),
  'proof-mode': defineTool({
    args: z.strictObject({ to: ProofMode.optional(), why: z.string().max(4000).default('') }),
    help: 'proof-mode {to?, why?}: which mode the proof is in and where that leads; with `to`, goes over: SPEC, FALSIFY, CONSTRUCT, VERIFY, MAP',
    reach: () => ok({ alone: true }),
    run: ({ to = null, why }, bench) => moved(bench.desk.mode(to, why), bench),
  }),
  'proof-licence': defineTool({
    args: z.strictObject({
      item: ItemId,
      bottleneck: Words,
      lever: Words,
      witness: Words,
      stop: Words,
      minutes: z.int().min(1).max(10_080),
    }),
    help: 'proof-licence {item, bottleneck, lever, witness, stop, minutes}: asks a person for leave to go on where approaches failed again and again',
    reach: () => ok({ alone: true }),
    run: (licence, bench) => moved(bench.desk.licence(licence), bench),
  }),
  'proof-save': defineTool({
    args: z.strictObject({ path: PathArgument }),
    help: 'proof-save {path}: writes the whole proof as it stands into its file, such as proofs/P-sum.md',
    reach: ({ path }) => ok({ reads: [path], writes: [path], alone: true, brief: true }),
    run: ({ path }, bench) => save(targetOf(bench, path), bench),
  }),
}

/** Writes the file of a proof, and that it was written. What somebody else made of it in between is read before it is replaced. */
const save = async (target: Inside, bench: Bench): Promise<StepOutcome> => {
  const document = await bench.desk.document()
  if (!document.ok) return failed(document.why)
  const { text, through, path, last } = document.value
  const { name } = target
  if (name !== path) return failed(`this proof is saved as ${path}`)
  const read = await readFound(target, { most: SEEN_BYTES, hardLinks: true })
  if (!read.ok) return failed(read.why)
  const before = read.value
  if (before && before.state !== last?.state && before.state !== bench.seen(name))
    return failed(`${name} is not what was saved last: read it, so that nothing of it is lost unseen`)
  const after = { content: Buffer.from(text) }
  const { added, removed } = diffOf(before && { name, text: textOf(before.content) ?? '' }, { name, text })
  const outcome = await change([{ target, before, after, added, removed }], `Saved ${name}.`, bench)
  const state = outcome.kind === 'ok' ? outcome.files?.[0]?.after : undefined
  if (!state) return outcome
  const kept = await bench.desk.saved({ path: name, state }, through)
  if (kept.ok || outcome.kind !== 'ok') return outcome
  // The file is changed, whoever has the proof by now.
  const { changed = [], files = [] } = outcome
  return { kind: 'failed', message: kept.why, changed, files }
}
