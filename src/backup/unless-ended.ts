import type { Progress } from '../evidence/transfer/format.ts'

/** Says how far it is; or, where it is to be given up, that it goes no further. */
export const unlessEnded =
  (progress: Progress, ends: AbortSignal | undefined): Progress =>
  (...at) => {
    ends?.throwIfAborted()
    progress(...at)
  }
