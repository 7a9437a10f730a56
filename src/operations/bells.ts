import { z } from 'zod'
import { type Answered, answerTo, type Bell, lastBells, replyTo } from '../evidence/bells.ts'
import { oneLine } from '../lib/plain.ts'
import { Act, actIn, BELL_TEXT, MOST_SECONDS, Told, Way } from '../shapes/bell.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId } from '../shapes/peripheral.ts'
import { ok } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { TurnOutcome } from '../shapes/turn.ts'
import { defineOperation, defineWork, type Gives } from './operation.ts'
import { agentNamed } from './sessions.ts'

const rings = {
  agent: Name.describe('who is rung for, by id or type'),
  text: z
    .string()
    .max(BELL_TEXT)
    .refine((text) => text.trim() !== '', 'expected some text')
    .describe('what is said; it may begin with what it is, such as query:'),
  act: Act.optional().describe('what it is, where the text does not say so; a request otherwise'),
  ref: Id.optional().describe('the bell it is about; an answer needs one'),
  peripheral: PeripheralId.optional().describe('behind which wall; otherwise the agent’s own'),
}

const Rings = z.strictObject(rings)

/** What is asked for by ringing: the plain words, and beside them the bell. */
const given = (way: Way, { agent, text, act, ref, peripheral }: z.infer<typeof Rings>): Gives => {
  const said = act === undefined ? actIn(text) : { act, text: text.trim() }
  const bell = { way, act: said.act ?? 'request', ref: ref ?? null }
  return { agent, peripheral: peripheral ?? null, request: said.text, bell }
}

export const bell = defineWork({
  name: 'bell',
  summary: 'ask an agent for something, or tell it something: query, request, assert, answer, …; answers with the job',
  example: 'bell claude query: is it done?',
  positional: ['agent', 'text'],
  rest: 'text',
  input: Rings,
  tells: true,
  gives: (input) => given('bell', input),
})

/** How long is waited for a whistle where nothing else is said, over a door that can wait. */
export const WHISTLE_SECONDS = 60

export const whistle = defineWork({
  name: 'whistle',
  summary: 'ask an agent and wait for its answer; when the seconds are over, only the wait is',
  example: 'whistle claude query: is it done? seconds=120',
  positional: ['agent', 'text'],
  rest: 'text',
  input: Rings.extend({
    seconds: z.coerce
      .number()
      .min(0)
      .max(MOST_SECONDS)
      .default(WHISTLE_SECONDS)
      .describe('how long a program that asks waits; in a room the answer comes when it comes'),
  }),
  gives: (input) => given('whistle', input),
})

const BellRow = z.strictObject({
  bell: Id,
  job: Id,
  from: z.string(),
  to: Name,
  way: Way,
  act: Act,
  text: z.string(),
  room: z.string(),
  ref: Id.nullable(),
  crosses: Id.nullable(),
  at: z.iso.datetime(),
  /** How it was answered; null where it was not yet. */
  answer: z.strictObject({ outcome: TurnOutcome, told: Told, why: z.string(), at: z.iso.datetime() }).nullable(),
})
type BellRow = z.infer<typeof BellRow>

const LATELY = 10

export const bells = defineOperation({
  name: 'bells',
  summary: 'who rang for whom and waits for an answer, what crosses, and what was answered lately',
  example: 'bells agent=codex-1',
  positional: [],
  input: z.strictObject({ agent: Name.optional().describe('those from this agent and for it') }),
  output: z.strictObject({
    open: z.array(BellRow).describe('without an answer, the oldest first'),
    lately: z.array(BellRow).describe('answered last, the newest first'),
    now: z.iso.datetime(),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ agent: name }, { store, who, now }) => {
    const agent = name === undefined ? null : agentNamed(name, await who())
    const open: BellRow[] = []
    const lately: BellRow[] = []
    for (const one of await lastBells(store)) {
      if (agent !== null && one.from !== agent && one.to !== agent) continue
      const answer = await answerTo(store, one.bell)
      // An answer owes nobody anything; and who has answered in so many words, neither.
      const settled = answer !== null || one.act === 'answer' || (await replyTo(store, one)) !== null
      if (!settled) open.push(rowOf(one, null))
      else if (lately.length < LATELY) lately.push(rowOf(one, answer))
    }
    return ok({ open: open.reverse(), lately, now: new Date(now()).toISOString() })
  },
  render: ({ open, lately, now }) =>
    [
      ...open.map((row) => `${row.to} owes ${row.from} an answer since ${since(row.at, now)}: ${lineOf(row)}`),
      ...lately.map((row) => `${row.from} rang for ${row.to}, ${toldText(row)}: ${lineOf(row)}`),
    ].join('\n') || 'nobody rang for anybody',
})

const rowOf = ({ byAgent: _, session: __, position: ___, ...bell }: Bell, answer: Answered | null): BellRow => ({
  ...bell,
  answer: answer && { outcome: answer.outcome, told: answer.told, why: answer.why, at: answer.at },
})

const WORDS = 100

const lineOf = ({ bell, act, text, crosses }: BellRow): string =>
  `${act}: ${oneLine(text, WORDS)} (${bell})${crosses === null ? '' : `; CROSSES ${crosses}`}`

const toldText = ({ act, answer }: BellRow): string => {
  if (answer === null || act === 'answer') return act === 'answer' ? 'to answer' : 'and was answered by a bell'
  const why = answer.why === '' ? '' : ` (${oneLine(answer.why, WORDS)})`
  return `${answer.outcome}, ${answer.told}${why}`
}

const MINUTE_S = 60
const HOUR_S = 3600

const since = (at: string, now: string): string => {
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(at)) / 1000))
  if (seconds < 2 * MINUTE_S) return `${seconds} s`
  return seconds < 2 * HOUR_S ? `${Math.floor(seconds / MINUTE_S)} min` : `${Math.floor(seconds / HOUR_S)} h`
}
