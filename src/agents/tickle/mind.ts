import type { Mind } from '../mind.ts'
import { rehearse } from '../rehearsal/rehearse.ts'
import { type Doing, said } from './said.ts'
import { watchOver } from './watch-plans.ts'

/** Tickle's own words. They are what `/mc`, `/mission` and `/todo` ask for, and what its rounds are made of. */
const words: Readonly<Record<string, Doing>> = {
  tickle: (given) => watchOver(given),
  evidence: (given) => said('evidence', given.length > 0 ? { text: given.join(' ') } : {}),
}

/**
 * Tickle goes by rules, and needs no model: its own words become steps in mission control; what is none of them is taken as a
 * rehearsal takes it.
 */
export const tickle: Mind = (request, place) => {
  const [word = '', ...given] = request.trim().split(/\s+/)
  const doing = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
  return doing ? doing(given) : rehearse(request, place)
}
