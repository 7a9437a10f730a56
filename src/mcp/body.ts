import type { IncomingMessage } from 'node:http'
import { jsonSize } from '../lib/json-size.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { McpLimits } from './house.ts'

/** Reads a request once, and no more of it than is allowed. */
export const readBody = async (request: IncomingMessage, limits: McpLimits): Promise<Result<unknown>> => {
  const { bodyBytes, bodyMs } = limits
  const tooLarge = refused(refusal('request-too-large', `a request may have ${bodyBytes} bytes`))
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return tooLarge
  const late = AbortSignal.timeout(bodyMs)
  const stop = () => request.destroy()
  late.addEventListener('abort', stop)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bodyBytes) return tooLarge
      chunks.push(chunk)
    }
    return parse(Buffer.concat(chunks).toString('utf8'), limits)
  } catch {
    return refused(refusal('request-invalid', 'the request came to no end'))
  } finally {
    late.removeEventListener('abort', stop)
  }
}

const parse = (text: string, { depth, elements, batch }: McpLimits): Result<unknown> => {
  const no = (what: string) => refused(refusal('request-invalid', what))
  const size = jsonSize(text)
  if (size.depth > depth) return no(`a request may be nested ${depth} deep`)
  if (size.elements > elements) return no(`a request may have ${elements} values`)
  try {
    const body: unknown = JSON.parse(text)
    return Array.isArray(body) && body.length > batch ? no(`${batch} messages may come at once`) : ok(body)
  } catch {
    return no('the request is no JSON')
  }
}
