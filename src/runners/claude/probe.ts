import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import { oneLine } from '../../lib/plain.ts'
import type { Probe } from '../../shapes/agent.ts'
import type { RunnerOptions } from '../options.ts'
import type { Program } from '../program.ts'
import type { Hands } from '../runner.ts'
import { endOf } from './failures.ts'
import { launch } from './launch.ts'
import { nameInProgram } from './names.ts'
import { runOnce } from './once.ts'
import { foreignIn, wrongIn } from './sight.ts'
import { type Init, readLine, userLine } from './wire.ts'

type Parts = {
  options: RunnerOptions
  hands: Hands
  expected: readonly string[]
  started: (program: Program) => void
  found: (version: string) => void
}

const PROGRAM_MS = 15_000
const START_MS = 60_000
const SHOWN = 400

/** Where nobody listens: the program is looked at, and not its model. */
const NOWHERE = 'http://127.0.0.1:1'

/** Looks at the program, step by step, and stops at the first that fails: what comes after it could say nothing. */
export const probeClaude = async (parts: Parts): Promise<Probe[]> => {
  const { options, found } = parts
  const probes: Probe[] = []
  const add = (probe: Probe): boolean => {
    probes.push({ ...probe, detail: oneLine(probe.detail, SHOWN) })
    return probe.ok
  }
  const version = await versionOf(parts)
  if (version !== null) found(version)
  if (!add(isThere(options, version)) || !add(isTested(options, version ?? ''))) return probes
  if (add(await isSignedIn(parts))) add(await hasTools(parts))
  return probes
}

const versionOf = async ({ options, started }: Parts): Promise<string | null> => {
  const came = await runOnce(options, { args: ['--version'], ms: PROGRAM_MS, started })
  return /^\d+\.\d+\.\d+\S*/.exec(came?.ok ? came.output : '')?.[0] ?? null
}

const isThere = ({ program }: RunnerOptions, version: string | null): Probe => {
  const detail = version === null ? `${program} cannot be run` : `claude ${version}`
  return { name: 'program', ok: version !== null, detail }
}

const isTested = ({ versions }: RunnerOptions, version: string): Probe => {
  const ok = versions.includes('any') || versions.includes(version)
  const way = `the wall was tested with ${versions.join(', ')}; \`bellhop doctor --wall\` checks another version`
  return { name: 'version', ok, detail: ok ? version : `it is claude ${version}: ${way}` }
}

const Signed = z.object({ loggedIn: z.boolean() })

const isSignedIn = async ({ options, started }: Parts): Promise<Probe> => {
  const { key, provider, signIn } = options
  const is = (ok: boolean, detail: string): Probe => ({ name: 'sign-in', ok, detail })
  if (key !== null) return is(true, 'a key is set')
  if (provider !== null) return is(true, 'the model needs no key')
  const came = await runOnce(options, { args: ['auth', 'status'], ms: PROGRAM_MS, started })
  const signed = Signed.safeParse(parseJson(came?.output ?? '')).data
  return signed?.loggedIn ? is(true, 'signed in') : is(false, `not signed in: ${signIn}`)
}

const hasTools = async (parts: Parts): Promise<Probe> => {
  const is = (ok: boolean, detail: string): Probe => ({ name: 'tools', ok, detail })
  const seen = await lookAround(parts)
  if (typeof seen === 'string') return is(false, seen)
  const difference = differenceOf(parts.expected, seen.tools)
  const wrong = [wrongIn(seen), ...difference].filter((one) => one !== null)
  return wrong.length === 0 ? is(true, [...parts.expected].sort().join(' ')) : is(false, wrong.join('; '))
}

/** What the program has, as it says at the beginning of a turn that is none; or why it does not say it. */
const lookAround = async ({ options, hands, started }: Parts): Promise<Init | string> => {
  let saw: (init: Init) => void = () => {}
  const seen = new Promise<Init>((resolve) => {
    saw = resolve
  })
  const launched = await launch(options, {
    id: randomUUID(),
    hands,
    instructions: '',
    model: null,
    conversation: null,
    env: { ANTHROPIC_BASE_URL: NOWHERE },
    heard: (text) => {
      const line = readLine(text)
      if (line?.type === 'system') saw(line)
    },
  })
  if (!launched) return `${options.program} cannot be run`
  const { program, tidy } = launched
  started(program)
  program.write(userLine(randomUUID(), 'Nothing is asked.', false))
  const ended = program.ended.then(({ how, complaint }) => endOf(how, complaint).message)
  const late = setTimeout(START_MS, 'it did not start in time', { ref: false })
  const answer = await Promise.race([seen, ended, late])
  await program.end(0)
  await tidy()
  return answer
}

const differenceOf = (expected: readonly string[], seen: readonly string[]): string[] => {
  const missing = expected.filter((tool) => !seen.includes(nameInProgram(tool)))
  const known = new Set([...expected.map(nameInProgram), ...foreignIn(seen)])
  const besides = seen.filter((tool) => !known.has(tool))
  return [
    ...(missing.length > 0 ? [`it does not see ${missing.join(', ')}`] : []),
    ...(besides.length > 0 ? [`it sees what it should not: ${besides.join(', ')}`] : []),
  ]
}
