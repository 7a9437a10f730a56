/** One line of IRC, taken apart. `raw` is the line as it came, without its end. */
export type ParsedLine = {
  raw: string
  tags: Record<string, string>
  /** Who it is from, as the server says it: nick!user@host, or a server. */
  prefix: string | null
  nick: string | null
  command: string
  params: string[]
}

/** Takes a line apart as the grammar has it, and never fails: what makes no sense has an empty command. */
export const parseLine = (raw: string): ParsedLine => {
  let rest = raw
  const word = (mark: string): string | null => {
    if (!rest.startsWith(mark)) return null
    const end = rest.indexOf(' ')
    const taken = end < 0 ? rest : rest.slice(0, end)
    rest = rest.slice(taken.length).replace(/^ +/, '')
    return taken.slice(mark.length)
  }
  const tags = parseTags(word('@'))
  const prefix = word(':')
  const command = (word('') ?? '').toUpperCase()
  const params: string[] = []
  while (rest !== '' && !rest.startsWith(':')) params.push(word('') ?? '')
  if (rest.startsWith(':')) params.push(rest.slice(1))
  return { raw, tags, prefix, nick: prefix?.split('!')[0] ?? null, command, params }
}

/** Cuts the bytes of a socket into lines. What is left over waits for more; how much that is, is the answer. */
export const createLines = (onLine: (line: Buffer) => void): ((bytes: Buffer) => number) => {
  let pending = Buffer.alloc(0)
  return (bytes) => {
    pending = Buffer.concat([pending, bytes])
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      const line = pending.subarray(0, end)
      pending = pending.subarray(end + 1)
      onLine(line.at(-1) === 13 ? line.subarray(0, -1) : line)
    }
    return pending.length
  }
}

const MEANT: Record<string, string> = { ':': ';', s: ' ', r: '\r', n: '\n' }
const WRITTEN: Record<string, string> = { ';': '\\:', ' ': '\\s', '\r': '\\r', '\n': '\\n', '\\': '\\\\' }

const parseTags = (text: string | null): Record<string, string> => {
  const pairs = (text ?? '').split(';').filter((tag) => tag !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      const value = at < 0 ? '' : pair.slice(at + 1)
      return [at < 0 ? pair : pair.slice(0, at), value.replace(/\\(.?)/g, (_, sign: string) => MEANT[sign] ?? sign)]
    }),
  )
}

/** Tags as they stand before a line, with the space after them; nothing where there are none. */
export const writeTags = (tags: Record<string, string>): string => {
  const written = Object.entries(tags).map(([key, value]) => {
    const escaped = value.replace(/[; \r\n\\]/g, (sign) => WRITTEN[sign] ?? sign)
    return value === '' ? key : `${key}=${escaped}`
  })
  return written.length === 0 ? '' : `@${written.join(';')} `
}
