import type { FileState, StepOutcome } from '../shapes/turn.ts'
import type { Artifact } from '../shapes/undertaking.ts'

/** A step of a session that has a hand in a cycle: where it was begun and where it ended. */
export type Taken = { step: string; begun: number; ended: number; tool: string; outcome: StepOutcome }

/** What is true of the world, looked up before it is decided: what nobody can claim. */
export type Facts = {
  now: number
  /** The steps that have ended since the cycle began, in their order. */
  steps: readonly Taken[]
  /** What the files that are named are on the disk; null where there is none. */
  files: ReadonlyMap<string, FileState | null>
  /** Those of them that say nothing: blanks at most. */
  blank: ReadonlySet<string>
  /** What is wrong with the file of a mission, held against the ledger: boxes that are not in it, and what it says else. */
  document?: { fidelity: readonly string[]; document: readonly string[] }
}

/** The files of these paths as they are now, where each is one that a step of the cycle left just so; or why not. */
export const artifactsAt = (
  paths: readonly string[],
  { steps, files, blank }: Facts,
): { ok: true; artifacts: Artifact[] } | { ok: false; why: string } => {
  const artifacts: Artifact[] = []
  for (const path of new Set(paths)) {
    const state = files.get(path) ?? null
    if (state === null) return { ok: false, why: `there is no file ${path}` }
    if (blank.has(path)) return { ok: false, why: `${path} says nothing` }
    const left = lastLeft(steps, path)
    if (left === undefined) return { ok: false, why: `no step of this cycle has made or changed ${path}` }
    if (left !== state) return { ok: false, why: `${path} is not what the last step left there` }
    artifacts.push({ path, state })
  }
  return { ok: true, artifacts }
}

const lastLeft = (steps: readonly Taken[], path: string): FileState | null | undefined =>
  steps.flatMap(({ outcome }) => filesIn(outcome).filter((file) => file.path === path)).at(-1)?.after

const filesIn = (outcome: StepOutcome) => (outcome.kind === 'interrupted' ? [] : (outcome.files ?? []))

/** Why a step does not validate anything: it ran no program that ended well, or something was changed after it. */
export const invalidRun = (
  step: string,
  { since, artifacts }: { since: number; artifacts: readonly Artifact[] },
  { steps, files }: Facts,
): string | null => {
  const taken = steps.find((one) => one.step === step)
  if (!taken) return `${step} is no step of this cycle`
  const run = taken.outcome.kind === 'ok' ? taken.outcome.run : undefined
  if (!run) return `${step} is no run of a program that ended well`
  if (run.exit !== 0 || run.ended !== 'exit') return `${step} did not end with exit 0`
  if (!SHOWS.has(run.for)) return `${step} only looked, or made something: run a test or a check`
  if (run.report && run.report.passed + run.report.failed === 0) return `${step} found nothing to test`
  if (taken.begun < since) return `${step} ran before there was anything to validate: run it in this phase`
  const later = steps.find((one) => one.ended > taken.begun && one.step !== step && edits(one, artifacts))
  if (later) return `${later.step} has changed something after ${step} began: run it again`
  const stale = artifacts.find(({ path, state }) => files.get(path) !== state)
  return stale ? `${stale.path} is not what it was when execute was left` : null
}

/** What a program must have been run for, to show anything. */
const SHOWS: ReadonlySet<string> = new Set(['test', 'check'])

/** Whether a step ran one of these files, or ran a program on it. */
export const ranOn = (step: string, artifacts: readonly Artifact[], { steps }: Facts): boolean => {
  const outcome = steps.find((one) => one.step === step)?.outcome
  const argv = outcome?.kind === 'ok' ? (outcome.run?.argv ?? []) : []
  return argv.some((word) => artifacts.some(({ path }) => path === word.replace(/^(?:\.\/)+/, '')))
}

/** A change by hand; or any change of what was made. What a program leaves beside that, such as a cache, is no edit. */
const edits = ({ tool, outcome }: Taken, artifacts: readonly Artifact[]): boolean =>
  filesIn(outcome).some(({ path }) => tool !== 'run' || artifacts.some((artifact) => artifact.path === path))
