import type { Limits } from './house.ts'

/** How fast frames may come: a bucket that fills by the second. Beyond it, they are refused; far beyond it, it is enough. */
export const createPace = ({ perSecond, burst }: Pick<Limits, 'perSecond' | 'burst'>) => {
  let left = burst
  let at = performance.now()
  return (): 'in time' | 'too fast' | 'enough' => {
    const now = performance.now()
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond)
    at = now
    left -= 1
    if (left >= 0) return 'in time'
    return left < -burst ? 'enough' : 'too fast'
  }
}
