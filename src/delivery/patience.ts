const FIRST_MS = 1000
const LONGEST_MS = 60_000

/** How long to wait after so many tries: twice as long each time, and never for all at once; or as the network says. */
export const waitAfter = (tries: number, afterMs: number | undefined, random: () => number): number =>
  afterMs ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10)) * (0.5 + random() / 2)

/** However old a post is, it is tried for this long: a network that asks for a moment gets one. */
const LEAST_MS = 60_000

type Trying = { now: number; postedAt: string; since: number; giveUpMs: number }

/** Whether a post is not worth another try: nobody waits for it any more, and it was tried again and again. */
export const isHopeless = ({ now, postedAt, since, giveUpMs }: Trying): boolean =>
  now - Date.parse(postedAt) >= giveUpMs && now - since >= Math.min(LEAST_MS, giveUpMs)
