/** What makes a drill the same again: every drill says its seed, and `BELLHOP_SEED=N` gives it one. */
export type Chance = {
  seed: number
  /** A whole number from one to another, both included. */
  between: (from: number, to: number) => number
  pick: <T>(of: readonly T[]) => T
}

export const LONG = process.env['BELLHOP_LONG'] === '1'

/** So many in every run, and so many where all of them are asked for; `BELLHOP_FAULTS=N` asks for another number then. */
export const times = (sample: number, all: number): number =>
  LONG ? Number(process.env['BELLHOP_FAULTS'] ?? all) : sample

/** Numbers that only depend on the seed (mulberry32): of a kind that a schedule needs, and no better. */
export const chanceOf = (seed = Number(process.env['BELLHOP_SEED'] ?? 11)): Chance => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return { seed, between, pick: (of) => of[between(0, of.length - 1)] as (typeof of)[number] }
}
