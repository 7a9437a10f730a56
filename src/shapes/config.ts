import { z } from 'zod'
import { AgentConfig } from './agent.ts'
import { Room } from './room.ts'

const Days = z.number().positive().nullable()

/** What is let go after how many days: what nothing builds on, what was said and done, what of it is large. */
export const KeepPolicy = z.strictObject({ ephemeralDays: Days, bodyDays: Days, largeDays: Days })
export type KeepPolicy = z.infer<typeof KeepPolicy>

/** What `config/default.yaml` holds and a user's file may change. No secrets: those come by environment. */
export const Config = z.strictObject({
  http: z.strictObject({
    host: z.string(),
    port: z.int().min(0).max(65535),
    /** Host names besides localhost that this instance answers to. */
    hosts: z.array(z.string()),
  }),
  rooms: z.array(Room).min(1),
  agents: z.array(AgentConfig).min(1),
  lease: z.strictObject({
    /** How long an agent stays ready without a heartbeat. */
    ms: z.int().min(500),
    heartbeatMs: z.int().min(100),
  }),
  worker: z.strictObject({
    /** How many turns and how many tool steps one worker runs side by side. */
    turns: z.int().positive(),
    steps: z.int().positive(),
  }),
  evidence: z.strictObject({
    /** Whether the head of the store is signed, so that what is cut off later shows. */
    sign: z.boolean(),
    /** After how many days bodies are let go; null keeps them for ever. Entries and their chains always stay. */
    keep: KeepPolicy,
  }),
  /** How often lost jobs and lapsed leases are looked for. */
  sweepMs: z.int().min(100),
  /** How long a drain waits for running work before it gives up. */
  drainMs: z.int().min(100),
})
export type Config = z.infer<typeof Config>
