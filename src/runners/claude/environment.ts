import { join } from 'node:path'
import { environmentWith } from '../environment.ts'
import type { RunnerOptions } from '../options.ts'
import { temporaryIn } from './home.ts'

/** The variable with the token of a session: the file that names our endpoint refers to it. */
export const TOKEN_VARIABLE = 'BELLHOP_TOKEN'

const A_DAY_MS = '86400000'

const WALL: Readonly<Record<string, string>> = {
  // It calls nobody but who serves the model.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_UPDATES: '1',
  // It reads nothing on its own account: no file that is named in a text, none that lies about.
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  // It does not begin before our tools are there, and shows all of them.
  ENABLE_TOOL_SEARCH: 'false',
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '15000',
  // A call may wait for a person. What a tool answers is cut by us.
  MCP_TOOL_TIMEOUT: A_DAY_MS,
  CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: A_DAY_MS,
  CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
  ENABLE_MCP_LARGE_OUTPUT_FILES: 'false',
  MAX_MCP_OUTPUT_TOKENS: '1000000',
  // To try again, and to let go of what was said, is for us to decide.
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  DISABLE_COMPACT: '1',
}

/** Where the program has its home: it finds nothing of the user's own. */
export const claudeHome = (home: string): Record<string, string> => ({
  HOME: home,
  CLAUDE_CONFIG_DIR: join(home, '.claude'),
})

/** A key that stands for a person's sign-in. */
const isSignIn = (key: string): boolean => key.startsWith('sk-ant-oat')

/** Whether it works by a key, and so never looks for a sign-in. */
export const hasKey = ({ key, provider }: Pick<RunnerOptions, 'key' | 'provider'>): boolean =>
  key === null ? provider !== null : !isSignIn(key)

/** All that the program finds in its environment. */
export const environmentOf = (options: RunnerOptions): Record<string, string> => {
  const { home, env, provider } = options
  return {
    LANG: 'C.UTF-8',
    ...environmentWith(env),
    ...claudeHome(home),
    TMPDIR: temporaryIn(home),
    CLAUDE_CODE_TMPDIR: temporaryIn(home),
    ...WALL,
    ...keyIn(options),
    ...(provider === null ? {} : { ANTHROPIC_BASE_URL: provider.url }),
  }
}

const keyIn = ({ key, provider }: RunnerOptions): Record<string, string> => {
  if (key !== null) return { [isSignIn(key) ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY']: key }
  // A model of the user's own may need none, and is not to be shown the sign-in that is for another.
  return provider === null ? {} : { ANTHROPIC_API_KEY: 'none' }
}
