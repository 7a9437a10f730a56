/** How often it is looked whether the event loop comes round, in milliseconds: seldom enough that an idle process stays idle. */
const EVERY_MS = 100

/**
 * How long the process stands still: the longest since somebody last asked, in seconds. What Node itself measures loses what
 * comes right after it was asked, and is asked by everybody who looks.
 */
export const watchStalls = () => {
  let last = performance.now()
  let longest = 0
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last - EVERY_MS)
    last = now
  }
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    longest: (): number => {
      look()
      const seconds = longest / 1000
      longest = 0
      return seconds
    },
    stop: (): void => clearInterval(timer),
  }
}
