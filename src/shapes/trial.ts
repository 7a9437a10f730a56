import { z } from 'zod'
import { CommandRule, PeripheralId, SandboxMode, ToolCall } from './peripheral.ts'
import { Role } from './person.ts'
import { RefusalCode } from './refusal.ts'
import { Name } from './room.ts'

/** A call that is only held against the gate. Where no room or role is named, the best that could be true is taken. */
const Tried = z.strictObject({
  peripheral: PeripheralId,
  call: ToolCall,
  phase: z.string().nullable(),
  room: Name.nullable(),
  role: Role.nullable(),
})
export type Tried = z.infer<typeof Tried>

/** What the gate would say of a call, and what that takes for granted. */
export const Judged = z.strictObject({
  peripheral: PeripheralId,
  tool: z.string(),
  phase: z.string().nullable(),
  verdict: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('passes'),
      reads: z.array(z.string()),
      writes: z.array(z.string()),
      /** What lets it run, where it is a command; and the sandbox that it runs in. */
      command: CommandRule.nullable(),
      sandbox: SandboxMode.nullable(),
    }),
    /** A person is asked: why, and what a yes opens. */
    z.strictObject({ kind: z.literal('asks'), why: z.string(), opens: z.string(), writes: z.array(z.string()) }),
    z.strictObject({
      kind: z.literal('refused'),
      /** The number of the rule that it breaks, as `docs/peripherals.md` lists them; null where the gate failed. */
      rule: z.int().nullable(),
      code: RefusalCode,
      message: z.string(),
      remedy: z.string(),
    }),
  ]),
  /** What was taken for granted, a sentence each. */
  granted: z.array(z.string()),
})
export type Judged = z.infer<typeof Judged>
