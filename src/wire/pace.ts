import type { Limits } from './house.ts'

/** `wait` is in how many seconds the next frame is taken, where none comes meanwhile. */
export type Speed = { kind: 'in time' } | { kind: 'too fast'; wait: number } | { kind: 'enough' }

/** How fast frames may come: a bucket that fills by the second. Beyond it, they are refused; far beyond it, it is enough. */
export const createPace = ({ perSecond, burst }: Pick<Limits, 'perSecond' | 'burst'>): (() => Speed) => {
  let left = burst
  let at = performance.now()
  return () => {
    const now = performance.now()
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond)
    at = now
    left -= 1
    if (left >= 0) return { kind: 'in time' }
    return left < -burst ? { kind: 'enough' } : { kind: 'too fast', wait: Math.ceil((1 - left) / perSecond) }
  }
}
