import { z } from 'zod'
import { Author } from './evidence.ts'
import { Id } from './message.ts'
import { Name } from './room.ts'
import { BulletinKind, Situation } from './situation.ts'

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
   * aside: what an agent says on the way · refusal: why not · notice: who came and went, the room's mode, a hop · approval: a person is asked, or has decided
   */
  kind: z.enum(['said', 'accepted', 'working', 'step', 'answer', 'aside', 'refusal', 'notice', 'approval']),
  author: Author,
  text: z.string(),
  session: Id.nullable(),
  turn: Id.nullable(),
  /** For steps: which one, and how it stands. Two posts of one step share the id. */
  step: z.strictObject({ id: Id, state: z.enum(['running', 'ok', 'failed', 'interrupted', 'refused']) }).nullable(),
  /** For approvals: the name people answer by, and how it stands. Two posts of one approval share the name. */
  approval: z
    .strictObject({
      name: z.string(),
      state: z.enum(['open', 'approved', 'denied', 'lapsed']),
      until: z.string().nullable(),
    })
    .nullable(),
  /** For bulletins: which kind, and how things stand; the text says the same in words. */
  bulletin: z.strictObject({ kind: BulletinKind, situation: Situation }).optional(),
})
export type Post = z.infer<typeof Post>

/** What a step is saying while it runs: shown, and gone; the evidence has what it said in the end. */
export const Progress = z.strictObject({ room: Name, session: Id, step: Id, text: z.string() })
export type Progress = z.infer<typeof Progress>

/** So many posts of a room next to a position: back from it, or onward. */
export type PlaceOfPosts = { room: string; order: 'newest' | 'oldest'; position: number; count: number }
