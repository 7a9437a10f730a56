import type { Inside } from '../workspace/paths.ts'
import { isSpill } from '../workspace/spills.ts'
import { isUpload } from '../workspace/uploads.ts'
import type { Bench } from './tool.ts'

/** What the gate resolved a path to. One it did not resolve is no business of a tool. */
export const targetOf = ({ targets }: Pick<Bench, 'targets'>, path: string): Inside => {
  const target = targets.get(path)
  if (!target) throw new Error(`the gate resolved no path ${path}`)
  return target
}

/** Whether a path, as it was given, is of an output that was kept, or of a file that was brought: none is of the workspace. */
export const isKept = (path: string): boolean => isSpill(path) || isUpload(path)
