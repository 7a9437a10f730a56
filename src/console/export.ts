import { stream } from 'hono/streaming'
import { answerRefusal } from './guard.ts'
import type { Console, Context } from './house.ts'

const HEADERS = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': 'attachment; filename="bellhop-evidence.jsonl"',
}

/** What was found, as a file: a line of JSON for each entry, sent no faster than it is read. */
export const sendEvidence = async (c: Context, house: Console): Promise<Response> => {
  const gone = new AbortController()
  const lines = await house.exportEvidence(c.req.query(), gone.signal)
  if (!lines.ok) return answerRefusal(c, lines.refusal)
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
  return stream(c, async (out) => {
    out.onAbort(() => gone.abort())
    try {
      for await (const text of lines.value) {
        if (gone.signal.aborted) return
        await out.write(text)
      }
    } catch (error) {
      house.log('an export was cut off', { error: (error as Error).message })
      // Whoever reads it must not take what there is for all.
      c.env.outgoing?.destroy()
    }
  })
}
