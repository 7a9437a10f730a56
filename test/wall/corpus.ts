import type { Attempt, Hole } from './attempt.ts'
import { ARCHIVES } from './corpus/archives.ts'
import { ARGV } from './corpus/argv.ts'
import { DEEP } from './corpus/deep.ts'
import { GIT } from './corpus/git.ts'
import { HOUSE } from './corpus/house.ts'
import { INSIDE } from './corpus/inside.ts'
import { PATCHES } from './corpus/patches.ts'
import { PATHS } from './corpus/paths.ts'
import { RACES } from './corpus/races.ts'
import { SCOPES } from './corpus/scopes.ts'
import { WEB } from './corpus/web.ts'

const ALL: readonly Attempt[] = [
  ...PATHS,
  ...SCOPES,
  ...ARGV,
  ...GIT,
  ...PATCHES,
  ...INSIDE,
  ...DEEP,
  ...ARCHIVES,
  ...WEB,
  ...HOUSE,
  ...RACES,
]

/** Attempts that are known to succeed, and that SECURITY.md tells of: what is open, and what would close it. */
const OPEN: Readonly<Record<string, string>> = {
  'deep: a program reads what git has kept':
    'programs see .git, and with it every secret that was ever committed: src/sandbox/view.ts',
  'deep: a program makes links by names that nobody may touch':
    'what a program makes that nobody may touch is looked for without links: src/workspace/hidden.ts',
  'deep: the same, by a program that goes on in a terminal':
    'what a program in a terminal makes that nobody may touch is not looked for: src/house/workshop.ts',
  'deep: what nobody may touch, by a program that goes on in a terminal':
    'what a program in a terminal makes that nobody may touch is not looked for: src/house/workshop.ts',
}

/** Every attempt that must fail. What does not begin in deploy comes first: to get in there takes tests that passed. */
export const CORPUS: readonly Attempt[] = ALL.filter(({ id }) => OPEN[id] === undefined).toSorted(
  (a, b) => Number(a.peripheral === 'deploy') - Number(b.peripheral === 'deploy'),
)

/** Those that must fail as well, and do not yet. */
export const HOLES: readonly Hole[] = ALL.flatMap((attempt) => {
  const hole = OPEN[attempt.id]
  return hole === undefined ? [] : [{ ...attempt, hole }]
})

/** What a refusal depends on besides the call: how many there were before, or a person. */
const ALONE: readonly (string | undefined)[] = [
  'budget-spent',
  'looping',
  'entry-refused',
  'approval-denied',
  'approval-lapsed',
]

/** After these nothing is as it was before, unless they are refused. */
const MOVING: readonly (string | undefined)[] = ['run', 'hop', 'advance', 'reflect']

/** Whether others can be tried in the same turn: it begins like them, and they are none the worse for it. */
const isPlain = ({ calls, expect, slow, person, together, swapped }: Attempt): boolean => {
  const moves = expect === undefined && MOVING.includes(calls.at(-1)?.tool)
  return !moves && !ALONE.includes(expect) && [slow, person, together, swapped].every((given) => given === undefined)
}

/** Attempts that are tried in one turn, as many as a turn has steps for. */
export const turnsOf = (attempts: readonly Attempt[], most: (peripheral: string) => number): Attempt[][] => {
  const turns: Attempt[][] = []
  const open = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    const key = `${attempt.peripheral} ${JSON.stringify(attempt.calls.slice(0, -1))}`
    const turn = isPlain(attempt) ? open.get(key) : undefined
    if (turn && turn.length + attempt.calls.length <= most(attempt.peripheral)) turn.push(attempt)
    else {
      const fresh = [attempt]
      turns.push(fresh)
      if (isPlain(attempt)) open.set(key, fresh)
    }
  }
  return turns
}
