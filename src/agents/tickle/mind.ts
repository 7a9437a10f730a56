import type { Mind } from '../mind.ts'
import { type Plan, step } from '../rehearsal/plans/steps.ts'
import { rehearse } from '../rehearsal/rehearse.ts'

/** What one of Tickle's words is done by; the words that came after it are given. */
export type Doing = (given: readonly string[]) => Plan<string>

/** Tickle's own words. They are what `/mc`, `/mission` and `/todo` ask for, and what its rounds are made of. */
const words: Readonly<Record<string, Doing>> = {
  evidence: (given) => said('evidence', given.length > 0 ? { text: given.join(' ') } : {}),
}

/**
 * Tickle goes by rules, and needs no model: its own words become steps in mission control; what is none of them is taken as a
 * rehearsal takes it.
 */
export const tickle: Mind = (request, place) => {
  const [word = '', ...given] = request.trim().split(/\s+/)
  const doing = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
  return doing ? doing(given) : rehearse(request, place)
}

/** One step, and what it says as the answer. */
export function* said(tool: string, args: Record<string, unknown>): Plan<string> {
  const report = yield* step({ tool, args })
  if (report.kind === 'ok') return report.output
  return report.kind === 'refused' ? `${report.refusal.message}; ${report.refusal.remedy}` : report.message
}
