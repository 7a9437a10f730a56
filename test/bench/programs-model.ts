import { startAnthropic } from '../../src/rig/anthropic.ts'
import { startOpenai } from '../../src/rig/openai.ts'
import type { Move, Script } from '../../src/rig/script.ts'

export type ProgramName = 'claude' | 'codex'

/** The models that the programs ask for, by names that they know. */
export const MODELS: Record<ProgramName, string> = { claude: 'claude-rig', codex: 'gpt-5.5' }

/** What is asked for in every turn, what is read in it, and how it is answered. */
export const REQUEST = 'what is this?'
export const README = '# teapot\n'
export const ANSWER = 'a teapot'

const LOOK: Move = { do: 'call', calls: [{ tool: 'read', args: { path: 'README.md' } }] }
const SAY: Move = { do: 'say', text: ANSWER }

/** Says something to an agent, and has heard its answer when it resolves. */
export type Speak = (text: string) => Promise<void>

/** The parts of a turn, in milliseconds: up to the first request, from the call to its result, from the last word to its end. */
export type Parts = { asked: number; called: number; told: number; whole: number }

/** A model that reads one file in every turn, then answers, and thinks about neither: all the time that passes is others'. */
export const startModel = async (name: ProgramName) => {
  const asked: number[] = []
  const script: Script = ({ result }) => {
    asked.push(performance.now())
    return result === null ? LOOK : SAY
  }
  const stub = await (name === 'claude' ? startAnthropic : startOpenai)(script)
  return {
    url: stub.url,
    /** One turn, while there is no other: when the model was asked says how long its parts took. */
    time: async (speak: Speak): Promise<Parts> => {
      asked.length = 0
      const began = performance.now()
      await speak(REQUEST)
      const ended = performance.now()
      const [first, second, ...more] = asked
      if (first === undefined || second === undefined || more.length > 0)
        throw new Error(`the model of ${name} was asked ${asked.length} times`)
      return { asked: first - began, called: second - first, told: ended - second, whole: ended - began }
    },
    [Symbol.asyncDispose]: stub.close,
  }
}

export type Model = Awaited<ReturnType<typeof startModel>>
