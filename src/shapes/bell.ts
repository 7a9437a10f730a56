import { z } from 'zod'
import { Id } from './message.ts'

/**
 * What somebody does by ringing · query, request, challenge, suggest: they want something of whoever is rung · answer: what
 * was asked before is answered · assert, agree, define, retract: they only tell something
 */
export const Act = z.enum([
  'query',
  'answer',
  'assert',
  'challenge',
  'agree',
  'define',
  'retract',
  'suggest',
  'request',
])
export type Act = z.infer<typeof Act>

const ASKING: ReadonlySet<Act> = new Set<Act>(['query', 'request', 'challenge', 'suggest'])

/** Whether there is something to be done for it, and not only to be known. */
export const asksFor = (act: Act): boolean => ASKING.has(act)

/** bell: told, and gone on at once · whistle: asked, and waited for */
export const Way = z.enum(['bell', 'whistle'])
export type Way = z.infer<typeof Way>

/** The bell that a turn was asked for by: its own id, who rang, how, and the bell that it refers to. */
export const TurnBell = z.strictObject({ bell: Id, from: z.string(), way: Way, act: Act, ref: Id.nullable() })
export type TurnBell = z.infer<typeof TurnBell>

/**
 * How whoever rang learnt what came of it · room: a person reads it there · resumed: a step that waited has it · rung: by a
 * bell of its own · kept: it was not told, and why
 */
export const Told = z.enum(['room', 'resumed', 'rung', 'kept'])
export type Told = z.infer<typeof Told>

/** As many characters as may be said by ringing; the longest that anybody waits; and the most jobs that one waits for. */
export const BELL_TEXT = 8000
export const MOST_SECONDS = 86_400
export const MOST_JOBS = 20

/** The bell of a turn that was rung for. */
export const bellOf = (job: string): string => `${job}.bell`

/** A text that may begin with what it is: `query: is it done?`. */
export const actIn = (text: string): { act: Act | null; text: string } => {
  const [, word = '', rest = ''] = /^\s*([a-z]+):\s*([\s\S]*)$/i.exec(text) ?? []
  const act = Act.safeParse(word.toLowerCase()).data
  return act && rest.trim() !== '' ? { act, text: rest.trim() } : { act: null, text: text.trim() }
}
