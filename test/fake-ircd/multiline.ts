import { type Client, type OpenBatch, prefixOf, SERVER, send, type Tags } from './client.ts'
import type { ParsedLine } from './line.ts'

export type Limits = { maxBytes: number; maxLines: number }

/** Takes one more line of a message, or refuses all of it. */
export const collect = (client: Client, batch: OpenBatch, line: ParsedLine, limits: Limits): void => {
  if (batch.hasFailed) return
  batch.lines.push(line)
  const wrong = whatIsWrong(batch, line, limits)
  if (wrong !== null) fail(client, batch, wrong)
}

/** What a whole message comes to, or null: that may be wrong with it only now, and then the client is told. */
export const finish = (client: Client, batch: OpenBatch): ParsedLine[] | null => {
  if (batch.hasFailed) return null
  if (batch.lines.some(({ params }) => textOf(params) !== '')) return batch.lines
  fail(client, batch, 'MULTILINE_INVALID :Invalid multiline batch with blank lines only')
  return null
}

type Delivery = {
  from: Client
  to: Client
  target: string
  lines: ParsedLine[]
  tags: Tags
  id: string
}

/** As one message to those who understand that; to all others line by line, without the blank ones. */
export const deliver = ({ from, to, target, lines, tags, id }: Delivery): void => {
  const prefix = prefixOf(from)
  if (!to.caps.has('draft/multiline') || !to.caps.has('batch')) {
    const { msgid: _, ...repeated } = tags
    const said = lines.filter(({ params }) => textOf(params) !== '')
    for (const [index, { command, params }] of said.entries()) {
      send(to, `${prefix} ${command} ${target} :${textOf(params)}`, index === 0 ? tags : repeated)
    }
    return
  }
  send(to, `${prefix} BATCH +${id} draft/multiline ${target}`, tags)
  for (const line of lines) {
    const concat = CONCAT in line.tags ? { [CONCAT]: '' } : {}
    send(to, `${prefix} ${line.command} ${target} :${textOf(line.params)}`, { batch: id, ...concat })
  }
  send(to, `:${SERVER} BATCH -${id}`)
}

const CONCAT = 'draft/multiline-concat'

const textOf = (params: string[]): string => params[1] ?? ''

const whatIsWrong = ({ target, lines }: OpenBatch, line: ParsedLine, { maxBytes, maxLines }: Limits): string | null => {
  const [to = ''] = line.params
  if (to !== target) return `MULTILINE_INVALID_TARGET ${target} ${to} :Invalid multiline target`
  if (line.command !== lines[0]?.command) return 'MULTILINE_INVALID :Invalid multiline batch'
  if (CONCAT in line.tags && textOf(line.params) === '') {
    return 'MULTILINE_INVALID :Invalid multiline batch with concatenated blank line'
  }
  if (lines.length > maxLines) return `MULTILINE_MAX_LINES ${maxLines} :Multiline batch max-lines exceeded`
  if (bytesOf(lines) > maxBytes) return `MULTILINE_MAX_BYTES ${maxBytes} :Multiline batch max-bytes exceeded`
  return null
}

/** How long a message is: a line that is not joined to the one before it costs its line feed. */
const bytesOf = (lines: ParsedLine[]): number =>
  lines.reduce((sum, { tags, params }, index) => {
    const feed = index > 0 && !(CONCAT in tags) ? 1 : 0
    return sum + feed + Buffer.byteLength(textOf(params))
  }, 0)

const fail = (client: Client, batch: OpenBatch, words: string): void => {
  batch.hasFailed = true
  send(client, `:${SERVER} FAIL BATCH ${words}`, batch.label === undefined ? {} : { label: batch.label })
}
