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
  summary: 'what was said and done in a room before or after a place, as people read it there',
  example: 'posts lobby limit=20',
  positional: ['room'],
  input: z.strictObject({
    room: Name.describe('which room'),
    before: Count.positive()
      .optional()
      .describe('the position that they are to be before; the end where none is given'),
    after: Count.nonnegative().optional().describe('the position that they are to be after, instead'),
    limit: Count.min(1).max(200).default(50).describe('how many, up to 200'),
  }),
  output: z.strictObject({ room: Name, posts: z.array(Post), older: z.boolean(), newer: z.boolean() }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ room, before, after, limit }, context) => {
    // Whether there is a room that somebody may not look into is not said either.
    if (!(await context.isOpenTo(room, context.person.face)) || (await roleAt(room, context)) === null)
      return refused(refusal('room-unknown', `there is no room ${room}`))
    if (before !== undefined && after !== undefined)
      return refused(
        refusal('command-invalid', 'posts are before a place or after one: give one of before= and after='),
      )
    const order = after === undefined ? 'newest' : 'oldest'
    const position = after ?? before ?? (await context.store.head()) + 1
    const { posts, more } = await context.postsAt({ room, order, position, count: limit })
    // What a place was given for is beyond it.
    const beyond = before !== undefined || after !== undefined
    return ok(
      after === undefined ? { room, posts, older: more, newer: beyond } : { room, posts, older: beyond, newer: more },
    )
  },
  render: ({ posts: all, older, newer }) => {
    const [first, last] = [all[0]?.position, all.at(-1)?.position]
    const lines = all.map(({ at, author, text }) => `${at.slice(0, 16).replace('T', ' ')} ${author.id}: ${text}`)
    const onward = [...(older ? [`older: before=${first}`] : []), ...(newer ? [`newer: after=${last}`] : [])]
    return all.length === 0 ? 'nothing was said there' : [...lines, ...onward].join('\n')
  },
})
