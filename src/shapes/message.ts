import { z } from 'zod'
import { Sender, Spoken } from './network.ts'
import { Face, Name } from './room.ts'

/** Ids that may appear in an address, a file name and a BullMQ job: no colon, no slash. */
export const Id = z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/, 'expected an id of letters, digits, ".", "_", "~", "-"')

export const MESSAGE_BYTES = 16_384

/** A message's own id has no dot: the ids of what follows from it are made by adding one. */
export const MessageId = z.string().regex(/^[A-Za-z0-9_~-]{1,64}$/, 'expected an id of letters, digits, "_", "~", "-"')

/**
 * Ids that Bellhop makes itself, of what agents ring, of pages, of the work queue, of undertakings and of games: nobody else has a
 * message by them.
 */
const OWN = /^(?:bell-[0-9a-f]{32}|page-[0-9a-f]{20}|tickle-w-\d+-\d+|w-\d+|undertaking~.*|world-.*-\d+)$/

export const isOwnId = (id: string): boolean => OWN.test(id)

/** What an adapter makes of a line of chat. The same id twice is the same message: it is answered again, not done again. */
export const Message = z.strictObject({
  id: MessageId,
  face: Face,
  room: Name,
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'expected some text')
    .refine((text) => Buffer.byteLength(text) <= MESSAGE_BYTES, `expected at most ${MESSAGE_BYTES} bytes`),
  /** The command it is, where a program says so: the text then only shows it. */
  command: z.strictObject({ name: z.string().max(64), input: z.record(z.string(), z.unknown()) }).optional(),
  /** What the face knows of the sender: a token, and the name it asks to speak as; or who the network says it is. */
  credential: z.strictObject({ token: z.string(), as: Spoken.nullable(), sender: Sender.optional() }),
})
export type Message = z.infer<typeof Message>

/** Of a message: coordination (talk, commands) or action (work for an agent). */
export const MessageMode = z.enum(['coordination', 'action'])
export type MessageMode = z.infer<typeof MessageMode>

/** One piece of work a message gave out: a turn of one agent in its session. */
export const Assignment = z.strictObject({
  turn: Id,
  session: Id,
  agent: Name,
  peripheral: z.string(),
})
export type Assignment = z.infer<typeof Assignment>

/** The answer to every message that was not refused. Given once it is in the evidence store, not before. */
export const Receipt = z.strictObject({
  message: MessageId,
  room: Name,
  mode: MessageMode,
  /** Work given out; empty for talk and commands. */
  assignments: z.array(Assignment),
  /** What a command answered, for people to read; null where there was none. */
  answer: z.string().nullable(),
  /** For whoever asked and nobody else: it is in no evidence, and said once. */
  whisper: z.string().optional(),
  /** Why nothing was made of it, where that is on purpose: nobody is told. */
  dropped: z.string().optional(),
})
export type Receipt = z.infer<typeof Receipt>
