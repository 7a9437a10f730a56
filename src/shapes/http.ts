import { z } from 'zod'
import { ItemEvent } from './item.ts'
import { Id, Receipt } from './message.ts'
import { Name } from './room.ts'

/** A line as it is said over HTTP; the door adds the face and the credential. */
export const Said = z.strictObject({
  room: z.string().default('lobby').describe('which room'),
  text: z.string().describe('the line'),
  id: z.string().optional().describe('the same id twice is the same line: it is answered again, not done again'),
  as: z.string().nullable().default(null).describe('the name to speak as, for the admin'),
})
export type Said = z.infer<typeof Said>

/** What is said of a command beside its input: in the address. */
export const Aimed = Said.omit({ text: true })

/** A file that is brought to a room, or had back: the room, and its name. */
export const UploadWanted = z.strictObject({
  room: Name.default('lobby').describe('which room'),
  name: z.string().min(1).max(200).describe('what it is called'),
})

const Position = z.coerce.number().int().nonnegative()

/** What of a room's posts is wanted. */
export const PostsWanted = z.strictObject({
  room: Name.default('lobby').describe('which room'),
  after: Position.optional().describe('the position of the last post that was seen'),
  seen: Id.optional().describe('the id of that post: where another is there now, the evidence was replaced'),
  tail: z.coerce.number().int().min(1).max(200).optional().describe('how many of the last posts to begin with'),
})

/** Whose items are wanted, and after which. */
export const ItemsWanted = z
  .strictObject({
    turn: Id.optional().describe('the items of this turn, up to its end'),
    room: Name.optional().describe('the items of this room'),
    after: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,3})?$/, 'expected the id of an event')
      .optional()
      .describe('the id of the last event that was seen'),
  })
  .refine(({ turn, room }) => (turn === undefined) !== (room === undefined), 'expected a turn, or a room')

/** That a process is there and its event loop turns: who is answered at all knows that. */
export const Alive = z.strictObject({ alive: z.literal(true), version: z.string() })
export type Alive = z.infer<typeof Alive>

/** Whether a process can take work, and why not. It gives away no more than names of parts and how each of them is. */
export const Health = z.strictObject({
  ready: z.boolean(),
  version: z.string(),
  /** The parts, and how each of them is. */
  up: z.record(z.string(), z.string()),
  /** What keeps it from being ready; empty where it is. */
  reasons: z.array(z.string()),
})
export type Health = z.infer<typeof Health>

/** What `bellhop exec --json` says, one to a line: that it was taken, the items as they come, and how it ended. */
export const ExecLine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('receipt'), receipt: Receipt }),
  ...ItemEvent.options,
  z.strictObject({
    kind: z.literal('outcome'),
    outcome: z.enum(['done', 'failed', 'refused', 'timeout', 'interrupted']),
    /** What the agent answered, why it was refused, or what there was until then. */
    answer: z.string(),
    /** What the program exits with. */
    exit: z.int(),
  }),
])
export type ExecLine = z.infer<typeof ExecLine>
