import { DiscordAPIError, HTTPError } from 'discord.js'
import type { Sent } from '../../src/chat/outlet.ts'

/** The numbers of Discord for what is the matter, as far as it makes a difference here. */
export const CODES = {
  unknownChannel: 10003,
  unknownMessage: 10008,
  unknownWebhook: 10015,
  unknownInteraction: 10062,
  tooManyPins: 30003,
  alreadyAnswered: 40060,
  missingAccess: 50001,
  notOurMessage: 50005,
  cannotWhisper: 50007,
  missingPermissions: 50013,
  tokenOver: 50027,
  invalidForm: 50035,
  archived: 50083,
  cannotReply: 160002,
  locked: 160005,
  cannotReference: 160009,
} as const

/** The number of what Discord objected to; null where it was something else. */
export const codeOf = (problem: unknown): number | null =>
  problem instanceof DiscordAPIError && typeof problem.code === 'number' ? problem.code : null

export const wasRefused = (problem: unknown): boolean =>
  (problem instanceof DiscordAPIError && problem.status === 401) ||
  /Expected token|invalid token/i.test(wordsOf(problem))

/** Whether somebody would have to give the bot a right, or the channel back. */
export const isForbidden = (problem: unknown): boolean => {
  const code = codeOf(problem)
  return (code !== null && FORBIDDEN.has(code)) || (problem instanceof DiscordAPIError && problem.status === 403)
}

const FORBIDDEN: ReadonlySet<number> = new Set([
  CODES.unknownChannel,
  CODES.missingAccess,
  CODES.missingPermissions,
  CODES.archived,
  CODES.locked,
])

/** Whether it would be taken if it replied to nothing: who may not read what was said before cannot answer it. */
export const cannotReply = (problem: unknown): boolean => {
  const code = codeOf(problem)
  return code === CODES.cannotReply || code === CODES.cannotReference
}

/** Whether the token of an interaction is not good any more, or what it answered is gone. */
export const isTooLate = (problem: unknown): boolean => {
  const code = codeOf(problem)
  return code !== null && LATE.has(code)
}

const LATE: ReadonlySet<number> = new Set([
  CODES.unknownWebhook,
  CODES.unknownInteraction,
  CODES.tokenOver,
  CODES.unknownMessage,
])

/** How long it takes at least until somebody may have given a right back. */
const RIGHT_MS = 300_000
const GONE: ReadonlySet<number> = new Set([CODES.unknownMessage, CODES.notOurMessage])
const HTTP_TOO_MANY = 429

/** What came of a message that Discord did not take. */
export const failed = (problem: unknown): Exclude<Sent, { kind: 'sent' }> => {
  const why = wordsOf(problem)
  const code = codeOf(problem)
  if (wasRefused(problem) || isForbidden(problem)) return { kind: 'later', why, afterMs: RIGHT_MS }
  if (code !== null && GONE.has(code)) return { kind: 'gone', why }
  if (problem instanceof DiscordAPIError)
    return problem.status === HTTP_TOO_MANY ? { kind: 'later', why } : { kind: 'never', why }
  // It was never asked where it could not be reached.
  return problem instanceof HTTPError || !UNREACHED.has(networkCode(problem))
    ? { kind: 'unsure', why }
    : { kind: 'later', why }
}

const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const networkCode = (problem: unknown): string => {
  const { code, cause } = (problem ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? '' : networkCode(cause)
}

export const wordsOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))
