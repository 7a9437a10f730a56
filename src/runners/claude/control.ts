import { setTimeout } from 'node:timers/promises'
import type { Program } from '../program.ts'
import { askingLine, type Line } from './wire.ts'

/** What the program answered; null where it did not, in time or at all. */
export type Answer = Extract<Line, { type: 'control_response' }>['response'] | null

/** Asks the program for something that is not for its model. */
export const createControl = (write: Program['write']) => {
  const asked = new Map<string, (answer: Answer) => void>()
  let count = 0
  return {
    ask: async (request: Record<string, unknown>, ms: number): Promise<Answer> => {
      const id = `bellhop-${++count}`
      const answered = new Promise<Answer>((resolve) => asked.set(id, resolve))
      if (!write(askingLine(id, request))) asked.get(id)?.(null)
      const answer = await Promise.race([answered, setTimeout(ms, null, { ref: false })])
      asked.delete(id)
      return answer
    },
    heard: ({ response }: Extract<Line, { type: 'control_response' }>): void =>
      asked.get(response.request_id)?.(response),
    /** Nobody is there any more who could answer. */
    end: (): void => {
      for (const resolve of asked.values()) resolve(null)
    },
  }
}
