import type { StepReport } from '../../../shapes/turn.ts'
import type { IntentOf } from '../language/intent.ts'
import { told } from './answer.ts'
import { changesOf } from './report.ts'
import { type Plan, step } from './steps.ts'

/** One text for another in a file. It is read first: an edit is of what was seen. */
export function* replace({ old, new: text, path, all }: IntentOf<'replace'>): Plan<string> {
  const read = yield* step({ tool: 'read', args: { path } })
  if (read.kind !== 'ok') return told(read)
  const report = yield* step({ tool: 'edit', args: { path, old, new: text, ...(all && { all }) } })
  return changed(report, `changed ${path}.`)
}

/** A file with a text. What is there already must have been seen before it is written over. */
export function* create({ path, text }: IntentOf<'create'>): Plan<string> {
  const read = yield* step({ tool: 'read', args: { path } })
  if (read.kind !== 'ok' && !isMissing(read)) return told(read)
  const report = yield* step({ tool: 'write', args: { path, text } })
  return changed(report, `wrote ${path}.`)
}

const isMissing = (report: StepReport): boolean =>
  report.kind === 'failed' && /\bno (?:such )?file\b/i.test(report.message.slice(0, 1000))

const changed = (report: StepReport, otherwise: string): string =>
  report.kind === 'ok' ? changesOf(report) || otherwise : told(report)
