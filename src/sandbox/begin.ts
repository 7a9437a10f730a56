import type { Cgroups } from './cgroup.ts'
import { foreignModules } from './foreign-modules.ts'
import { type GitMark, gitMark, isAsBefore, putBack } from './git-mark.ts'
import type { Job } from './job.ts'
import { type Listening, launch, type Outcome, type Running } from './launch.ts'

type Ending = Outcome & { note: string }
type Begun = Omit<Running, 'done'> & { done: Promise<Ending> }

/**
 * Starts a program, and sees to it that no git is deceived: neither the one that runs in the sandbox, by repositories
 * inside the workspace, nor the one of a person outside, by a `.git` that the program left behind.
 */
export const begin = async (job: Job, listening: Omit<Listening, 'offends'>): Promise<Begun | string> => {
  const foreign = await foreignModules(job, listening.cgroups)
  if (typeof foreign === 'string') return foreign
  const { root } = job.workspace
  const before: GitMark = job.mode === 'workspace-write' ? await gitMark(root) : 'held'
  // Whoever was seen at it has done it, whatever is left of it in the end.
  let offended = false
  const offends = async (): Promise<boolean> => {
    const isOther = !(await isAsBefore(root, before))
    offended ||= isOther
    return isOther
  }
  const running = await launch({ ...job, hidden: [...job.hidden, ...foreign] }, { ...listening, offends })
  if (typeof running === 'string') return running

  const finish = async (): Promise<Ending> => {
    const outcome = await running.done
    if (await offends()) await remove(await putBack(root, before), job, listening.cgroups).catch(() => {})
    if (!offended) return { ...outcome, note: '' }
    const note = (await offends()) ? NOT_PUT_BACK : OFFENCE
    return { exit: null, ended: outcome.ended === 'exit' ? 'signal' : outcome.ended, note }
  }
  return { ...running, done: finish() }
}

const OFFENCE = 'The program changed .git at the root of the workspace. It was ended, and .git is as it was before.\n'
const NOT_PUT_BACK =
  'The program changed .git at the root of the workspace. It was ended, and .git could not be put back: look at it before git is used there.\n'

/** In the sandbox as well: whoever exchanges what is being removed for a link loses nothing but files of the workspace. */
const remove = async (name: string, job: Job, cgroups: Cgroups | null): Promise<void> => {
  const limits = { seconds: 60, memoryMb: 256, processes: 16, outputBytes: 1 }
  for (const argv of [
    ['chmod', '-R', 'u+rwX', '--', name],
    ['rm', '-rf', '--', name],
  ]) {
    const { objection: _, ...rest } = job
    const alone = { ...rest, argv, network: false, limits, signal: new AbortController().signal }
    const running = await launch(alone, { heard: () => {}, input: false, cgroups, offends: async () => false })
    if (typeof running !== 'string') await running.done
  }
}
