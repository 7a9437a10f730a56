/** A line by its number, from 1 on. The last one may not have been ended: its writer may have been cut off. */
export type Line = { number: number; bytes: Buffer; ended: boolean; tooLong: boolean }

const NEWLINE = 0x0a

/** Cuts what is read into lines, and holds one of them at a time. One that is too long is the last, and is left out. */
export async function* linesOf(source: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Line> {
  let number = 0
  let parts: Uint8Array[] = []
  let length = 0

  const take = (part: Uint8Array): void => {
    parts.push(part)
    length += part.length
  }
  const line = (ended: boolean): Line => {
    const tooLong = length > longest
    const bytes = Buffer.concat(tooLong ? [] : parts)
    number += 1
    parts = []
    length = 0
    return { number, bytes, ended, tooLong }
  }

  for await (const chunk of source) {
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, to))
      yield line(true)
      from = to + 1
    }
    take(chunk.subarray(from))
    if (length > longest) break
  }
  if (length > 0) yield line(false)
}
