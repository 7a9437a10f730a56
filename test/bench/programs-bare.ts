import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeRunner } from '../../src/runners/claude/runner.ts'
import { createCodexRunner } from '../../src/runners/codex/runner.ts'
import type { RunnerOptions } from '../../src/runners/options.ts'
import { startPeripheral } from '../runners/peripheral.ts'
import { scratch } from '../support/folder.ts'
import { ANSWER, MODELS, type Model, type ProgramName, README, type Speak } from './programs-model.ts'

/**
 * The same program with the same flags, and nothing of Bellhop but what reads its lines: its one tool says what a file says,
 * and there is no store, no queue, no gate and no room.
 */
export const startBare = async (name: ProgramName, program: string, { url }: Pick<Model, 'url'>) => {
  const folder = scratch()
  const [home, empty] = [join(folder.path, 'home'), join(folder.path, 'empty')]
  for (const place of [home, empty]) mkdirSync(place)
  const hands = await startPeripheral({ tools: { read: () => README }, token: 'of-the-bench' })
  const options: RunnerOptions = {
    agent: `${name}-1`,
    program,
    versions: [],
    home,
    empty,
    key: 'sk-rig',
    provider: { url },
    models: [MODELS[name]],
    env: {},
    wrap: (argv) => argv,
    signIn: '',
    log: () => {},
  }
  const runner = name === 'claude' ? createClaudeRunner(options) : createCodexRunner(options)
  return {
    /** Begins a conversation. */
    begin: async (): Promise<Speak> => {
      const opened = await runner.open({
        session: 'bench',
        instructions: `You are ${name}-1, at work in a room.`,
        hands: { url: hands.url, token: hands.token },
        model: MODELS[name],
        resume: null,
      })
      if (!opened.ok) throw new Error(opened.failure.message)
      const { conversation } = opened
      return async (text) => {
        const finish = await conversation.speak(text, { model: null, heard: () => {} })
        if (finish.kind !== 'answered' || finish.text !== ANSWER) throw new Error(`answered ${JSON.stringify(finish)}`)
      }
    },
    pids: async () => runner.pids(),
    [Symbol.asyncDispose]: async () => {
      await runner.close()
      await hands.close()
      folder[Symbol.dispose]()
    },
  }
}

export type Bare = Awaited<ReturnType<typeof startBare>>
