import { randomBytes } from 'node:crypto'
import { defused, type LaidLine } from './layout.ts'
import type { Message } from './link.ts'

/** How much a message of many lines takes. */
export type Multiline = { maxBytes: number; maxLines: number }

/** Lines as messages of many lines (draft/multiline), as few as the server allows. */
export const batchesOf = (
  target: string,
  lines: readonly LaidLine[],
  { maxBytes, maxLines }: Multiline,
): string[][] => {
  const groups: LaidLine[][] = []
  let bytes = 0
  for (const line of lines) {
    const size = Buffer.byteLength(defused(line.text)) + 1
    const group = groups.at(-1)
    if (group === undefined || group.length >= maxLines || bytes + size > maxBytes) {
      groups.push([line])
      bytes = size
    } else {
      group.push(line)
      bytes += size
    }
  }
  return groups.map((group) => batchOf(target, group))
}

const batchOf = (target: string, lines: readonly LaidLine[]): string[] => {
  const name = randomBytes(6).toString('hex')
  const said = lines.map(({ text, joined }, i) => {
    const tags = joined && i > 0 ? `@batch=${name};draft/multiline-concat` : `@batch=${name}`
    return `${tags} PRIVMSG ${target} :${joined && i > 0 ? text : defused(text)}`
  })
  return [`BATCH +${name} draft/multiline ${target}`, ...said, `BATCH -${name}`]
}

const MOST_OPEN = 16
const MOST_BYTES = 65_536

type Open = { opening: Message; text: string; bytes: number; type: string }

/**
 * Puts messages of many lines together again. Answers with the lines as they are to be heard: a whole message where its
 * batch ends, nothing for what is a part of one, and nothing for what was said before we came.
 */
export const createBatches = () => {
  const open = new Map<string, Open>()

  const begin = (line: Message, name: string) => {
    if (open.size >= MOST_OPEN) open.delete(open.keys().next().value ?? '')
    open.set(name, { opening: line, text: '', bytes: 0, type: line.params[1] ?? '' })
  }
  const add = (batch: Open, { tags, params }: Message) => {
    const text = params.at(-1) ?? ''
    batch.bytes += Buffer.byteLength(text) + 1
    if (batch.bytes > MOST_BYTES) return
    batch.text += batch.text === '' || 'draft/multiline-concat' in tags ? text : `\n${text}`
  }
  const end = (name: string): Message[] => {
    const batch = open.get(name)
    open.delete(name)
    if (batch?.type !== 'draft/multiline') return []
    const { opening, text } = batch
    return [{ ...opening, command: 'PRIVMSG', params: [opening.params[2] ?? '', text] }]
  }

  const inside = (batch: Open, line: Message): Message[] => {
    if (batch.type !== 'draft/multiline') return batch.type === 'chathistory' ? [] : [line]
    if (line.command === 'PRIVMSG') add(batch, line)
    return []
  }

  return (line: Message): Message[] => {
    const [name = ''] = line.params
    if (line.command === 'BATCH') {
      if (!name.startsWith('+')) return end(name.slice(1))
      begin(line, name.slice(1))
      return []
    }
    const batch = open.get(line.tags['batch'] ?? '')
    return batch === undefined ? [line] : inside(batch, line)
  }
}
