/** The time, as an argument: milliseconds since 1970. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** How time passes, for whoever measures how long something takes: it does not jump, and does not say what time it is. */
export const steadyClock: Clock = () => performance.now()
