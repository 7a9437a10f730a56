import { StringDecoder } from 'node:string_decoder'

/** The most that one line may have: a program that goes on beyond that is not one we know. */
const LINE_BYTES = 64 * 1024 * 1024

/** Cuts what comes in pieces into lines. Answers false from where a line has become too long, and is done then. */
export const createLines = (heard: (line: string) => void, most = LINE_BYTES): ((chunk: Buffer) => boolean) => {
  const decoder = new StringDecoder('utf8')
  let pieces: string[] = []
  let size = 0
  let over = false

  const end = (piece: string): void => {
    pieces.push(piece)
    const line = pieces.join('')
    pieces = []
    size = 0
    heard(line.endsWith('\r') ? line.slice(0, -1) : line)
  }

  return (chunk) => {
    if (over) return false
    const [first = '', ...rest] = decoder.write(chunk).split('\n')
    const last = rest.pop()
    if (last !== undefined) {
      end(first)
      for (const line of rest) end(line)
    }
    const open = last ?? first
    pieces.push(open)
    size += open.length
    over = size > most
    return !over
  }
}
