import { z } from 'zod'
import { type Refusal, RefusalCode, refusals } from './refusal.ts'

/** What a refusal is called as a type of problem. */
const URN = 'urn:bellhop:refusal:'

/** A refusal as it travels over HTTP: problem details as RFC 9457 has them, with our code and the remedy. */
export const ProblemDetails = z.strictObject({
  type: z.templateLiteral([URN, RefusalCode]),
  /** The code, for people to read. */
  title: z.string(),
  status: z.int().min(400).max(599),
  /** What was wrong this time. */
  detail: z.string(),
  code: RefusalCode,
  remedy: z.string(),
  /** In how many seconds it can be tried again: what Retry-After says. */
  wait: z.int().positive().optional(),
})
export type ProblemDetails = z.infer<typeof ProblemDetails>

export const PROBLEM_TYPE = 'application/problem+json'

export const problemOf = ({ code, message, remedy, wait }: Refusal): ProblemDetails => ({
  type: `${URN}${code}`,
  title: titleOf(code),
  status: refusals[code].status,
  detail: message,
  code,
  remedy,
  ...(wait === undefined ? {} : { wait }),
})

const titleOf = (code: string): string => {
  const words = code.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const refusalOf = ({ code, detail, remedy, wait }: ProblemDetails): Refusal => ({
  code,
  message: detail,
  remedy,
  ...(wait === undefined ? {} : { wait }),
})

/** The headers it travels with. Whoever is not known is told how to come back, and whoever is too early, when. */
export const problemHeaders = ({ status, wait }: ProblemDetails): Record<string, string> => ({
  'content-type': PROBLEM_TYPE,
  ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
  ...(status === 401 ? { 'www-authenticate': 'Bearer realm="bellhop"' } : {}),
})
