import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { change, readToChange } from './change.ts'
import { moved } from './cycle.ts'
import { diffOf } from './diff.ts'
import { targetOf } from './target.ts'
import { type Bench, defineTool, failed, PathArgument } from './tool.ts'

const Nothing = z.strictObject({})

/** The tools that only a mission has. Its file is read as mission control reads it. */
export const mission = {
  'mission-load': defineTool({
    args: z.strictObject({ mission: z.string().min(1).max(80).optional() }),
    help: 'mission-load {mission?}: takes a mission up where it was left; boxes of its file that are new become obligations. Without a name, the one that the room is focused on',
    reach: () => ok({ reads: ['.'], alone: true }),
    run: ({ mission: name = null }, bench) => moved(bench.desk.loadMission(name), bench),
  }),
  'mission-audit': defineTool({
    args: Nothing,
    help: 'mission-audit {}: the file of the mission held against its obligations and the evidence: what is not the same, and which gate it closes',
    reach: () => ok({ reads: ['.'] }),
    run: (_args, bench) => moved(bench.desk.audit(), bench),
  }),
  'mission-wiring': defineTool({
    args: Nothing,
    help: 'mission-wiring {}: what feeds what: obligations, the files they make and name, other missions; in words and as a Mermaid diagram',
    reach: () => ok({ reads: ['.'] }),
    run: (_args, bench) => moved(bench.desk.wiring(), bench),
  }),
  'mission-save': defineTool({
    args: z.strictObject({ path: PathArgument }),
    help: 'mission-save {path}: ticks the boxes of what is done in the file of the mission, such as missions/M-retry.md, unticks the others, sets its status line, and adds boxes of obligations that are new',
    // Whoever takes the mission up next saves it, too.
    reach: ({ path }) => ok({ reads: ['.', path], writes: [path], alone: true, brief: true }),
    run: ({ path }, bench) => save(path, bench),
  }),
}

/** Brings the file of a mission up to its ledger, and writes down that it was. Not over what nobody of the session has seen. */
const save = async (path: string, bench: Bench): Promise<StepOutcome> => {
  const target = targetOf(bench, path)
  const { name } = target
  const read = await readToChange(target, bench)
  if (!read.ok) return failed(read.why)
  const said = await bench.desk.rewritten(name, read.text)
  if (!said.ok) return failed(said.why)
  const { text, through } = said.value
  const { text: diff, added, removed } = diffOf({ name, text: read.text }, { name, text })
  const after = { content: Buffer.from(text) }
  const shown = text === read.text ? `${name} says it already.` : diff
  const outcome = await change([{ target, before: read.found, after, added, removed }], shown, bench)
  if (outcome.kind !== 'ok') return outcome
  const { changed = [], files = [] } = outcome
  const kept = await bench.desk.saved({ path: name, state: files[0]?.after ?? '' }, through)
  // The file is changed, whoever has the mission by now.
  return kept.ok ? outcome : { kind: 'failed', message: kept.why, changed, files }
}
