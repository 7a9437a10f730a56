import { z } from 'zod'
import { HouseType } from './agent.ts'
import { SandboxMode } from './peripheral.ts'
import { Name } from './room.ts'
import { Budget } from './usage.ts'

/**
 * A named way to work, for a room or a thread: which model, how programs are run, what a person is asked, how much may be
 * used. It narrows what the walls open, and never widens it.
 */
export const Profile = z.strictObject({
  summary: z.string().min(1),
  /** The model of each type of agent; of those that are not named, what their config says. */
  models: z.partialRecord(HouseType, z.string().min(1)).default({}),
  /** The widest sandbox that programs run in. */
  sandbox: SandboxMode.exclude(['full']).optional(),
  /** Whether a person is asked before anything is changed or run. */
  approval: z.enum(['as-declared', 'always']).default('as-declared'),
  budget: Budget.default({}),
})
export type Profile = z.infer<typeof Profile>

export const Profiles = z.record(Name, Profile)
export type Profiles = z.infer<typeof Profiles>
