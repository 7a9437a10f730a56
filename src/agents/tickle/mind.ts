import type { Mind } from '../mind.ts'
import { rehearse } from '../rehearsal/rehearse.ts'
import { missionWords } from './missions.ts'
import { patternWords } from './patterns.ts'
import { type Doing, said } from './said.ts'
import { watchOver } from './watch-plans.ts'
import { worldWord } from './world.ts'

/** Where new missions and patterns are made. */
type Options = { missions: string; patterns: string }

/** Tickle's own words. They are what `/mc`, `/mission`, `/todo`, `/pattern` and `/world` ask for, and what its rounds are made of. */
const wordsOf = ({ missions, patterns }: Options): Readonly<Record<string, Doing>> => ({
  evidence: (given) => said('evidence', given.length > 0 ? { text: given.join(' ') } : {}),
  ...missionWords(missions),
  ...patternWords(patterns),
  tickle: (given) => watchOver(given),
  world: worldWord,
})

/**
 * Tickle goes by rules, and needs no model: its own words become steps in mission control and discipline; what is none of them is taken
 * as a rehearsal takes it.
 */
export const createTickle = (options: Options): Mind => {
  const words = wordsOf(options)
  return (request, place) => {
    const [word = '', ...given] = request.trim().split(/\s+/)
    const doing = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
    return doing ? doing(given) : rehearse(request, place)
  }
}
