import { z } from 'zod'
import { Id } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'
import { roleAt } from './standing.ts'

const SHORTEST = 200
const LONGEST = 16000

export const more = defineOperation({
  name: 'more',
  summary: 'go on with a text that was too long to be shown at once',
  example: 'more 01hxyz.claude-1.ended from=1500',
  positional: ['post', 'from'],
  input: z.strictObject({
    post: Id.describe('the text, by the name it was shown with'),
    from: z.coerce.number().int().nonnegative().default(0).describe('from which character on'),
    length: z.coerce.number().int().min(SHORTEST).max(LONGEST).default(1500).describe('how many characters at most'),
  }),
  output: z.strictObject({
    post: Id,
    text: z.string(),
    /** Where it goes on; null at its end. */
    next: z.int().nullable(),
    total: z.int(),
  }),
  role: 'viewer',
  open: true,
  reads: true,
  offline: false,
  run: async ({ post, from, length }, context) => {
    const found = await context.postOf(post)
    // Whether there is such a one in a room that somebody may not look into is not said either.
    const unseen = found && found.room !== context.room && (await roleAt(found.room, context)) === null
    if (!found || unseen) return refused(refusal('entry-unknown', `no room shows anything by the name of ${post}`))
    return ok({ post, ...pieceOf(found.text, from, length), total: found.text.length })
  },
  render: ({ post, text, next, total }) => {
    if (text === '') return `that was all of ${post}`
    return next === null ? text : `${text.trimEnd()}\n(${total - next} more characters: /more ${post} ${next})`
  },
})

/** A piece of a text, up to where a line or a word ends, where one does in its second half; and where the next begins. */
const pieceOf = (whole: string, wanted: number, length: number): { text: string; next: number | null } => {
  const from = isInside(whole, wanted) ? wanted - 1 : wanted
  const most = from + length
  if (most >= whole.length) return { text: whole.slice(from), next: null }
  const piece = whole.slice(from, most)
  const line = piece.lastIndexOf('\n') + 1
  const word = piece.lastIndexOf(' ') + 1
  const cut = [line, word].find((end) => end > length / 2) ?? length
  const next = isInside(whole, from + cut) ? from + cut - 1 : from + cut
  return { text: whole.slice(from, next), next }
}

/** Whether a place is in the middle of a character that takes two. */
const isInside = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1)) && /^[\uDC00-\uDFFF]$/.test(text.charAt(at))
