import { setTimeout } from 'node:timers/promises'

/** A wait in which nothing was looked at for so long says more of the machine than of what was waited for. */
const STOOD_STILL_MS = 1000

/**
 * Asks until there is an answer: tests wait for a state, never for a time. Fails with what it waited for. How long that is,
 * is not measured by the time of day, which jumps.
 */
export const eventually = async <T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  ms = 60_000,
): Promise<T> => {
  const begun = performance.now()
  let looked = begun
  let apart = 0
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    apart = Math.max(apart, performance.now() - looked)
    looked = performance.now()
    if (looked > begun + ms) throw new Error(`waited ${ms} ms in vain for ${what}${stoodStill(apart)}`)
    await setTimeout(10)
  }
}

const stoodStill = (ms: number): string =>
  ms < STOOD_STILL_MS ? '' : ` (and once did not get to look for ${Math.round(ms)} ms)`
