import { z } from 'zod'
import { MOST_JOBS } from '../shapes/bell.ts'
import { Id } from '../shapes/message.ts'
import { ok } from '../shapes/result.ts'
import { defineTool } from './tool.ts'
import { joined, Seconds } from './whistle.ts'

export const park = defineTool({
  args: z.strictObject({ jobs: z.array(Id).min(1).max(MOST_JOBS), seconds: Seconds }),
  help: 'park {jobs, seconds}: waits until the jobs that you rang for have ended, and answers with what came of all of them; when the seconds are over, with what there is by then',
  reach: ({ jobs, seconds }) => ok({ waits: { seconds, jobs: [...new Set(jobs)], ring: null } }),
  run: (_args, bench) => joined(bench),
})
