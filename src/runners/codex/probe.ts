import { oneLine } from '../../lib/plain.ts'
import type { Probe } from '../../shapes/agent.ts'
import type { RunnerOptions } from '../options.ts'
import type { Opened } from '../runner.ts'
import { runOnce } from './once.ts'

type Parts = {
  options: RunnerOptions
  expected: readonly string[]
  /** Opens a conversation with the tools that are expected, which is forgotten afterwards. */
  open: () => Promise<Opened>
  found: (version: string) => void
}

const PROGRAM_MS = 15_000
const SHOWN = 400

/** Looks at the program, step by step, and stops at the first that fails: what comes after it could say nothing. */
export const probeCodex = async ({ options, expected, open, found }: Parts): Promise<Probe[]> => {
  const probes: Probe[] = []
  const add = (probe: Probe): boolean => {
    probes.push({ ...probe, detail: oneLine(probe.detail, SHOWN) })
    return probe.ok
  }
  const version = await versionOf(options)
  if (version !== null) found(version)
  if (!add(isThere(options, version)) || !add(isTested(options, version ?? ''))) return probes
  if (add(await isSignedIn(options))) add(await hasTools(expected, open))
  return probes
}

const versionOf = async (options: RunnerOptions): Promise<string | null> => {
  const came = await runOnce(options, ['--version'], PROGRAM_MS)
  return /\d+\.\d+\.\d+\S*/.exec(came?.ok ? came.output : '')?.[0] ?? null
}

const isThere = ({ program }: RunnerOptions, version: string | null): Probe => {
  const detail = version === null ? `${program} cannot be run` : `codex ${version}`
  return { name: 'program', ok: version !== null, detail }
}

const isTested = ({ versions }: RunnerOptions, version: string): Probe => {
  const ok = versions.includes('any') || versions.includes(version)
  const tested = versions.filter((one) => one !== 'any').join(', ')
  const way = `the wall was tested with ${tested}; \`bellhop doctor --wall\` checks another version`
  return { name: 'version', ok, detail: ok ? version : `it is codex ${version}: ${way}` }
}

const isSignedIn = async (options: RunnerOptions): Promise<Probe> => {
  const { key, provider, signIn } = options
  const is = (ok: boolean, detail: string): Probe => ({ name: 'sign-in', ok, detail })
  if (key !== null) return is(true, 'a key is set')
  if (provider !== null) return is(true, 'the model needs no key')
  const came = await runOnce(options, ['login', 'status'], PROGRAM_MS)
  return came?.ok ? is(true, 'signed in') : is(false, `not signed in: ${signIn}`)
}

const hasTools = async (expected: readonly string[], open: () => Promise<Opened>): Promise<Probe> => {
  const is = (ok: boolean, detail: string): Probe => ({ name: 'tools', ok, detail })
  const opened = await open()
  if (!opened.ok) return is(false, opened.failure.message)
  const { conversation } = opened
  try {
    const difference = differenceOf(expected, await conversation.tools())
    return difference === '' ? is(true, [...expected].sort().join(' ')) : is(false, difference)
  } catch (error) {
    return is(false, (error as Error).message)
  } finally {
    await conversation.close()
  }
}

const differenceOf = (expected: readonly string[], seen: readonly string[]): string => {
  const missing = expected.filter((tool) => !seen.includes(tool))
  const besides = seen.filter((tool) => !expected.includes(tool))
  return [
    ...(missing.length > 0 ? [`it does not see ${missing.join(', ')}`] : []),
    ...(besides.length > 0 ? [`it sees what it should not: ${besides.join(', ')}`] : []),
  ].join('; ')
}
