import type { StepReport } from '../../../shapes/turn.ts'
import type { Place } from '../../mind.ts'
import type { Intent, Part } from '../language/intent.ts'
import { brief, quoted, told } from './answer.ts'
import { runOf } from './report.ts'
import { type Plan, step } from './steps.ts'

/** Where the mind is now. What tools there are after a hop, nobody told it: null. */
type Here = { peripheral: string; tools: readonly string[] | null }

/** What a part is done with, where it is more than a hop: where it is, and what the steps before it reported. */
export type Doing = (
  part: Part & { intent: Exclude<Intent, { kind: 'hop' }> },
  here: Here,
  before: readonly StepReport[],
) => Plan<string>

/**
 * The parts of a request, one after the other, with a hop before those that are at home elsewhere. A part that does
 * not work out is the last one; that a program ended with an error keeps nobody from going on.
 */
export function* travel(parts: readonly Part[], { peripheral, tools }: Place, doing: Doing): Plan<string> {
  const journey: Journey = { here: { peripheral, tools }, reports: [], lines: [] }
  for (const [at, part] of parts.entries()) {
    const to = destination(part, journey.here)
    const there = to === null || (yield* hopTo(to, journey))
    if (there && (yield* carryOut(part, journey, doing))) continue
    return [...journey.lines, ...leftOut(parts.slice(there ? at + 1 : at))].join('\n')
  }
  return journey.lines.join('\n')
}

type Journey = { here: Here; reports: StepReport[]; lines: string[] }

function* hopTo(to: string, journey: Journey): Plan<boolean> {
  const report = yield* noted(step({ tool: 'hop', args: { to } }), journey.reports)
  const arrived = report.kind === 'ok'
  journey.lines.push(arrived ? `hopped to ${brief(to)}.` : `no hop to ${brief(to)}: ${told(report)}`)
  if (arrived) journey.here = { peripheral: to, tools: null }
  return arrived
}

/** Answers whether the next part may begin. */
function* carryOut(part: Part, journey: Journey, doing: Doing): Plan<boolean> {
  const { intent } = part
  if (intent.kind === 'hop') return yield* hopTo(intent.to, journey)
  const begun = journey.reports.length
  const before = [...journey.reports]
  journey.lines.push(yield* noted(doing({ ...part, intent }, journey.here, before), journey.reports))
  const last = journey.reports.slice(begun).at(-1)
  return intent.kind !== 'unknown' && (last === undefined || last.kind === 'ok' || runOf(last) !== null)
}

/** Where a part is at home. */
const HOMES: Partial<Record<Intent['kind'], string>> = {
  replace: 'edit',
  create: 'edit',
  test: 'test',
  commit: 'deploy',
  push: 'deploy',
  reflect: 'reflect',
}

/** What the others need, and where that is, in case it is not here. */
const NEEDS: Partial<Record<Intent['kind'], { tool: string; at: string }>> = {
  define: { tool: 'grep', at: 'explore' },
  uses: { tool: 'grep', at: 'explore' },
  search: { tool: 'grep', at: 'explore' },
  list: { tool: 'glob', at: 'explore' },
  read: { tool: 'read', at: 'explore' },
  reads: { tool: 'read', at: 'explore' },
  count: { tool: 'grep', at: 'explore' },
  fetch: { tool: 'web-fetch', at: 'explore' },
  run: { tool: 'run', at: 'explore' },
  evidence: { tool: 'evidence', at: 'reflect' },
}

/**
 * The peripheral to hop to before a part; null where it is tried right here. A hop is meant by "then …", and in chat,
 * where there is nothing to work with. Elsewhere a tool that is not here is called all the same: that the wall refuses
 * it is an answer.
 */
const destination = ({ intent, after }: Part, { peripheral, tools }: Here): string | null => {
  if (!after && peripheral !== 'chat') return null
  const home = HOMES[intent.kind]
  if (home !== undefined) return home === peripheral ? null : home
  const need = NEEDS[intent.kind]
  if (need === undefined || (tools === null && peripheral !== 'chat')) return null
  return tools?.includes(need.tool) ? null : need.at
}

/** A plan whose reports are written down on their way. */
function* noted<T>(plan: Plan<T>, reports: StepReport[]): Plan<T> {
  let next = plan.next()
  while (!next.done) {
    const came = yield next.value
    reports.push(...came)
    next = plan.next(came)
  }
  return next.value
}

const leftOut = (parts: readonly Part[]): string[] =>
  parts.length === 0 ? [] : [`not begun: ${parts.map(({ said }) => quoted(said)).join(', ')}.`]
