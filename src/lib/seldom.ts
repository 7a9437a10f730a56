/** A question that is asked at most so often: in between, the answer is that there is none yet. */
export const seldom = <T>(ms: number, ask: () => Promise<T | null>): (() => Promise<T | null>) => {
  let asked = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - asked < ms) return null
    asked = performance.now()
    return ask()
  }
}
