import { z } from 'zod'
import { PeripheralId } from './peripheral.ts'
import { Name } from './room.ts'

/** The version of the readiness handshake that this Bellhop speaks. */
export const PROTOCOL = 1

/** The kinds of agents that the house itself has. */
export const HouseType = z.enum(['claude', 'codex', 'tickle'])

/** The kind of an agent: `claude`, `codex`, `tickle`, or a user's own. */
export const AgentType = Name
export type AgentType = z.infer<typeof AgentType>

/** How an agent is run. A rehearsal is deterministic and needs no model. */
const Runner = z.enum(['rehearsal'])

/** What the config says of an agent. */
export const AgentConfig = z.strictObject({
  id: Name,
  type: HouseType,
  runner: Runner,
  /** The peripheral it starts in when a request names none. */
  peripheral: PeripheralId,
  /** All that it can inhabit, where that is not every one there is. */
  peripherals: z.array(PeripheralId).min(1).optional(),
})
export type AgentConfig = z.infer<typeof AgentConfig>

/** An agent that work can be given to, as far as the house knows it: by its config, or by a token that was made for it. */
export type KnownAgent = {
  id: string
  type: string
  peripheral: string
  /** All that it may inhabit, where that is not every one there is. */
  peripherals?: readonly string[] | undefined
  /** The one room it works in, where it is not every one. */
  room?: string
}

/** Step 1 of the handshake: who wants to join, speaking what, able to do what. */
export const Registration = z.strictObject({
  id: Name,
  type: AgentType,
  protocol: z.int(),
  peripherals: z.array(PeripheralId).min(1),
  /** Which process speaks for the agent: one at a time. */
  holder: z.string().regex(/^\S+$/),
})
export type Registration = z.infer<typeof Registration>

/** Step 2: what Bellhop asks back. */
export const Challenge = z.strictObject({
  nonce: z.string(),
  protocol: z.int(),
  /** The peripherals that were agreed on: the intersection of what is offered and what is configured. */
  peripherals: z.array(PeripheralId).min(1),
})
export type Challenge = z.infer<typeof Challenge>

export const Probe = z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string() })
export type Probe = z.infer<typeof Probe>

/** Step 3: the nonce answered with the instance's secret, and what the runner saw when it looked. */
export const Proof = z.strictObject({
  id: Name,
  holder: z.string(),
  answer: z.string(),
  probes: z.array(Probe).min(1),
})
export type Proof = z.infer<typeof Proof>

/** Present is not ready: `ready` is proved and kept by a lease, `lapsed` had one and lost it. */
export const Readiness = z.enum(['registered', 'ready', 'lapsed', 'absent', 'broken'])
export type Readiness = z.infer<typeof Readiness>

/** One row of who is here. */
export const Presence = z.strictObject({
  id: z.string(),
  type: AgentType.nullable(),
  readiness: Readiness,
  peripherals: z.array(PeripheralId),
  reason: z.string().nullable(),
  /** What it says that it is doing, while it is ready: shown, and nothing else. */
  activity: z.string().optional(),
})
export type Presence = z.infer<typeof Presence>
