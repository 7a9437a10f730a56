import { count } from '../lib/count.ts'

/** A length of time as people say it, in whole minutes or hours. */
export const inMinutes = (ms: number): string => {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  return minutes < 120 ? count(minutes, 'minute') : count(Math.floor(minutes / 60), 'hour')
}

export const MINUTE = 60_000
