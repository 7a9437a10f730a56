import { z } from 'zod'
import { Role } from './person.ts'

/** One thing a command takes, as a face with forms shows it. */
export const CommandOption = z.strictObject({
  name: z.string(),
  summary: z.string(),
  required: z.boolean(),
  kind: z.enum(['text', 'integer', 'number', 'flag']),
  /** What it can be, where that is a short list. */
  choices: z.array(z.string()),
  /** What it names, where that can be completed. */
  names: z
    .enum(['agent', 'room', 'thread', 'turn', 'approval', 'session', 'peripheral', 'command', 'proof'])
    .nullable(),
})
export type CommandOption = z.infer<typeof CommandOption>

/** A command as a face sees it: made from a row of the table, or from a peripheral. */
export const Command = z.strictObject({
  name: z.string(),
  /** Other names it has in chat. */
  aliases: z.array(z.string()),
  summary: z.string(),
  usage: z.string(),
  example: z.string(),
  role: Role,
  /** Whether it only looks. */
  reads: z.boolean(),
  /** Whether it gives an agent work. */
  works: z.boolean(),
  options: z.array(CommandOption),
})
export type Command = z.infer<typeof Command>
