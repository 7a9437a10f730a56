const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPENS = new Set([91, 123])
const CLOSES = new Set([93, 125])

/**
 * How deep a text of JSON is nested at most, and how many values it has at most. It is found out before the text is parsed:
 * what is nested too deeply would break whatever walks through it.
 */
export const jsonSize = (text: string): { depth: number; elements: number } => {
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
