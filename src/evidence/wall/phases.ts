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
      const to = phases.findIndex(({ id }) => id === entered)
      const wrong = wrongMove(intent, wall, { phases, from: at, to, entered })
      const owed = intent.call.tool === 'advance' ? owedBy(intent, phases[at]) : []
      at = to === -1 ? at : to
      return [...wrong, ...owed].map((what) => ({ rule: 'phase', what }))
    },
  }
}

type Phase = NonNullable<Wall['phases']>[number]
type Step = { phases: readonly Phase[]; from: number; to: number; entered: string }

/** Why a step does not lead from one phase to another. */
const wrongMove = ({ call }: Intent, { cycle }: Wall, move: Step): string[] => {
  const { phases, from, entered } = move
  const leads = cycle === undefined ? { advance: move.to === from + 1 } : leadsInCycle(cycle, move)
  const does = Object.entries(leads).find(([tool]) => tool === call.tool)?.[1]
  if (does) return []
  const here = phases[from]?.id ?? 'anything'
  return call.tool === 'advance'
    ? [`entered ${entered}, which does not come after ${here}`]
    : [`entered ${entered} by ${call.tool}, which does not lead there`]
}

/** What leads where in a cycle. Where it was left when it was taken up is for the chain of the undertaking to say. */
const leadsInCycle = (cycle: string, { phases, from, to, entered }: Step): Record<string, boolean> => ({
  [`${cycle}-load`]: to !== -1,
  'cycle-begin': from === 0 && to === 1,
  advance: from > 0 && to === (from + 1) % phases.length,
  'cycle-back': phases[from]?.back?.includes(entered) ?? false,
  'cycle-end': from > 0 && to === 0,
})

const owedBy = ({ call }: Intent, here?: Phase): string[] => {
  const owed = here?.outputs.filter((name) => !isSaid(call.args['outputs'], name)) ?? []
  return owed.length > 0 ? [`left ${here?.id} without ${owed.join(', ')}`] : []
}

/** Words, or a list of names; only what has changed may be a list of nothing. */
const isSaid = (outputs: unknown, name: string): boolean => {
  const said = typeof outputs === 'object' && outputs !== null ? (outputs as Record<string, unknown>)[name] : undefined
  if (typeof said === 'string') return said.trim() !== ''
  return Array.isArray(said) && (said.length > 0 || name === 'changes')
}
