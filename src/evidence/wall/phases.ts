import type { StepOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import type { Intent } from './intent.ts'
import type { Wall } from './wall.ts'

/** Follows the phases of one stay: the first from the beginning, each next one by a step that brought what was owed. */
export const createPhases = (wall: Wall) => {
  const phases = wall.phases ?? []
  let at = 0
  // Once a step is gone that may have moved on, nobody can say where it stands.
  let known = true

  return {
    current: (): string | null => (known ? (phases[at]?.id ?? null) : null),
    lost: (): void => {
      known = false
    },
    intended: ({ call }: Intent): Finding[] => {
      const here = known ? phases[at] : undefined
      if (!here || here.tools.includes(call.tool)) return []
      return [{ rule: 'phase', what: `used ${call.tool}, which the phase ${here.id} of ${wall.id} has not` }]
    },
    ended: (intent: Intent, outcome: StepOutcome): Finding[] => {
      const entered = outcome.kind === 'ok' ? outcome.phase : undefined
      if (entered === undefined || !known) return []
      const [here, next] = [phases[at], phases[at + 1]]
      at = Math.max(
        at,
        phases.findIndex(({ id }) => id === entered),
      )
      return wrongAdvance(intent, entered, here, next).map((what) => ({ rule: 'phase', what }))
    },
  }
}

type Phase = NonNullable<Wall['phases']>[number]

const wrongAdvance = ({ call }: Intent, entered: string, here?: Phase, next?: Phase): string[] => {
  if (call.tool !== 'advance') return [`entered ${entered} by ${call.tool}, which does not lead there`]
  if (next?.id !== entered) return [`entered ${entered}, which does not come after ${here?.id ?? 'anything'}`]
  const owed = here?.outputs.filter((name) => !isSaid(call.args['outputs'], name)) ?? []
  return owed.length > 0 ? [`left ${here?.id} without ${owed.join(', ')}`] : []
}

const isSaid = (outputs: unknown, name: string): boolean => {
  const said = typeof outputs === 'object' && outputs !== null ? (outputs as Record<string, unknown>)[name] : undefined
  return typeof said === 'string' && said.trim() !== ''
}
