import type { Refusal } from './refusal.ts'

/** What every stage, gate and store call answers: a value, or the refusal that says why not. Never null, never thrown. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const refused = (refusal: Refusal): Result<never> => ({ ok: false, refusal })
