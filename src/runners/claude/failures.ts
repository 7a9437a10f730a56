import type { Failure, FailureKind } from '../../shapes/runner.ts'
import { failed, kindOfStatus, retryMsIn } from '../failures.ts'

/** What the program says when a turn fails: words for people, and, where it knows them, a status and a word of its own. */
export type Complaint = {
  text: string
  status?: number | null | undefined
  code?: string | null | undefined
  /** When there is something left to use again. */
  resetsAt?: number | null | undefined
}

/** Why a turn failed. What is said is more exact than its status, and a status than what it is called. */
export const failureOf = (complaint: Complaint, now: number): Failure => {
  const { text, status, code, resetsAt } = complaint
  const kind = kindOf(complaint)
  const waits = kind === 'rate-limit' || kind === 'overload' || kind === 'quota'
  const untilReset = resetsAt == null ? null : Math.max(0, resetsAt - now)
  const message = text || [code, status].filter((word) => word != null).join(' ') || 'it did not say why'
  return failed(kind, message, waits ? (untilReset ?? retryMsIn(text)) : null)
}

const kindOf = ({ text, status, code, resetsAt }: Complaint): FailureKind => {
  // A limit that is lifted at a known time is one of a subscription.
  if (resetsAt != null) return 'quota'
  const exact = wordsIn(EXACT, text) ?? (status == null ? undefined : kindOfStatus(status))
  if (exact) return exact
  if (status != null) return kindOfCode(code) ?? 'bad-request'
  return wordsIn(VAGUE, text) ?? kindOfCode(code) ?? 'crashed'
}

/** The code can be any word: only what stands in the list is one. */
const kindOfCode = (code: string | null | undefined): FailureKind | undefined =>
  code != null && Object.hasOwn(CODES, code) ? CODES[code] : undefined

const wordsIn = (table: readonly (readonly [RegExp, FailureKind])[], text: string): FailureKind | undefined =>
  table.find(([words]) => words.test(text))?.[1]

/** Words that say more than the status that comes with them. */
const EXACT: readonly (readonly [RegExp, FailureKind])[] = [
  [/prompt is too long|context (limit|length|window)|exceeds? .*context/i, 'context'],
  [/not your usage limit/i, 'rate-limit'],
  [
    /usage limit|hit your .{0,20}limit|credit balance|\bquota\b|spend(ing)? limit|out of .{0,20}(usage|credits)/i,
    'quota',
  ],
  [/invalid api key|\/login|not logged in|oauth (token|session)|failed to authenticate/i, 'auth'],
]

/** Words that have to do where there is no status. */
const VAGUE: readonly (readonly [RegExp, FailureKind])[] = [
  [/overloaded/i, 'overload'],
  [
    /E(CONN|AI_|NOTFOUND|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)|connect|connection|network|socket|proxy|timed? ?out|fetch failed/i,
    'network',
  ],
]

/** The program's own words for what went wrong: with a turn, or with a change of the model. */
const CODES: Record<string, FailureKind> = {
  authentication_failed: 'auth',
  auth_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'quota',
  credits_required: 'quota',
  rate_limit: 'rate-limit',
  server_error: 'overload',
  overloaded: 'overload',
  check_server_error: 'overload',
  check_unreachable: 'network',
  invalid_request: 'bad-request',
  model_not_found: 'bad-request',
  not_found: 'bad-request',
  check_rejected: 'bad-request',
  max_output_tokens: 'bad-request',
}

/** Why the program is not there any more, from how it ended and the last of what it complained. */
export const endOf = (how: string, complaint: string): Failure => {
  const last = complaint.trim().split('\n').at(-1) ?? ''
  if (UNKNOWN_FLAG.test(complaint)) return failed('wall', `the program does not know its wall: ${last}`)
  if (/no conversation found/i.test(complaint)) return failed('crashed', `no conversation to go on with: ${last}`)
  return failed('crashed', `the program ended (${how})${last === '' ? '' : `: ${last}`}`)
}

const UNKNOWN_FLAG = /unknown option|option '.*' argument .* is invalid/i
