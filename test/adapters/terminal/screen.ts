const ESC = '\u001b'

/** What a terminal of this width shows after all that was written to it: enough of one for what readline writes. */
export const screenOf = (written: string, width: number): string[] => {
  const rows: string[][] = [[]]
  let [x, y] = [0, 0]
  const row = () => {
    while (rows.length <= y) rows.push([])
    return rows[y] as string[]
  }
  const moves: Record<string, (count: number) => void> = {
    A: (count) => {
      y = Math.max(0, y - (count || 1))
    },
    B: (count) => {
      y += count || 1
    },
    C: (count) => {
      x += count || 1
    },
    D: (count) => {
      x = Math.max(0, x - (count || 1))
    },
    G: (count) => {
      x = (count || 1) - 1
    },
    J: () => {
      row().splice(x)
      rows.splice(y + 1)
    },
    K: () => {
      row().splice(x)
    },
  }
  const put = (char: string) => {
    if (x === width) [x, y] = [0, y + 1]
    row()[x++] = char
  }
  for (const [token, count, move] of written.matchAll(new RegExp(`${ESC}\\[(\\d*)([A-Z])|[^]`, 'g'))) {
    if (move !== undefined) moves[move]?.(Number(count))
    else if (token === '\r') x = 0
    else if (token === '\n') [x, y] = [0, y + 1]
    else put(token)
  }
  return rows
    .map((cells) =>
      Array.from(cells, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    )
    .filter((text) => text !== '')
}
