import type { BodyOf } from '../../shapes/evidence.ts'
import type { StepOutcome } from '../../shapes/turn.ts'

export type Intent = BodyOf<'step-intended'>

/** An outcome that says something. */
export type Ended = Exclude<StepOutcome, { kind: 'interrupted' }>

/** Whether a call asks for more than its wall opens by itself. */
export const isEscalated = ({ call }: Intent): boolean => call.args['escalate'] !== undefined

export const argvOf = ({ call }: Intent): string[] => {
  const argv = call.args['argv']
  return Array.isArray(argv) ? argv.map(String) : []
}

/** The paths that an outcome says were changed. */
export const changedIn = ({ changed = [], files = [] }: Ended): string[] => [
  ...new Set([...changed, ...files.map(({ path }) => path)]),
]
