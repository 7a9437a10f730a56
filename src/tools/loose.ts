const LIKE: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′]/g, "'"],
  [/[“”„‟″]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
]

/** A text in which what is easily mistaken is the same: quotes, dashes and blanks. It is as long as it was. */
const looseSigns = (text: string): string => LIKE.reduce((loose, [signs, plain]) => loose.replace(signs, plain), text)

/** A line in which what is easily mistaken is the same, without the blanks at its end. */
export const looseLine = (line: string): string => looseSigns(line).trimEnd()

/** A text of loose lines, and where each of its characters is in the text itself; the last is the end. */
export type Loose = { text: string; at: Int32Array }

/** Leaves out the blanks at the end of lines, and what else Windows puts there. */
export const loosen = (text: string): Loose => {
  const signs = looseSigns(text)
  const at = new Int32Array(text.length + 1)
  const kept: string[] = []
  let length = 0
  // Blanks are taken as one, so that each is looked at once.
  for (const { 0: piece, index, groups } of signs.matchAll(/[^\S\n]+(?<end>\n|$)|[^\S\n]+|\S+|\n/g)) {
    const end = groups?.['end']
    const from = end === undefined ? index : index + piece.length - end.length
    const rest = end ?? piece
    for (let i = 0; i < rest.length; i++) at[length + i] = from + i
    kept.push(rest)
    length += rest.length
  }
  at[length] = text.length
  return { text: kept.join(''), at: at.subarray(0, length + 1) }
}
