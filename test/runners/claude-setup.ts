import { join } from 'node:path'
import { expect } from 'vitest'
import type { RunnerOptions } from '../../src/runners/options.ts'
import type { Conversation, Hands, Opening, Runner } from '../../src/runners/runner.ts'
import { CLAUDE_VERSION, findClis } from '../support/clis.ts'

export const MODEL = 'claude-sonnet-4-6'
export const INSTRUCTIONS = 'You are claude-1, at work in a room.'

/** What the real program is run with, in a folder of its own. */
export const claudeOptions = async (
  folder: string,
  more: Partial<RunnerOptions> & Pick<RunnerOptions, 'provider'>,
): Promise<RunnerOptions> => ({
  agent: 'claude-1',
  program: (await findClis()).claude,
  versions: [CLAUDE_VERSION],
  home: join(folder, 'home'),
  empty: join(folder, 'empty'),
  key: 'key-of-ada',
  models: [MODEL],
  env: {},
  wrap: (argv) => argv,
  signIn: 'run bellhop login claude-1',
  log: () => {},
  ...more,
})

export const openingOf = ({ url, token }: Hands, more: Partial<Opening> = {}): Opening => ({
  session: 's-1',
  instructions: INSTRUCTIONS,
  hands: { url, token },
  model: MODEL,
  resume: null,
  ...more,
})

/** Opens a conversation, or fails with why not. */
export const openedBy = async (runner: Runner, hands: Hands, more: Partial<Opening> = {}): Promise<Conversation> => {
  const answer = await runner.open(openingOf(hands, more))
  return answer.ok ? answer.conversation : expect.fail(answer.failure.message)
}
