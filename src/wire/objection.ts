import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import type { Context, Objection } from './house.ts'

/** Why a frame is not done. */
export const no = (code: RefusalCode, message: string, context: Context = {}): Objection => ({
  ok: false,
  refusal: refusal(code, message),
  context,
})
