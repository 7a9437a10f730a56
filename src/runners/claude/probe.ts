import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import type { Probe } from '../../shapes/agent.ts'
import type { RunnerOptions } from '../options.ts'
import { probeProgram, type Seen } from '../probe.ts'
import type { Program } from '../program.ts'
import { promised } from '../promised.ts'
import type { Hands } from '../runner.ts'
import { environmentOf } from './environment.ts'
import { endOf } from './failures.ts'
import { prepareHome } from './home.ts'
import { launch } from './launch.ts'
import { isOurs, nameInProgram } from './names.ts'
import { wrongIn } from './sight.ts'
import { type Init, readLine, userLine } from './wire.ts'

type Parts = {
  options: RunnerOptions
  hands: Hands
  expected: readonly string[]
  started: (program: Program) => void
  found: (version: string) => void
}

const START_MS = 60_000

/** Where nobody listens: the program is looked at, and not its model. */
const NOWHERE = 'http://127.0.0.1:1'

export const probeClaude = async (parts: Parts): Promise<Probe[]> => {
  const { options, expected, started, found } = parts
  await prepareHome(options)
  return probeProgram({
    name: 'claude',
    options,
    env: environmentOf(options),
    signIn: {
      args: ['auth', 'status'],
      isYes: ({ output }) => Signed.safeParse(parseJson(output)).data?.loggedIn ?? false,
    },
    expected,
    nameIn: nameInProgram,
    look: () => lookAround(parts),
    started,
    found,
  })
}

const Signed = z.object({ loggedIn: z.boolean() })

/** What the program has, as it says at the beginning of a turn that is none; or why it does not say it. */
const lookAround = async ({ options, hands, started }: Parts): Promise<Seen | string> => {
  const told = promised<Init>()
  const launched = await launch(options, {
    id: randomUUID(),
    hands,
    instructions: '',
    model: null,
    conversation: null,
    env: { ANTHROPIC_BASE_URL: NOWHERE },
    heard: (text) => {
      const line = readLine(text)
      if (line?.type === 'system') told.resolve(line)
    },
  })
  if (!launched) return `${options.program} cannot be run`
  const { program, tidy } = launched
  started(program)
  program.write(userLine(randomUUID(), 'Nothing is asked.', false))
  const ended = program.ended.then(({ how, complaint }) => endOf(how, complaint).message)
  const late = setTimeout(START_MS, 'it did not start in time', { ref: false })
  const answer = await Promise.race([told.promise, ended, late])
  await program.end(0)
  await tidy()
  return typeof answer === 'string' ? answer : { tools: answer.tools.filter(isOurs), wrong: wrongIn(answer) }
}
