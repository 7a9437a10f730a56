import { z } from 'zod'
import { MOST_WORDS, type Ranked, rankSessions, recallSession, recallWords } from '../evidence/recall.ts'
import { count } from '../lib/count.ts'
import { Id } from '../shapes/message.ts'
import { EvidenceQuery } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'
import { tooLowAt } from './standing.ts'

const Row = z.strictObject({
  session: Id,
  agent: z.string(),
  room: z.string(),
  open: z.boolean(),
  /** What was asked first, and what its last turn came to. */
  about: z.string(),
  outcome: z.string().nullable(),
  began: z.string(),
  ended: z.string(),
  /** Which of the words it has, and in how many entries. */
  words: z.array(z.string()),
  hits: z.int(),
  /** The line that has most of them. */
  best: z.strictObject({ entry: Id, line: z.string() }).nullable(),
})
type Row = z.infer<typeof Row>

const Upto = (most: number) => z.coerce.number().int().min(1).max(most)

export const recall = defineOperation({
  name: 'recall',
  summary: 'search all sessions there ever were: what they were about, how they ended, and where the words are',
  example: 'recall retry lease agent=claude-1 since=30d',
  positional: ['words'],
  rest: 'words',
  input: z.strictObject({
    words: z
      .string()
      .max(500)
      .regex(/[\p{L}\p{N}_]/u, 'expected a word')
      .refine(
        (text) => !/(?:^|\s)[a-z]+=/i.test(text),
        'that is no filter: there is agent, room, since, limit and page',
      )
      .describe('what it had to do with; retr* is the beginning of a word'),
    agent: Name.optional().describe('sessions of this agent'),
    room: Name.optional().describe('sessions in this room or thread'),
    since: EvidenceQuery.shape.since.describe('what was written since this time, day or age (7d)'),
    limit: Upto(20).default(5).describe('how many on a page, up to 20'),
    page: Upto(1000).default(1).describe('which page'),
  }),
  output: z.strictObject({
    sessions: z.array(Row),
    /** How many there are in all, of those that whoever asks may look at: of others not even the number is told. */
    found: z.int(),
    /** The next page; null where this was the last. */
    next: z.int().nullable(),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ words: text, agent, room, since, limit, page }, context) => {
    const words = recallWords(text)
    if (words.length > MOST_WORDS)
      return refused(
        refusal('command-invalid', `${count(words.length, 'word')} are too many: name up to ${MOST_WORDS}`),
      )
    const of = agent === undefined ? undefined : agentNamed(agent, await context.who())
    const ranked = await rankSessions(context.store, { words, agent: of, room, since })
    if (!ranked.ok) return ranked
    const open = await openTo(ranked.value, context)
    const from = (page - 1) * limit
    const shown = await Promise.all(open.slice(from, from + limit).map((one) => recallSession(context.store, one)))
    const next = open.length > from + limit ? page + 1 : null
    return ok({ sessions: shown.filter((row) => row !== null), found: open.length, next })
  },
  render: ({ sessions, found, next }) =>
    found === 0
      ? 'no session has one of these words'
      : [
          ...sessions.map(rowText),
          ...(sessions.length === 0 ? [`there is no such page: ${count(found, 'session')} in all`] : []),
          ...(next === null ? [] : [`of ${count(found, 'session')}; more: page=${next}`]),
        ].join('\n'),
})

/** The sessions that whoever asks may look at: those of other rooms are left out before anything is counted. */
const openTo = async (ranked: readonly Ranked[], context: Context): Promise<Ranked[]> => {
  const rooms = new Map<string, boolean>()
  const open: Ranked[] = []
  for (const one of ranked) {
    const room = (await context.store.session(one.session))?.room
    if (room === undefined) continue
    const mayLook = rooms.get(room) ?? (await tooLowAt(room, 'viewer', 'to look at it', context)) === null
    rooms.set(room, mayLook)
    if (mayLook) open.push(one)
  }
  return open
}

const rowText = ({ session, agent, room, about, outcome, began, words, hits, best }: Row): string =>
  [
    `${began.slice(0, 16).replace('T', ' ')}  ${agent} in ${room}: ${about || '(nothing was asked)'} (${outcome ?? 'no turn ended'}) [${session}]`,
    `  ${words.join(', ')}: ${count(hits, 'entry', 'entries')}${best ? `; ${best.line} [${best.entry}]` : ''}`,
  ].join('\n')
