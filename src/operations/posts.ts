import { z } from 'zod'
import { Post } from '../shapes/post.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { defineOperation } from './operation.ts'
import { roleAt } from './standing.ts'

const Count = z.coerce.number().int()

export const posts = defineOperation({
  name: 'posts',
  summary: 'what was said and done in a room before a place, as people read it there',
  example: 'posts lobby limit=20',
  positional: ['room'],
  input: z.strictObject({
    room: Name.describe('which room'),
    before: Count.positive()
      .optional()
      .describe('the position that they are to be before; the end where none is given'),
    limit: Count.min(1).max(200).default(50).describe('how many, up to 200'),
  }),
  output: z.strictObject({ room: Name, posts: z.array(Post), older: z.boolean() }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ room, before, limit }, context) => {
    // Whether there is a room that somebody may not look into is not said either.
    if (!(await context.isRoom(room)) || (await roleAt(room, context)) === null)
      return refused(refusal('room-unknown', `there is no room ${room}`))
    const position = before ?? (await context.store.head()) + 1
    return ok({ room, ...(await context.postsBefore({ room, position, count: limit })) })
  },
  render: ({ posts: all }) =>
    all.map(({ author, text }) => `${author.id}: ${text}`).join('\n') || 'nothing was said before that',
})
