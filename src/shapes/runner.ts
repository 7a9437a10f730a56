import { z } from 'zod'

/**
 * Why a program of an agent could not go on. Each has a policy and a sentence of its own: `src/agents/policy.ts`.
 *   rate-limit: too much, for now · quota: nothing left to use · auth: not signed in, or not any more · overload: the model
 *   is busy · network: it cannot be reached · bad-request: it does not take what it was sent · context: that was too long ·
 *   hung: nothing came for too long · crashed: the program ended · wall: the program sees other tools than it should
 */
export const FailureKind = z.enum([
  'rate-limit',
  'quota',
  'auth',
  'overload',
  'network',
  'bad-request',
  'context',
  'hung',
  'crashed',
  'wall',
])
export type FailureKind = z.infer<typeof FailureKind>

export const Failure = z.strictObject({
  kind: FailureKind,
  /** What the program said, for people. */
  message: z.string(),
  /** After which time it may be tried again, where that was said. */
  retryMs: z.int().nonnegative().nullable(),
})
export type Failure = z.infer<typeof Failure>
