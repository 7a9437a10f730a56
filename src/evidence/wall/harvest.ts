import type { BodyOf } from '../../shapes/evidence.ts'
import type { Fruit, TestResult } from '../../shapes/fruit.ts'
import type { FileChange, RunResult } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import { changedIn, type Ended } from './intent.ts'
import { placeOf } from './place.ts'

/** A run of tests since the last change: which command it was, and whether they passed. */
type Test = { command: string; passed: boolean }

/** What was done to a file in a stay: what it was at first, and last; null where an outcome names it and says no more. */
type Fate = { before: FileChange['before']; after: FileChange['after'] } | null

/**
 * Gathers what the steps of one stay came to, and holds the fruit against it. A fruit may say less than there was, as it
 * is cut where it is long; it may not say more, nor anything better.
 */
export const createHarvest = () => {
  const found = new Set<string>()
  const fates = new Map<string, Fate>()
  const checked = new Map<string, boolean>()
  const done = { commits: new Set<string>(), pushed: new Set<string>(), ran: new Set<string>() }
  const reviews = new Set<string>()
  const played = { moves: 0, won: new Set<string>(), score: 0, idle: 0 }
  let tests: Test[] = []
  let cycles = 0
  let last: 'well' | 'badly' | 'not' = 'not'
  // Once a step is gone, what it came to is not known any more.
  let whole = true

  const change = ({ path, before, after }: FileChange): void => {
    const known = fates.get(path)
    // What was not known in between is not known from there on.
    fates.set(path, known === null ? null : { before: known ? known.before : before, after })
  }

  const changed = (outcome: Ended): void => {
    const { files = [] } = outcome
    const told = new Set(files.map(({ path }) => path))
    const names = changedIn(outcome)
    for (const file of files) change(file)
    for (const path of names) if (!told.has(path)) fates.set(path, null)
    // What was tested before a change says nothing of what is there after it.
    if (names.length > 0) tests = []
  }

  const ran = (run: RunResult, well: boolean, step: string): void => {
    const command = run.argv.join(' ')
    for (const check of checksBy(step)) checked.set(check, well)
    if (provesSomething(run)) tests.push({ command, passed: well && !run.report?.failed })
    if (run.for === 'deploy' && well) done.ran.add(command)
    if (run.commit !== null) done.commits.add(run.commit)
    for (const ref of run.pushed) done.pushed.add(ref)
  }

  const moved = ({ game, changed: something, score, won }: NonNullable<Ended['world']>): void => {
    played.moves += 1
    played.score = score
    played.idle = something ? 0 : played.idle + 1
    // What wins changes something, and leaves nothing to do.
    if (won && something && score === 1) played.won.add(game)
  }

  const came = (step: string, tool: string, outcome: Ended): void => {
    changed(outcome)
    if (outcome.run) ran(outcome.run, outcome.kind === 'ok' && endedWell(outcome.run), step)
    if (outcome.kind !== 'ok') return
    for (const path of outcome.paths) found.add(nameOf(path))
    if (outcome.world && tool === 'world-act') moved(outcome.world)
  }

  return {
    ended: ({ step, tool, outcome }: BodyOf<'step-ended'>): void => {
      const well = outcome.kind === 'ok'
      // A hop that went well is the end of a stay, and no work of it.
      if (!well || tool !== 'hop') last = well ? 'well' : 'badly'
      // From the last phase one gets on only through all gates.
      if (well && tool === 'advance' && outcome.phase === 'setup') cycles++
      if (outcome.kind !== 'interrupted') came(step, tool, outcome)
    },
    refused: (): void => {
      last = 'badly'
    },
    restored: ({ files }: BodyOf<'restored'>): void => {
      for (const file of files) change(file)
      if (files.length > 0) tests = []
    },
    reviewed: (id: string): void => void reviews.add(id),
    lost: (): void => {
      whole = false
    },
    /** What a fruit says that no step shows. */
    judge: (fruit: Fruit): Finding[] => {
      if (!whole) return []
      const wrong = [
        ...fruit.found.filter((path) => !found.has(nameOf(path))).map((path) => `that ${path} was found`),
        ...(fruit.changed ?? []).flatMap((file) => wrongChange(file, fates)),
        ...(fruit.checks ?? [])
          .filter(({ name, ok }) => ok && !checked.get(name))
          .map(({ name }) => `that ${name} passed`),
        ...wrongTests(fruit.tests, tests),
        ...wrongDeploy(fruit.deploy, done),
        ...wrongGame(fruit.world, played),
        ...(fruit.review && !reviews.has(fruit.review) ? ['that there is a review'] : []),
        ...wrongCycles(fruit, cycles),
        ...(fruit.blocked && last !== 'badly' ? ['that its last step did not succeed'] : []),
      ]
      return wrong.map((what) => ({ rule: 'fruit', what: `says ${what}, and no step shows it` }))
    },
  }
}

