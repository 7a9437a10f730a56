import { z } from 'zod'
import { PeripheralId } from './peripheral.ts'
import { Name } from './room.ts'
import { Budget } from './usage.ts'

/** The version of the readiness handshake that this Bellhop speaks. */
export const PROTOCOL = 1

/** The kinds of agents that the house itself has. */
export const HouseType = z.enum(['claude', 'codex', 'tickle'])

/** The agent that people are who take steps themselves: what it signs says by `via` who that was. */
export const BY_HAND = 'by-hand'

/** The kind of an agent: `claude`, `codex`, `tickle`, or a user's own. */
export const AgentType = Name
export type AgentType = z.infer<typeof AgentType>

/**
 * How an agent is run: by the program of its type, or as a rehearsal, which is deterministic and needs no model. `auto` is
 * the program where there is one that works, and a rehearsal, which says so, where there is none.
 */
export const RunnerName = z.enum(['claude', 'codex', 'rehearsal'])
export type RunnerName = z.infer<typeof RunnerName>
const RunnerChoice = z.enum(['auto', ...RunnerName.options])

/** The name of an environment variable: secrets are never in a config. */
export const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a variable such as "DOCS_HOME"')

/** What the config says of an agent. */
export const AgentConfig = z.strictObject({
  id: Name,
  type: HouseType,
  runner: RunnerChoice.default('auto'),
  /** The peripheral it starts in when a request names none. */
  peripheral: PeripheralId,
  /** All that it can inhabit, where that is not every one there is. */
  peripherals: z.array(PeripheralId).min(1).optional(),
  /** The program, where it is not `claude` or `codex` on the PATH; and its version, where others than the tested are wanted. */
  program: z.string().min(1).optional(),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+/, 'expected a version such as "2.1.325"')
    .optional(),
  model: z.string().min(1).optional(),
  /** The model that is taken when the first is overloaded or has no quota left. */
  fallback: z.string().min(1).optional(),
  /** Who serves the model, where that is not the program's own provider: a gateway, or a model on this machine. */
  provider: z.strictObject({ url: z.url({ protocol: /^https?$/ }) }).optional(),
  /** The environment variable with the key, where the program is not signed in by `bellhop login`. */
  key: Variable.optional(),
  budget: Budget.default({}),
  /** What it is told besides, for all of its work. */
  instructions: z.string().max(8000).default(''),
  /** After how many minutes a turn is told that it takes long; it is not ended by that. */
  deadlineMinutes: z.number().positive().default(30),
  /** After how many seconds without a word a model is held to hang. */
  quietSeconds: z.number().positive().default(180),
  /** Whether it works in a checkout of its own, which `/merge` brings back. */
  worktree: z.boolean().default(false),
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

/** An agent by its id, or by its type: the first of its kind. */
export const agentCalled = <A extends { id: string; type: string | null }>(
  name: string,
  agents: readonly A[],
): A | undefined => agents.find(({ id }) => id === name) ?? agents.find(({ type }) => type === name)

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
  /** What it is at from the first moment on, as one that rehearses. */
  activity: z.string().optional(),
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
