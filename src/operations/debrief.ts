import { z } from 'zod'
import { debriefOf } from '../evidence/debriefs.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { Debrief, type Findings } from '../shapes/debrief.ts'
import { Id } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'
import { tooLowAt } from './standing.ts'

export const debrief = defineOperation({
  name: 'debrief',
  summary: 'what there is to learn from a session: what was tried, what worked, what did not, surprises, suggestions',
  example: 'debrief claude-1',
  positional: ['session'],
  input: z.strictObject({
    session: Id.optional().describe(
      'a session, or an agent: its latest one here; the latest of all where none is named',
    ),
  }),
  output: z.strictObject({ agent: z.string(), room: z.string(), open: z.boolean(), debrief: Debrief }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ session: named }, context) => {
    const record = await sessionFor(named, context)
    if (!record) return refused(refusal('session-unknown', `there is no session ${named ?? 'here yet'}`))
    const { id, agent, room, open } = record
    const objection = await tooLowAt(room, 'viewer', 'to look at it', context)
    if (objection) return refused(objection)
    return ok({ agent, room, open, debrief: await debriefOf(context.store, id) })
  },
  render: ({ agent, room, open, debrief: { session, ...parts } }) =>
    [
      `${session}: ${agent} in ${room}${open ? ', which is open: so far' : ''}`,
      ...Object.entries(TITLES).flatMap(([part, title]) => partLines(title, parts[part as keyof typeof TITLES])),
    ].join('\n'),
})

const TITLES = {
  tried: 'tried',
  worked: 'worked',
  didNot: 'did not work',
  surprises: 'surprises',
  suggestions: 'suggestions',
} as const

const partLines = (title: string, { shown, more }: Findings): string[] =>
  shown.length === 0
    ? []
    : [
        `${title}:`,
        ...shown.map(({ says, from }) => `- ${says} [${from.join(', ')}]`),
        ...(more > 0 ? [`- and ${more} more`] : []),
      ]

/** How many sessions are looked at for the latest one of an agent. */
const LATEST = 200

/** A session by its id; else the latest of an agent, in this room where it has one here, of those that may be looked at. */
const sessionFor = async (named: string | undefined, context: Context): Promise<SessionRecord | null> => {
  const { store, room, who } = context
  const known = named === undefined ? null : await store.session(named)
  if (known) return known
  const agent = named === undefined ? null : agentNamed(named, await who())
  const sessions = (await store.sessions(LATEST)).filter((one) => agent === null || one.agent === agent)
  const rooms = new Set(sessions.map((one) => one.room))
  const hidden = new Set<string>()
  for (const one of rooms) if (await tooLowAt(one, 'viewer', 'to look at it', context)) hidden.add(one)
  const open = sessions.filter((one) => !hidden.has(one.room))
  return open.find((one) => one.room === room) ?? open[0] ?? null
}
