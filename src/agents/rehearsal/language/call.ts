/**
 * `use TOOL {json}`: a call that a person makes by hand. It is taken to the letter, so it is found in the request as
 * it was typed: no grammar looks into it, and nothing of it is changed.
 */
export type HandCall = { tool: string; args: Record<string, unknown> }

/** More calls than these are no plain request. */
const MOST_CALLS = 8
const HEAD = /use\s+(?:the\s+)?(?:tool\s+)?("(?:[^"\\\n]|\\.)*"|[^\s{]+)\s*(?=\{)/iy

/** Finds calls in a request: where the one that begins at a place ends, or null where none does or its braces stay open. */
export const createCalls = (request: string) => {
  let left = MOST_CALLS
  return (at: number): number | null => {
    const head = left > 0 && /u/i.test(request.charAt(at)) ? headAt(request, at) : null
    if (head === null) return null
    left--
    return closingBrace(request, head.end)
  }
}

/** The call that a stretch is; null where its arguments are no JSON object. */
export const callOf = (stretch: string): HandCall | null => {
  const head = headAt(stretch, 0)
  if (head === null) return null
  try {
    return { tool: toolOf(head.name), args: JSON.parse(stretch.slice(head.end)) as HandCall['args'] }
  } catch {
    return null
  }
}

const headAt = (text: string, at: number): { name: string; end: number } | null => {
  HEAD.lastIndex = at
  const name = HEAD.exec(text)?.[1]
  return name === undefined ? null : { name, end: HEAD.lastIndex }
}

/** A name in quotes is JSON too: it can hold what no chat can type. */
const toolOf = (name: string): string => (name.startsWith('"') ? String(JSON.parse(name)) : name)

const closingBrace = (text: string, open: number): number | null => {
  const marks = /["{}]/g
  marks.lastIndex = open
  let depth = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') {
      const end = closingQuote(text, mark.index)
      if (end === null) return null
      marks.lastIndex = end
      continue
    }
    depth += mark[0] === '{' ? 1 : -1
    if (depth === 0) return mark.index + 1
  }
  return null
}

const closingQuote = (text: string, open: number): number | null => {
  const marks = /["\\]/g
  marks.lastIndex = open + 1
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') return mark.index + 1
    marks.lastIndex = mark.index + 2
  }
  return null
}
