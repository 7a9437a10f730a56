/** The name that was probably meant: the nearest, if it is near. */
export const nearest = (name: string, names: readonly string[]): string | null => {
  const ranked = names.map((known) => ({ known, far: distance(name, known) })).sort((a, b) => a.far - b.far)
  const [best] = ranked
  return best && best.far <= Math.max(1, Math.floor(name.length / 3)) ? best.known : null
}

/** How many letters must be changed, added, dropped or swapped with their neighbour to make one word the other. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same, swapped))
    }
  }
  return at(a.length, b.length)
}
