import { z } from 'zod'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Situation } from '../shapes/situation.ts'
import { defineOperation } from './operation.ts'

export const bulletin = defineOperation({
  name: 'bulletin',
  summary: 'how things stand in this room now: agents, work, approvals, budgets, missions',
  example: 'bulletin',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ situation: Situation, text: z.string() }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { room, rooms, bulletinOf }) => {
    const here = room ?? rooms[0]?.id
    return here === undefined ? refused(refusal('room-unknown', 'there is no room')) : ok(await bulletinOf(here))
  },
  render: ({ text }) => text,
})
