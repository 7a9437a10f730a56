/** How long something took: of all that was measured. */
export type Spread = { count: number; p50: number; p90: number; p99: number; max: number }

export const spreadOf = (took: readonly number[]): Spread => {
  const sorted = [...took].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1) ?? 0 }
}

/** How much something grows for each step of x, by least squares; 0 where nothing can be said. */
export const slopeOf = (points: readonly (readonly [number, number])[]): number => {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([a]) => a)), mean(points.map(([, b]) => b))]
  const spread = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread
}

/** From when to when, in seconds since it was begun to look. */
export type Span = { from: number; to: number }

/** Whether two spans of time have a moment in common. */
export const meets = (one: Span, other: Span): boolean => one.from < other.to && one.to > other.from
