import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerOptions } from '../options.ts'
import { type Program, startProgram } from '../program.ts'
import type { Hands } from '../runner.ts'
import { environmentOf, hasKey, TOKEN_VARIABLE } from './environment.ts'
import { flagsOf, type Wanted } from './flags.ts'
import { prepareHome } from './home.ts'
import { SERVER } from './names.ts'

type Launch = {
  /** A name that no other start has. */
  id: string
  hands: Hands
  instructions: string
  model: string | null
  conversation: Wanted['conversation']
  /** What it finds in its environment besides. */
  env?: Record<string, string>
  heard: (line: string) => void
}

/** The program that was started, and how what it was started with is taken away again. */
type Launched = { program: Program; tidy: () => Promise<void> }

/** Starts the program behind its wall; null where it cannot be started. */
export const launch = async (options: RunnerOptions, wanted: Launch): Promise<Launched | null> => {
  const { home, empty, program, wrap } = options
  const { id, hands, instructions, model, conversation, env = {}, heard } = wanted
  const folder = join(home, 'starts', id)
  const tidy = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const files = { endpoint: join(folder, 'endpoint.json'), instructions: join(folder, 'instructions.md') }
  const write = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(files.endpoint, endpointOf(hands), { mode: 0o600 })
    await writeFile(files.instructions, instructions, { mode: 0o600 })
  }
  await prepareHome(options)
  await write().catch(async (error: Error) => {
    await tidy()
    throw error
  })
  const started = startProgram({
    argv: [program, ...flagsOf({ ...files, model, conversation, bare: hasKey(options) })],
    env: { ...environmentOf(options), [TOKEN_VARIABLE]: hands.token, ...env },
    cwd: empty,
    wrap,
    heard,
  })
  if (started) return { program: started, tidy }
  await tidy()
  return null
}

/** Our endpoint, as the program reads it. The token is in its environment and nowhere else. */
const endpointOf = ({ url }: Hands): string =>
  JSON.stringify({
    mcpServers: { [SERVER]: { type: 'http', url, headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` } } },
  })
