import type { RunnerOptions } from '../options.ts'
import { KEY_VARIABLE } from './flags.ts'

const PATH = '/usr/local/bin:/usr/bin:/bin'

const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

/** Where the program has its home: it finds nothing of the user's own. */
export const codexHome = (home: string): Record<string, string> => ({ HOME: home, CODEX_HOME: home })

type Given = Pick<RunnerOptions, 'home' | 'env' | 'key' | 'provider'>

/** All that the program finds in its environment. */
export const environmentOf = ({ home, env, key, provider }: Given): Record<string, string> => {
  const { NO_PROXY = '', no_proxy = '', ...rest } = env
  const direct = [...NO_PROXY.split(','), ...no_proxy.split(','), ...LOOPBACK].filter((host) => host !== '')
  return {
    PATH,
    ...rest,
    ...codexHome(home),
    // There is nowhere that it could run anything, also if it wanted to.
    CODEX_EXEC_SERVER_URL: 'none',
    // Our own endpoint is on this machine: the way to it leads through nobody.
    NO_PROXY: [...new Set(direct)].join(','),
    ...(provider !== null && key !== null ? { [KEY_VARIABLE]: key } : {}),
  }
}
