import type { StepReport } from '../../../shapes/turn.ts'
import { brief, counted, linesOf, told } from './answer.ts'
import { outputOf } from './report.ts'
import { type Plan, step } from './steps.ts'

const EVIDENCE = { tool: 'evidence', args: {} }
const LINES_KEPT = 3

/** What the evidence says was done. */
export function* lookBack(): Plan<string> {
  const report = yield* step(EVIDENCE)
  if (report.kind !== 'ok') return told(report)
  const lines = outputOf(report)
  return lines.length === 0 ? 'there is no evidence yet.' : `the evidence says:\n${lines.join('\n')}`
}

/** A review of the session, in words made from the reports: of the evidence, and of the steps of this turn before it. */
export function* reflect(before: readonly StepReport[], hasEvidence: boolean): Plan<string> {
  const words = wordsFrom(hasEvidence ? yield* step(EVIDENCE) : null, before)
  const report = yield* step({ tool: 'reflect', args: words })
  if (report.kind !== 'ok') return told(report)
  return `reviewed the session.\n  worked: ${words.worked}\n  did not: ${words.didNot}\n  next: ${words.next}`
}

const wordsFrom = (evidence: StepReport | null, before: readonly StepReport[]) => {
  const entries = evidence?.kind === 'ok' ? linesOf(evidence.output) : []
  // That nothing failed is said of what was put back, too.
  const troubled = entries.filter((line) =>
    /\b(?:refused|failed|interrupted)\b/i.test(line.slice(0, 1000).replaceAll('"failed":null', '')),
  )
  const trouble = [...troubled, ...before.flatMap((report) => (report.kind === 'ok' ? [] : [told(report)]))]
  return {
    worked: `${counted(entries.length, 'line')} of evidence, ${counted(entries.length - troubled.length, 'of them', 'of them')} without trouble`,
    didNot:
      trouble.length === 0
        ? 'nothing that the evidence tells'
        : trouble
            .slice(0, LINES_KEPT)
            .map((line) => brief(line))
            .join('; '),
    next: trouble.length === 0 ? 'nothing is left open' : 'look at what did not work',
  }
}
