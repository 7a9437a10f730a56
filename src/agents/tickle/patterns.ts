import type { z } from 'zod'
import type { PatternAction } from '../../shapes/pattern.ts'
import { type Plan, step } from '../rehearsal/plans/steps.ts'
import { type Doing, said } from './said.ts'

const USAGE =
  'say /pattern find [words], show NAME, record [NAME], proposals, accept NAME, or decline, retire or restore NAME and why'

/** The word `pattern`; new ones are made in this folder. */
export const patternWords = (folder: string): Readonly<Record<string, Doing>> => ({
  pattern: (given) => asked(actionsIn(folder), given),
})

/** What is done for an action; null where what came after it is not what it takes. */
type Action = (rest: readonly string[]) => Plan<string> | null
type Actions = Readonly<Record<z.infer<typeof PatternAction>, Action>>

function* asked(actions: Actions, given: readonly string[]): Plan<string> {
  const [action = 'find', ...rest] = given
  const name = action.toLowerCase()
  const doing = (Object.hasOwn(actions, name) ? actions[name as keyof Actions] : null) as Action | null
  const plan = doing?.(rest) ?? null
  return plan ? yield* plan : `I do not understand "${['pattern', action, ...rest].join(' ')}"; ${USAGE}`
}

const actionsIn = (folder: string): Actions => ({
  find: (words) => said('pattern-search', words.length === 0 ? {} : { query: words.join(' ') }),
  show: ([pattern, ...rest]) =>
    pattern === undefined || rest.length > 0 ? null : said('pattern-read', { pattern: properly(pattern) }),
  record: ([pattern, ...rest]) => {
    if (rest.length > 0) return null
    return said('pattern-record', pattern === undefined ? {} : { pattern: properly(pattern) })
  },
  proposals: (rest) => (rest.length === 0 ? said('pattern-proposals', {}) : null),
  accept: ([pattern, ...rest]) =>
    pattern === undefined || rest.length > 0 ? null : accepted(properly(pattern), folder),
  decline: withReason((pattern, why) => said('pattern-decline', { pattern, why })),
  retire: withReason((pattern, why) => said('pattern-retire', { pattern, why })),
  restore: withReason((pattern, why) => said('pattern-retire', { pattern, why, back: true })),
})

/** An action on a pattern that must be said why. */
const withReason =
  (plan: (pattern: string, why: string) => Plan<string>): Action =>
  ([pattern, ...why]) =>
    pattern === undefined || why.length === 0 ? null : plan(properly(pattern), why.join(' '))

/** Looks first whether it is proposed, and what: a person is asked only for what there is. */
function* accepted(pattern: string, folder: string): Plan<string> {
  const report = yield* step({ tool: 'pattern-proposals', args: { pattern } })
  if (report.kind !== 'ok') return report.kind === 'refused' ? report.refusal.message : report.message
  if (report.output.startsWith(`new ${pattern}:`))
    return yield* said('pattern-new', { path: `${folder}/${pattern}/SKILL.md` })
  const why = report.output.slice(`retire ${pattern}: `.length)
  return yield* said('pattern-retire', { pattern, why })
}

/** A pattern's name as people say it. */
const properly = (name: string): string => name.toLowerCase().replace(/^bellhop:/, '')
