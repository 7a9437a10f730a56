import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import type { Failure, FailureKind } from '../../shapes/runner.ts'
import { failed, kindOfStatus, retryMsIn } from '../failures.ts'

/** As the program says that a turn failed: a word, or a word with the status that the model was answered with. */
export const TurnError = z.object({
  message: z.string(),
  codexErrorInfo: z
    .union([z.string(), z.record(z.string(), z.object({ httpStatusCode: z.number().nullish() }).or(z.unknown()))])
    .nullish(),
})
export type TurnError = z.infer<typeof TurnError>

/** Why a turn failed. */
export const failureOf = ({ message, codexErrorInfo }: TurnError): Failure => {
  const { code, text } = said(message)
  const kind =
    (TOO_LONG.test(`${code} ${text}`) ? 'context' : undefined) ??
    (USED_UP.test(`${code} ${text}`) ? 'quota' : undefined) ??
    kindOfInfo(codexErrorInfo ?? 'other') ??
    WORDS.find(([words]) => words.test(text))?.[1] ??
    'bad-request'
  return failed(kind, text, kind === 'rate-limit' || kind === 'overload' ? retryMsIn(text) : null)
}

const TOO_LONG = /context_length_exceeded|context window|maximum context length/i
const USED_UP = /insufficient_quota|exceeded your current quota|usage limit|quota exceeded/i

/** What the words of a message mean, where nothing else says it. */
const WORDS: readonly [RegExp, FailureKind][] = [
  [/rate limit|too many requests/i, 'rate-limit'],
  [/missing environment variable|not logged in|log ?in again|sign ?in again|unauthorized/i, 'auth'],
  [/overloaded|at capacity|high demand/i, 'overload'],
  [/stream (disconnected|closed)|connection|network|timed? ?out|error sending request|discovery failed/i, 'network'],
  [/agent loop died|internal error/i, 'crashed'],
]

const INFOS: Record<string, FailureKind> = {
  contextWindowExceeded: 'context',
  sessionBudgetExceeded: 'quota',
  usageLimitExceeded: 'quota',
  rateLimitExceeded: 'rate-limit',
  flexUnavailable: 'overload',
  serverOverloaded: 'overload',
  policyCapacityUnavailable: 'overload',
  internalServerError: 'overload',
  unauthorized: 'auth',
  badRequest: 'bad-request',
  modelNotFound: 'bad-request',
}

/** Whatever else these say, they are about the way to the model: without a status there was none. */
const CONNECTING: ReadonlySet<string> = new Set([
  'httpConnectionFailed',
  'responseStreamConnectionFailed',
  'responseStreamDisconnected',
  'responseTooManyFailedAttempts',
])

const kindOfInfo = (info: NonNullable<TurnError['codexErrorInfo']>): FailureKind | undefined => {
  if (typeof info === 'string') return INFOS[info]
  const [name = '', about] = Object.entries(info)[0] ?? []
  const status = (about as { httpStatusCode?: number | null } | undefined)?.httpStatusCode
  if (typeof status === 'number') return kindOfStatus(status) ?? 'bad-request'
  return CONNECTING.has(name) ? 'network' : undefined
}

const Body = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) })

/** What was said, for people: of a body that was passed on its message, and no address. */
const said = (message: string): { code: string; text: string } => {
  const body = Body.safeParse(parseJson(message)).data
  const text = (body?.error.message ?? message).replace(/, url: \S+/, '')
  return { code: body?.error.code ?? '', text }
}
