export type Row = { name: string; count: number; perSecond: number; p50: number; p99: number }
export type Bench = { title: string; baseline: string; rows: Row[] }

/** Runs a task many times, so many at once, and says how long each took. */
export const measure = async (
  name: string,
  count: number,
  atOnce: number,
  task: (i: number) => Promise<unknown>,
): Promise<Row> => {
  const took: number[] = []
  let next = 0
  const began = performance.now()
  const lane = async () => {
    while (next < count) {
      const i = next++
      const start = performance.now()
      await task(i)
      took.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const seconds = (performance.now() - began) / 1000
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  return { name, count, perSecond: count / seconds, p50: at(0.5), p99: at(0.99) }
}

export const table = ({ title, baseline, rows }: Bench): string => {
  const bare = rows.find((row) => row.name === baseline)
  const ratio = (row: Row) => (bare ? (row.p50 / bare.p50).toFixed(1) : '-')
  const lines = rows.map((row) =>
    [
      row.name.padEnd(58),
      String(row.count).padStart(6),
      row.perSecond.toFixed(0).padStart(8),
      row.p50.toFixed(2).padStart(9),
      row.p99.toFixed(2).padStart(9),
      ratio(row).padStart(7),
    ].join(' '),
  )
  const head = [
    ''.padEnd(58),
    'count'.padStart(6),
    'per s'.padStart(8),
    'p50 ms'.padStart(9),
    'p99 ms'.padStart(9),
    'ratio'.padStart(7),
  ].join(' ')
  return [`${title}\n(ratio: p50 against "${baseline}")`, head, ...lines, ''].join('\n')
}
