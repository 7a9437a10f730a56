import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import { oneLine } from '../../lib/plain.ts'

/** What the program answers to a request; `gone` where nobody is there to answer. */
export type Answer = { ok: true; result: unknown } | { ok: false; message: string; gone: boolean }

type Options = {
  write: (line: string) => boolean
  /** It tells something. */
  told: (method: string, params: unknown) => void
  /** It asks something; what is answered is what it gets, and where that is undefined, that nobody knows. */
  asked: (method: string, params: unknown) => unknown
  log: (message: string, fields: Record<string, unknown>) => void
}

const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})

/** As much of a line that is no message as is written down. */
const SHOWN = 200

/** Requests, answers and notices, one a line in each direction: JSON-RPC without its version. */
export const createWire = ({ write, told, asked, log }: Options) => {
  const waiting = new Map<number, (answer: Answer) => void>()
  let next = 0
  let gone: string | null = null

  const hear = (line: string): void => {
    const { data } = Message.safeParse(parseJson(line))
    if (data === undefined) log('said what is no message', { line: oneLine(line.slice(0, SHOWN), SHOWN) })
    else take(data)
  }

  const take = ({ id, method, params, result, error }: z.infer<typeof Message>): void => {
    if (method === undefined) settle(Number(id), error ? no(error.message) : { ok: true, result })
    else if (id === undefined) told(method, params)
    else reply(id, asked(method, params))
  }

  const settle = (id: number, answer: Answer): void => {
    const done = waiting.get(id)
    waiting.delete(id)
    done?.(answer)
  }

  const reply = (id: string | number, result: unknown): void => {
    const unknown = { error: { code: -32601, message: 'there is nobody to ask' } }
    write(JSON.stringify(result === undefined ? { id, ...unknown } : { id, result }))
  }

  return {
    hear,
    tell: (method: string): void => void write(JSON.stringify({ method })),
    /** Asks something. It is always answered: at the latest when nobody is there any more, or when the time is over. */
    ask: (method: string, params: unknown, ms: number | null): Promise<Answer> =>
      new Promise((resolve) => {
        const id = next++
        const timer = ms === null ? null : setTimeout(() => settle(id, no(`no answer to ${method} in ${ms} ms`)), ms)
        waiting.set(id, (answer) => {
          if (timer !== null) clearTimeout(timer)
          resolve(answer)
        })
        if (gone !== null || !write(JSON.stringify({ method, id, params })))
          settle(id, { ...no(gone ?? 'the program has ended'), gone: true })
      }),
    /** Nobody is there any more. */
    close: (why: string): void => {
      gone = why
      for (const id of [...waiting.keys()]) settle(id, { ...no(why), gone: true })
    },
  }
}

const no = (message: string) => ({ ok: false as const, message, gone: false })
