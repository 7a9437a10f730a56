import type { BodyOf, EventName } from '../../src/shapes/evidence.ts'
import type { Several } from '../support/several.ts'
import { type Spread, spreadOf } from './load-numbers.ts'

/** What the evidence says of the work since a place in it: how many there were of each, how long they took, what failed. */
export type Work = {
  messages: number
  turns: number
  steps: number
  entries: number
  queue: Spread
  turn: Spread
  step: Spread
  failed: string[]
}

export const workSince = async ({ store }: Several, after: number): Promise<Work> => {
  const accepted = new Map<string, number>()
  const begun = new Map<string, number>()
  const took = { queue: [] as number[], turn: [] as number[], step: [] as number[] }
  const failed: string[] = []
  let [messages, entries] = [0, 0]
  const since = (from: Map<string, number>, id: string, now: number) => now - (from.get(id) ?? now)
  const take: { [E in EventName]?: (body: BodyOf<E>, now: number, id: string) => unknown } = {
    message: () => messages++,
    accepted: (_body, now, id) => accepted.set(id, now),
    'turn-started': ({ turn }, now) => took.queue.push(since(accepted, turn, now)),
    'step-intended': ({ step }, now) => begun.set(step, now),
    'step-ended': ({ step }, now) => took.step.push(since(begun, step, now)),
    'turn-ended': ({ turn, outcome, answer }, now) => {
      took.turn.push(since(accepted, turn, now))
      if (outcome !== 'done') failed.push(`${outcome}: ${answer.slice(0, 100)}`)
    },
  }
  for await (const page of store.pages(null, after)) {
    for (const { id, at, body } of page) {
      entries++
      const look = take[body?.event] as ((body: unknown, now: number, id: string) => unknown) | undefined
      look?.(body, Date.parse(at), id)
    }
  }
  return {
    messages,
    entries,
    turns: took.turn.length,
    steps: took.step.length,
    queue: spreadOf(took.queue),
    turn: spreadOf(took.turn),
    step: spreadOf(took.step),
    failed,
  }
}
