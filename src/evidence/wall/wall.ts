import { z } from 'zod'
import { SandboxMode } from '../../shapes/peripheral.ts'
import { Role } from '../../shapes/person.ts'
import type { Deeds } from './deeds.ts'
import type { Pin } from './pins.ts'

const Names = z.array(z.string())

const Rule = z.object({
  argv: Names,
  for: z.string(),
  sandbox: SandboxMode.optional(),
  approve: z.boolean().default(false),
  phases: Names.optional(),
})
export type Rule = z.infer<typeof Rule>

/** A part of a wall that may not be there, or be of another time's shape: what cannot be read is not judged. */
const part = <T extends z.ZodType>(shape: T) => shape.nullable().catch(null)

/**
 * A wall as it was declared, with what is needed to judge by it. It is read loosely on purpose: what was declared by an
 * older or a newer version is still a wall.
 */
export const Wall = z.object({
  id: z.string(),
  tools: Names,
  scope: part(
    z.object({
      read: Names,
      write: Names,
      deny: Names,
      evidence: z.string(),
      web: z.object({ hosts: Names, private: z.boolean().default(false) }),
    }),
  ),
  sandbox: part(SandboxMode),
  commands: part(z.array(Rule)),
  approval: part(z.object({ policy: z.string(), tools: Names })),
  ceiling: part(z.object({ sandbox: SandboxMode, write: Names, commands: z.array(Rule) })),
  role: part(Role),
  entry: part(Names),
  exit: part(z.array(z.object({ when: z.string(), to: Names }))),
  context: part(Names),
  phases: part(z.array(z.object({ id: z.string(), tools: Names, outputs: Names, back: Names.optional() }))),
  /** What its phases are those of a cycle of. */
  cycle: z.string().optional().catch(undefined),
  limits: part(z.object({ stepsPerTurn: z.int(), stepsPerSession: z.int() })),
})
export type Wall = z.infer<typeof Wall>

/**
 * The walls that were declared, by their hashes; and when the first was: from then on, none goes up undeclared. And who
 * accepted what the tools of other servers are, by the entries that say so.
 */
export type Walls = {
  of: (hash: string) => Wall | null
  since: () => string | null
  pin: (id: string) => Pin | null
  /** Where a turn that was waited for ended; null where it did not. */
  ended: (turn: string) => number | null
  /** What was done in the steps that an undertaking names; and the phase that one was in at a place of the store. */
  deeds: Deeds
  phaseAt: (undertaking: string, position: number) => string | null
}
