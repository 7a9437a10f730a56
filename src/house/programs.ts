import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { createClaudeRunner } from '../runners/claude/runner.ts'
import { nativeCodex } from '../runners/codex/native.ts'
import { createCodexRunner } from '../runners/codex/runner.ts'
import type { RunnerOptions } from '../runners/options.ts'
import type { Runner } from '../runners/runner.ts'
import { CERTIFICATES, keyOf, keysOf, wayOut } from '../runners/variables.ts'
import { TESTED } from '../runners/versions.ts'
import { cageFor, type Wrap } from '../sandbox/cage.ts'
import { findProgram } from '../sandbox/programs.ts'
import type { AgentConfig } from '../shapes/agent.ts'
import type { Config } from '../shapes/config.ts'
import type { Folder } from './folder.ts'

export type ProgramName = 'claude' | 'codex'

/** What programs of agents are found and made with. */
export type Machine = {
  config: Pick<Config, 'agents' | 'profiles' | 'runners'>
  folder: Pick<Folder, 'agents'>
  /** Where programs are looked for; and the environment, for what the config names in it. */
  path: string
  variables: Readonly<Record<string, string | undefined>>
  log: RunnerOptions['log']
}

type Caging = Pick<Machine, 'path' | 'variables' | 'log'> & { config: Pick<Config, 'runners'> }

/** How each is installed, in a line. */
const INSTALLS: Record<ProgramName, string> = {
  claude: `npm install -g @anthropic-ai/claude-code@${TESTED.claude.at(-1)}`,
  codex: `npm install -g @openai/codex@${TESTED.codex.at(-1)}`,
}

/** The program that an agent is; null where it is none. */
export const programOf = ({ runner, type }: Pick<AgentConfig, 'runner' | 'type'>): ProgramName | null => {
  if (runner === 'claude' || runner === 'codex') return runner
  return runner === 'auto' && type !== 'tickle' ? type : null
}

/** The file of an agent's program; a sentence where there is none. */
export const findAgentProgram = async (
  { program }: Pick<AgentConfig, 'program'>,
  name: ProgramName,
  path: string,
): Promise<{ file: string } | string> => {
  const wanted = program ?? name
  const file = isAbsolute(wanted) ? wanted : await findProgram(wanted, path.split(delimiter))
  const real = file === null ? null : realOrNull(file)
  if (real === null) return `there is no program ${wanted}: ${INSTALLS[name]}`
  return { file: name === 'codex' ? await nativeCodex(real) : real }
}

/**
 * Where an agent's program keeps its sign-in and its conversations. Agents that work by the same account share one; those
 * that have a key or a provider of their own have one of their own.
 */
export const homeOf = (agent: AgentConfig, name: ProgramName, { agents }: Pick<Folder, 'agents'>): string => {
  const own = agent.key !== undefined || agent.provider !== undefined || agent.program !== undefined
  const home = join(agents, own ? agent.id : name)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return home
}

/** How a person signs an agent in. */
export const signInLine = (agent: AgentConfig): string =>
  `sign it in with \`bellhop login ${agent.id}\`, or set ${keysOf(agent)[0] ?? 'its key'} and start again`

/** The runner of an agent's program; a sentence where there can be none. */
export const makeRunner = async (agent: AgentConfig, name: ProgramName, machine: Machine): Promise<Runner | string> => {
  const found = await findAgentProgram(agent, name, machine.path)
  if (typeof found === 'string') return found
  const home = homeOf(agent, name, machine.folder)
  const empty = join(home, 'empty', agent.id)
  mkdirSync(empty, { recursive: true, mode: 0o700 })
  const options: RunnerOptions = {
    agent: agent.id,
    program: found.file,
    versions: agent.version === undefined ? TESTED[name] : [agent.version],
    home,
    empty,
    key: keyOf(agent, machine.variables),
    provider: agent.provider ?? null,
    models: modelsOf(agent, machine.config),
    env: wayOut(machine.variables),
    wrap: await wrapFor(found.file, [home], machine),
    signIn: signInLine(agent),
    log: machine.log,
  }
  return name === 'claude' ? createClaudeRunner(options) : createCodexRunner(options)
}

/** Every model that an agent may be asked to work with, or another of its type: they may share a process. */
const modelsOf = ({ type }: AgentConfig, { agents, profiles }: Machine['config']): string[] => {
  const own = agents.filter((agent) => agent.type === type).flatMap(({ model, fallback }) => [model, fallback])
  const named = [...own, ...Object.values(profiles).map(({ models }) => models[type])]
  return [...new Set(named.filter((model) => model !== undefined))]
}

/** The cage that a program runs in, with folders of its own; where there can be none, at least it ends with us. */
export const wrapFor = async (
  program: string,
  writable: readonly string[],
  { config, path, variables, log }: Caging,
): Promise<Wrap> => {
  const certificates = CERTIFICATES.flatMap((name) => variables[name] ?? [])
  // Both are one file each. A script needs the package around it, too.
  const needed = /\.[cm]?js$/.test(program) ? packageOf(dirname(program), program) : program
  const readable = [needed, ...certificates].map(realOrNull).filter((place) => place !== null)
  const cage = config.runners.cage === 'never' ? 'the config wants none' : await cageFor({ path, readable, writable })
  if (typeof cage !== 'string') return cage
  log('the programs of agents run without a cage', { why: cage })
  const setpriv = await findProgram('setpriv', path.split(delimiter))
  return setpriv === null ? (argv) => argv : (argv) => [setpriv, '--pdeathsig', 'KILL', '--', ...argv]
}

/** The folder of the package that a script is of; the script alone where it is of none. */
const packageOf = (folder: string, script: string): string => {
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(folder) === folder ? script : packageOf(dirname(folder), script)
}

const realOrNull = (file: string): string | null => {
  try {
    return realpathSync(file)
  } catch {
    return null
  }
}
