/**
 * Cuts a text into pieces of at most so many bytes, which together are the text: between words where there are any, and
 * never inside a character. The first piece may have to leave room for something in front of it.
 */
export const split = (text: string, limit: number, first = limit): string[] => {
  const pieces: string[] = []
  for (let rest = text; rest !== ''; ) {
    const cut = cutOf(rest, pieces.length === 0 ? first : limit)
    pieces.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return pieces
}

/** Where a text is cut for its first piece to be of at most so many bytes. */
export const cutOf = (text: string, limit: number): number => {
  const fits = fitting(text, limit)
  if (fits === text.length) return fits
  const word = text.lastIndexOf(' ', fits - 1) + 1
  return text.slice(0, word).trim() === '' ? betweenCharacters(text, fits) : word
}

/** How much of a text fits into so many bytes: one code point at least, or it would never end. */
const fitting = (text: string, limit: number): number => {
  let bytes = 0
  let end = 0
  for (const point of text) {
    bytes += Buffer.byteLength(point)
    if (bytes > limit && end > 0) break
    end += point.length
    if (bytes > limit) break
  }
  return end
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** What people take for one character may be of many code points; it stays whole where it fits at all. */
const betweenCharacters = (text: string, fits: number): number => {
  const { index = fits } = characters.segment(text.slice(0, fits + LONGEST_CHARACTER)).containing(fits) ?? {}
  return index > 0 ? index : fits
}

const LONGEST_CHARACTER = 64
