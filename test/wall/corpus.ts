import type { Attempt, Hole } from './attempt.ts'
import { ARCHIVES } from './corpus/archives.ts'
import { ARGV } from './corpus/argv.ts'
import { GIT } from './corpus/git.ts'
import { HOUSE } from './corpus/house.ts'
import { INSIDE } from './corpus/inside.ts'
import { PATCHES } from './corpus/patches.ts'
import { PATHS } from './corpus/paths.ts'
import { RACES } from './corpus/races.ts'
import { SCOPES } from './corpus/scopes.ts'
import { WEB } from './corpus/web.ts'

/** Every attempt there is. What does not begin in deploy comes first: to get in there takes tests that passed. */
export const CORPUS: readonly Attempt[] = [
  ...PATHS,
  ...SCOPES,
  ...ARGV,
  ...GIT,
  ...PATCHES,
  ...INSIDE,
  ...ARCHIVES,
  ...WEB,
  ...HOUSE,
  ...RACES,
].toSorted((a, b) => Number(a.peripheral === 'deploy') - Number(b.peripheral === 'deploy'))

export const HOLES: readonly Hole[] = []
