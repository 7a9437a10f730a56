import type { Probe } from '../../shapes/agent.ts'
import type { RunnerOptions } from '../options.ts'
import { probeProgram, type Seen } from '../probe.ts'
import type { Opened } from '../runner.ts'
import { environmentOf } from './environment.ts'
import { prepareHome } from './home.ts'

type Parts = {
  options: RunnerOptions
  expected: readonly string[]
  /** Opens a conversation with the tools that are expected, which is forgotten afterwards. */
  open: () => Promise<Opened>
  found: (version: string) => void
}

export const probeCodex = async ({ options, expected, open, found }: Parts): Promise<Probe[]> => {
  await prepareHome(options)
  return probeProgram({
    name: 'codex',
    options,
    env: environmentOf(options),
    signIn: { args: ['login', 'status'], isYes: ({ ok }) => ok },
    expected,
    // A conversation says them by their own names already.
    nameIn: (tool) => tool,
    look: () => lookAround(open),
    found,
  })
}

const lookAround = async (open: Parts['open']): Promise<Seen | string> => {
  const opened = await open()
  if (!opened.ok) return opened.failure.message
  const { conversation } = opened
  try {
    return { tools: await conversation.tools(), wrong: null }
  } catch (error) {
    return (error as Error).message
  } finally {
    await conversation.close()
  }
}
