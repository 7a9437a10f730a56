import { oneLine } from '../lib/plain.ts'
import type { Probe } from '../shapes/agent.ts'
import { type Came, runOnce } from './once.ts'
import type { RunnerOptions } from './options.ts'
import type { Program } from './program.ts'

/** What is looked at, and what is different about it from one program to the other. */
type Looking = {
  /** What people call the program. */
  name: string
  options: RunnerOptions
  /** All that it finds in its environment. */
  env: Readonly<Record<string, string>>
  /** How it is asked whether somebody is signed in, and whether its answer says so. */
  signIn: { args: readonly string[]; isYes: (answer: Came) => boolean }
  /** The tools that it should see, by the names of the spec; and how it calls them. */
  expected: readonly string[]
  nameIn: (tool: string) => string
  /** What it sees of tools; a sentence where it does not say. */
  look: () => Promise<Seen | string>
  started?: (program: Program) => void
  found: (version: string) => void
}

/** The tools that a program has of us, and what else is wrong with what it has; null where nothing is. */
export type Seen = { tools: readonly string[]; wrong: string | null }

/** How long it may take to say a word about itself. */
const WORD_MS = 15_000
const SHOWN = 400

/** Looks at a program, step by step, and stops at the first that fails: what comes after it could say nothing. */
export const probeProgram = async (looking: Looking): Promise<Probe[]> => {
  const probes: Probe[] = []
  const add = (name: string, [ok, detail]: Verdict): boolean => {
    probes.push({ name, ok, detail: oneLine(detail, SHOWN) })
    return ok
  }
  const version = await versionOf(looking)
  if (version !== null) looking.found(version)
  if (!add('program', isThere(looking, version)) || !add('version', isTested(looking, version ?? ''))) return probes
  if (add('sign-in', await isSignedIn(looking))) add('tools', await hasTools(looking))
  return probes
}

type Verdict = [ok: boolean, detail: string]

const versionOf = async (looking: Looking): Promise<string | null> => {
  const came = await ask(looking, ['--version'])
  return /\d+\.\d+\.\d+\S*/.exec(came?.ok ? came.output : '')?.[0] ?? null
}

const ask = ({ options, env, started }: Looking, args: readonly string[]): Promise<Came | null> =>
  runOnce({
    argv: [options.program, ...args],
    env,
    cwd: options.empty,
    wrap: options.wrap,
    ms: WORD_MS,
    ...(started && { started }),
  })

const isThere = ({ name, options }: Looking, version: string | null): Verdict =>
  version === null ? [false, `${options.program} cannot be run`] : [true, `${name} ${version}`]

const isTested = ({ name, options: { versions } }: Looking, version: string): Verdict => {
  if (versions.includes('any') || versions.includes(version)) return [true, version]
  const way = `the wall was tested with ${versions.join(', ')}; \`bellhop doctor --wall\` checks another version`
  return [false, `it is ${name} ${version}: ${way}`]
}

const isSignedIn = async (looking: Looking): Promise<Verdict> => {
  const { options, signIn } = looking
  if (options.key !== null) return [true, 'a key is set']
  if (options.provider !== null) return [true, 'the model needs no key']
  const answer = await ask(looking, signIn.args)
  return answer && signIn.isYes(answer) ? [true, 'signed in'] : [false, `not signed in: ${options.signIn}`]
}

const hasTools = async ({ expected, nameIn, look }: Looking): Promise<Verdict> => {
  const seen = await look()
  if (typeof seen === 'string') return [false, seen]
  const names = expected.map(nameIn)
  const missing = expected.filter((tool) => !seen.tools.includes(nameIn(tool)))
  const besides = seen.tools.filter((tool) => !names.includes(tool))
  const wrong = [
    ...(seen.wrong === null ? [] : [seen.wrong]),
    ...(missing.length > 0 ? [`it does not see ${missing.join(', ')}`] : []),
    ...(besides.length > 0 ? [`it sees what it should not: ${besides.join(', ')}`] : []),
  ]
  return wrong.length === 0 ? [true, [...expected].sort().join(' ')] : [false, wrong.join('; ')]
}
