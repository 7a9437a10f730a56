import { split } from './split.ts'
import { clean, cut, tame } from './tame.ts'

/** What one message holds. */
export const MOST = 2000

/** What a message holds at the beginning of something long, with a word on where the rest is. */
const BEGINNING = 1500

/** How many messages are said one after the other before it is a file instead. */
const MESSAGES = 3

export type Said = { content: string; file: { name: string; text: string } | null }

type Long = { head: string; text: string; name: string; link: string | null }

/** A text as messages: one, a few, or its beginning with the whole of it as a file. */
export const sayings = ({ head, text, name, link }: Long, messages = MESSAGES): Said[] => {
  const whole = asDiff(tame(text).trim())
  const pieces = split(`${head}${whole}`, MOST)
  if (pieces.length <= messages) return pieces.map((content) => ({ content, file: null }))
  const [beginning = ''] = split(`${head}${whole}`, BEGINNING)
  const where = [`the whole of it is in the file ${name}`, ...(link === null ? [] : [`and at ${link}`])].join(' ')
  return [{ content: `${beginning}\n-# … ${where}`, file: { name, text: inFile(clean(text)) } }]
}

/** Less than what Discord takes as a file, in bytes, and how many of them a character has at most. */
const FILE = 8_000_000
const BYTES = 3

const inFile = (text: string): string =>
  Buffer.byteLength(text) <= FILE ? text : `${cut(text, Math.floor(FILE / BYTES))}\n(cut: it is too long for a file)`

/** A diff is shown as one. */
const asDiff = (text: string): string =>
  /^@@ -\d/m.test(text) && /^--- /m.test(text) && !text.includes('```') ? `\`\`\`diff\n${text}\n\`\`\`` : text