const nameOf = (path: string): string => placeOf(path) ?? path

/** A check is a step beside the numbered ones, which has its name: `TURN.4.check-lint`. */
const checksBy = (step: string): string[] => /\.check-([^.]+)$/.exec(step)?.slice(1) ?? []

const endedWell = ({ ended, exit }: RunResult): boolean => ended === 'exit' && exit === 0

/** Whether it is a run of tests; a runner that found none to run has proved nothing. */
const provesSomething = ({ for: purpose, exit, report }: RunResult): boolean =>
  purpose === 'test' && (exit !== 0 || report === null || report.passed + report.failed > 0)

const wrongCycles = ({ cycles = 0 }: Fruit, completed: number): string[] =>
  cycles > completed ? [`that ${cycles} cycles were completed`] : []

const wrongChange = ({ path, before, after }: FileChange, fates: ReadonlyMap<string, Fate>): string[] => {
  const fate = fates.get(path)
  if (fate === null) return []
  // What was changed and changed back is what it was.
  if (fate === undefined || fate.before === fate.after) return [`that ${path} was changed`]
  return fate.before === before && fate.after === after ? [] : [`that ${path} is what it says`]
}

/** From the worst to the best. */
const RANKS: readonly TestResult[] = ['none', 'fail', 'flaky', 'pass']

const wrongTests = (said: Fruit['tests'], tests: readonly Test[]): string[] => {
  if (!said || RANKS.indexOf(said.result) <= RANKS.indexOf(resultOf(tests))) return []
  return [`that tests came to ${said.result}`]
}

/** All that ran must have passed; a command that did both is neither. */
const resultOf = (tests: readonly Test[]): TestResult => {
  if (tests.length === 0) return 'none'
  const [good, bad] = [true, false].map(
    (passed) => new Set(tests.filter((t) => t.passed === passed).map((t) => t.command)),
  )
  if (bad?.size === 0) return 'pass'
  return [...(bad ?? [])].some((command) => good?.has(command)) ? 'flaky' : 'fail'
}

type Played = { moves: number; won: ReadonlySet<string>; score: number; idle: number }

const wrongGame = (said: Fruit['world'], played: Played): string[] => {
  if (!said) return []
  return [
    ...said.won.filter((game) => !played.won.has(game)).map((game) => `that ${game} was won`),
    ...(said.moves > played.moves ? [`that ${said.moves} moves were made`] : []),
    ...(said.score > played.score ? [`that the score is ${said.score}`] : []),
    ...(said.idle > played.idle ? [`that the last ${said.idle} moves changed nothing`] : []),
  ]
}

type Done = { commits: ReadonlySet<string>; pushed: ReadonlySet<string>; ran: ReadonlySet<string> }

const wrongDeploy = (said: Fruit['deploy'], done: Done): string[] => {
  if (!said) return []
  return [
    ...said.commits.filter((commit) => !done.commits.has(commit)).map((commit) => `that ${commit} was committed`),
    ...said.pushed.filter((ref) => !done.pushed.has(ref)).map((ref) => `that ${ref} was pushed`),
    ...said.ran.filter((command) => !done.ran.has(command)).map((command) => `that ${command} ran`),
  ]
}
