import { type Plan, step } from '../rehearsal/plans/steps.ts'

/** What one of Tickle's words is done by; the words that came after it are given. */
export type Doing = (given: readonly string[]) => Plan<string>

/** One step, and what it says as the answer. */
export function* said(tool: string, args: Record<string, unknown>): Plan<string> {
  const report = yield* step({ tool, args })
  if (report.kind === 'ok') return report.output
  return report.kind === 'refused' ? `${report.refusal.message}; ${report.refusal.remedy}` : report.message
}
