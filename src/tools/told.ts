import type { Result } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Told } from './control.ts'
import { shown } from './shown.ts'
import { type Bench, failed } from './tool.ts'

/** What was said, as much of it as the limits allow; or why nothing was. */
export const told = async (telling: Promise<Result<Told>>, bench: Bench): Promise<StepOutcome> => {
  const said = await telling
  if (said.ok) return { kind: 'ok', paths: said.value.paths, ...(await shown(said.value.text, bench, 1)) }
  const { message, code, remedy } = said.refusal
  return failed(`${message} [${code}]; ${remedy}`)
}
