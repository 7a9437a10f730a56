import type { Entry } from '../shapes/evidence.ts'
import type { Role } from '../shapes/person.ts'

/** The role that a turn was asked with, by the entry that accepted it: what the turn may do goes by that. */
export const roleOf = (accepted: Entry | null): Role =>
  (accepted?.body?.event === 'accepted' && accepted.body.role) || 'operator'
