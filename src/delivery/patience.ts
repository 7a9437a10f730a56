const FIRST_MS = 1000
const LONGEST_MS = 60_000

/** How long to wait after so many tries: twice as long each time, and never for all at once; or as the network says. */
export const waitAfter = (tries: number, afterMs: number | undefined, random: () => number): number =>
  afterMs ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10)) * (0.5 + random() / 2)

/** However old a post is, it is tried for this long: a network that asks for a moment gets one. */
const LEAST_MS = 60_000

/** How old a post is, by the time of day, and for how long it was tried, by how time passes: a clock may jump. */
type Trying = { age: number; tried: number; giveUpMs: number }

/** Whether a post is not worth another try: nobody waits for it any more, and it was tried again and again. */
export const isHopeless = ({ age, tried, giveUpMs }: Trying): boolean =>
  age >= giveUpMs && tried >= Math.min(LEAST_MS, giveUpMs)
