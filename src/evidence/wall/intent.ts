import type { BodyOf } from '../../shapes/evidence.ts'
import type { StepOutcome } from '../../shapes/turn.ts'

export type Intent = BodyOf<'step-intended'>

/** An outcome that says something. */
export type Ended = Exclude<StepOutcome, { kind: 'interrupted' }>

/** Whether a call is of a tool of another server: those of our own have no dot in their names. */
export const isForeign = ({ call }: Pick<Intent, 'call'>): boolean => call.tool.includes('.')

/** Whether a call asks for more than its wall opens by itself. What another server calls so is a matter of its own. */
export const isEscalated = (intent: Intent): boolean => intent.call.args['escalate'] !== undefined && !isForeign(intent)

/** Whether a call runs a program: what that writes is not known before it has ended. */
export const runsProgram = (intent: Pick<Intent, 'call'>): boolean => intent.call.tool === 'run' || isForeign(intent)

export const argvOf = ({ call }: Intent): string[] => {
  const argv = call.args['argv']
  return Array.isArray(argv) ? argv.map(String) : []
}

/** The paths that an outcome says were changed. */
export const changedIn = ({ changed = [], files = [] }: Ended): string[] => [
  ...new Set([...changed, ...files.map(({ path }) => path)]),
]
