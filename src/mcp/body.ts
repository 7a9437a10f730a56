import type { IncomingMessage } from 'node:http'
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
  const size = sizeOf(text)
  // Found out before it is parsed: what is nested too deeply would break whatever walks through it.
  if (size.depth > depth) return no(`a request may be nested ${depth} deep`)
  if (size.elements > elements) return no(`a request may have ${elements} values`)
  try {
    const body: unknown = JSON.parse(text)
    return Array.isArray(body) && body.length > batch ? no(`${batch} messages may come at once`) : ok(body)
  } catch {
    return no('the request is no JSON')
  }
}

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPENS = new Set([91, 123])
const CLOSES = new Set([93, 125])

/** How deep a text of JSON is nested at most, and how many values it has at most. */
const sizeOf = (text: string): { depth: number; elements: number } => {
  let deep = 0
  let depth = 0
  let elements = 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (OPENS.has(code)) {
      deep += 1
      elements += 1
      depth = Math.max(depth, deep)
    } else if (CLOSES.has(code)) deep -= 1
    else if (code === COMMA) elements += 1
  }
  return { depth, elements }
}

const endOfString = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i += 1
    else if (code === QUOTE) return i
  }
  return text.length
}
