import { join } from 'node:path'
import { expect } from 'vitest'
import type { RunnerOptions } from '../../src/runners/options.ts'
import type { Conversation, Hands, Opening, Runner, Said } from '../../src/runners/runner.ts'
import { CODEX_VERSION, findClis } from '../support/clis.ts'

/** What the real program is run with, in a folder of its own. */
export const codexOptions = async (
  folder: string,
  more: Partial<RunnerOptions> & Pick<RunnerOptions, 'provider'>,
): Promise<RunnerOptions> => ({
  agent: 'codex-1',
  program: (await findClis()).codex,
  versions: [CODEX_VERSION],
  home: join(folder, 'home'),
  empty: join(folder, 'empty'),
  key: null,
  models: ['gpt-5.5', 'gpt-6-sol', 'llama-local'],
  env: {},
  wrap: (argv) => argv,
  signIn: 'run bellhop login codex-1',
  log: () => {},
  ...more,
})

export const INSTRUCTIONS = 'You are codex-1, at work in a room.'

/** Opens a conversation, or fails with why not. */
export const opened = async (runner: Runner, hands: Hands, more: Partial<Opening> = {}): Promise<Conversation> => {
  const { url, token } = hands
  const opening = { session: 's-1', instructions: INSTRUCTIONS, model: 'gpt-5.5', resume: null, ...more }
  const answer = await runner.open({ ...opening, hands: { url, token } })
  return answer.ok ? answer.conversation : expect.fail(answer.failure.message)
}

/** Listens to a turn. */
export const listener = () => {
  const said: Said[] = []
  return {
    said,
    how: { model: null, heard: (one: Said) => void said.push(one) },
    /** All but the signs of life. */
    words: () => said.filter(({ kind }) => kind !== 'alive'),
    has: (kind: Said['kind']) => said.some((one) => one.kind === kind),
  }
}

export const quietly = { model: null, heard: () => {} }
