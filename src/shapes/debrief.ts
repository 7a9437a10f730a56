import { z } from 'zod'

/** How many sentences a part of a debrief has at most, and how long each may be. */
export const DEBRIEF_ITEMS = 8
export const DEBRIEF_LENGTH = 200

/** A sentence, and the entries it comes from. */
const Finding = z.strictObject({ says: z.string(), from: z.array(z.string()) })

/** As many as there is room for, and how many there are besides. */
const Findings = z.strictObject({ shown: z.array(Finding), more: z.int() })
export type Findings = z.infer<typeof Findings>

/** What there is to learn from a session, made from its evidence alone. */
export const Debrief = z.strictObject({
  session: z.string(),
  tried: Findings,
  worked: Findings,
  didNot: Findings,
  surprises: Findings,
  suggestions: Findings,
})
export type Debrief = z.infer<typeof Debrief>
