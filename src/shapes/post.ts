import { z } from 'zod'
import { Author } from './evidence.ts'
import { Id } from './message.ts'
import { Name } from './room.ts'

/**
 * What a room reads: a view of one evidence entry, made for people.
 * `text` is untrusted (chat, files, tool output): a face shows it, and never interprets it.
 */
export const Post = z.strictObject({
  /** The position of the entry it shows: followers resume after it, so nothing is shown twice or lost. */
  position: z.int(),
  id: Id,
  at: z.iso.datetime(),
  room: Name,
  /**
   * said: a person's line · accepted: work was taken · working: an agent began a turn ·
   * step: a tool call was let through, and again when it ended · answer: what an agent or a command answered ·
   * refusal: why not · notice: who came and went, the room's mode
   */
  kind: z.enum(['said', 'accepted', 'working', 'step', 'answer', 'refusal', 'notice']),
  author: Author,
  text: z.string(),
  session: Id.nullable(),
  turn: Id.nullable(),
  /** For steps: which one, and how it stands. Two posts of one step share the id. */
  step: z.strictObject({ id: Id, state: z.enum(['running', 'ok', 'failed', 'interrupted', 'refused']) }).nullable(),
})
export type Post = z.infer<typeof Post>
