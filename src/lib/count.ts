/** A number with its noun: `1 step`, `2 steps`, `3 entries`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
