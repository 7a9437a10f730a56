import type { BodyOf } from '../../shapes/evidence.ts'
import type { StepOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import { whyApproved } from './approvals.ts'
import { createHarvest } from './harvest.ts'
import type { Intent } from './intent.ts'
import { createPhases } from './phases.ts'
import { createReach } from './reach.ts'
import type { Wall } from './wall.ts'

export type Stay = ReturnType<typeof createStay>

type Started = BodyOf<'peripheral-started'>
type IsSpill = (path: string) => boolean

/** One stay behind a wall: what the start recorded, and the wall itself where it was declared. */
export const createStay = (start: Started, declared: Wall | null) => {
  const { peripheral, tools } = start
  const wall = declared?.id === peripheral ? declared : null
  const harvest = createHarvest()
  const phases = wall && createPhases(wall)
  const reach = wall && createReach(wall)
  const hops = new Map<string, string>()
  let whole = true

  const around = (isSpill: IsSpill) => ({ phase: phases?.current() ?? null, isSpill })

  return {
    peripheral,
    wall,
    harvest,
    /** A chain cannot widen its own wall: what a start recorded is what was declared, and nothing goes up undeclared. */
    started: (mustBeDeclared: boolean): Finding[] => {
      if (declared && wall === null) return [wrong(`started ${peripheral} with the wall of ${declared.id}`)]
      if (wall === null) {
        const later = start.entry !== undefined || start.hop !== undefined || start.context !== undefined
        return mustBeDeclared || later ? [wrong(`started ${peripheral}, whose wall was never declared`)] : []
      }
      const extra = tools.filter((tool) => !wall.tools.includes(tool))
      return extra.length > 0 ? [wrong(`started ${peripheral} with ${extra.join(', ')}, which its spec has not`)] : []
    },
    intended: (intent: Intent, isSpill: IsSpill): Finding[] => {
      const { call, step } = intent
      if (call.tool === 'hop') hops.set(step, String(call.args['to']))
      if (!tools.includes(call.tool)) return [wrong(`used ${call.tool}, which ${peripheral} has not`)]
      return [...(phases?.intended(intent) ?? []), ...(reach?.intended(intent, around(isSpill)) ?? [])]
    },
    /** Why a person must have approved a step. */
    needs: (intent: Intent): string | null => {
      const rules = intent.call.tool === 'run' ? reach?.rulesFor(intent, phases?.current() ?? null) : []
      return wall && whyApproved(intent, wall, rules ?? [])
    },
    ended: (intent: Intent, outcome: StepOutcome, isSpill: IsSpill): Finding[] => {
      const scope = reach?.ended(intent, outcome, around(isSpill)) ?? []
      return [...scope, ...(phases?.ended(intent, outcome) ?? [])]
    },
    /** A step of it is gone: what it did is not known, and what follows from that is not judged. */
    lost: (): void => {
      whole = false
      harvest.lost()
      phases?.lost()
    },
    hops: () => ({ hops, whole }),
  }
}

const wrong = (what: string): Finding => ({ rule: 'wall', what })
