import { environmentWith } from '../environment.ts'
import type { RunnerOptions } from '../options.ts'
import { KEY_VARIABLE } from './flags.ts'

/** Where the program has its home: it finds nothing of the user's own. */
export const codexHome = (home: string): Record<string, string> => ({ HOME: home, CODEX_HOME: home })

type Given = Pick<RunnerOptions, 'home' | 'env' | 'key' | 'provider'>

/** All that the program finds in its environment. */
export const environmentOf = ({ home, env, key, provider }: Given): Record<string, string> => ({
  ...environmentWith(env),
  ...codexHome(home),
  // There is nowhere that it could run anything, also if it wanted to.
  CODEX_EXEC_SERVER_URL: 'none',
  ...(provider !== null && key !== null ? { [KEY_VARIABLE]: key } : {}),
})
