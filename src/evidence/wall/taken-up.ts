import type { Entry } from '../../shapes/evidence.ts'
import type { StepOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import type { Intent } from './intent.ts'

/**
 * Follows which undertaking a stay has taken up: one at most, and the phase that a step says it entered is the one that the
 * undertaking was in by then, as its own chain has it.
 */
export const createTakenUp = (phaseAt: (undertaking: string, position: number) => string | null) => {
  let at: string | null = null
  return {
    started: (): void => {
      at = null
    },
    ended: (entry: Entry, { call }: Intent, outcome: StepOutcome): Finding[] => {
      if (outcome.kind !== 'ok') return []
      const { undertaking = at, phase } = outcome
      const second = at !== null && undertaking !== at ? [wrong(`took up ${undertaking} beside ${at}`)] : []
      at = undertaking
      if (at === null || phase === undefined) return second
      const was = phaseAt(at, entry.position)
      return was === phase
        ? second
        : [...second, wrong(`entered ${phase} by ${call.tool}, and ${at} was ${inWords(was)}`)]
    },
  }
}

const inWords = (phase: string | null): string => (phase === null ? 'not there' : `in ${phase}`)

const wrong = (what: string): Finding => ({ rule: 'phase', what })
