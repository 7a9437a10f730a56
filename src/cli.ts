import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { appServerCommand } from './commands/app-server.ts'
import { askCommands } from './commands/ask.ts'
import { execCommand } from './commands/exec.ts'
import { sayCommand } from './commands/say.ts'
import { schemaCommand } from './commands/schema.ts'
import { whistleCommand } from './commands/whistle.ts'
import type { Settings } from './house/parts.ts'
import { isPostgres } from './lib/address.ts'
import { Problem } from './lib/problem.ts'
import type { Report } from './up/children.ts'

// What only some commands need is loaded by them: `bellhop say` should not wait for a queue to load.

type Flags = { data?: string; workspace?: string; config?: string; host?: string; port?: number; verbose?: boolean }

const { env } = process

/** The folder with package.json: this file lies in `src`, or in `dist/src` once it is built. */
const root = (() => {
  const here = dirname(dirname(fileURLToPath(import.meta.url)))
  return here.endsWith('dist') ? dirname(here) : here
})()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const settingsFrom = (flags: Flags): Settings => {
  const workspace = resolve(flags.workspace ?? '.')
  const port = env['BELLHOP_PORT']
  return {
    root,
    version,
    workspace,
    data: resolve(flags.data || env['BELLHOP_DATA'] || join(workspace, '.bellhop')),
    configFile: flags.config ? resolve(flags.config) : null,
    host: flags.host || env['BELLHOP_HOST'] || undefined,
    port: flags.port ?? (port ? portFrom(port) : undefined),
    redis: env['REDIS_URL'] || null,
    evidence: evidenceFrom(env['BELLHOP_EVIDENCE'] || null),
    verbose: flags.verbose ?? false,
    path: env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    variables: env,
  }
}

const toPort = (text: string): number => {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65535) return port
  throw new InvalidArgumentError('expected a port: a number from 0 to 65535.')
}

const portFrom = (text: string): number => {
  try {
    return toPort(text)
  } catch {
    throw new Problem(`BELLHOP_PORT=${text} is no port`, 'give a number from 0 to 65535')
  }
}

const evidenceFrom = (url: string | null): string | null => {
  if (url === null || isPostgres(url)) return url
  throw new Problem(
    'BELLHOP_EVIDENCE is no address of a PostgreSQL server',
    'give it in the form postgres://user:password@host:5432/database, or leave it unset: the data folder has it then',
  )
}

/** How long a process may take to end after the one that started it was killed: Redis is going down with it. */
const ORPHANED_MS = 3000

/** Ends on SIGINT, on SIGTERM, and when the process that started us goes away. A second signal ends at once. */
const untilEnded = (): AbortSignal => {
  const ends = new AbortController()
  const end = () => (ends.signal.aborted ? process.exit(130) : ends.abort())
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  process.on('SIGHUP', end)
  if (!process.connected) return ends.signal
  process.on('disconnect', () => {
    ends.abort()
    setTimeout(() => process.exit(1), ORPHANED_MS).unref()
  })
  return ends.signal
}

/** Runs a gateway or a worker until it is told to end; tells whoever started it how it went. */
const serve = async (
  start: () => Promise<{ url?: string; stop: () => Promise<void> }>,
  name: string,
): Promise<void> => {
  const ends = untilEnded()
  const report = (message: Report) => {
    if (process.connected) process.send?.(message)
  }
  try {
    const { url = null, stop } = await start()
    report({ kind: 'ready', url })
    if (!process.connected) console.log(url ? `${name} ready at ${url}` : `${name} ready`)
    await new Promise<void>((done) => {
      ends.addEventListener('abort', () => done())
      if (ends.aborted) done()
    })
    await stop()
  } catch (error) {
    const { message, stack = message } = error as Error
    const problem = error instanceof Problem ? error : new Problem(`the ${name} failed: ${message}`, stack)
    report({ kind: 'problem', message: problem.message, fix: problem.fix })
    if (!process.connected) throw error
    process.exitCode = 1
  }
  // Whatever still holds the process (a connection that looks for its Redis) has nothing left to do.
  process.exit()
}

const withFlags = (command: Command): Command =>
  command
    .option('--data <dir>', 'where this instance keeps its evidence (BELLHOP_DATA; .bellhop in the workspace)')
    .option('--workspace <dir>', 'what the agents work on (the current folder)')
    .option('--config <file>', 'a file with what differs from config/default.yaml')

const withServerFlags = (command: Command): Command =>
  withFlags(command)
    .option('--host <name>', 'where to listen (BELLHOP_HOST; 127.0.0.1)')
    .option('--port <n>', 'the port of the web door, 0 for any free one (BELLHOP_PORT; 7070)', toPort)
    .option('--verbose', 'show the log here too')

const program = new Command('bellhop')
  .description('Puts several AI coding agents to work in one room, each behind a wall, every step evidence.')
  .version(version)
  .showHelpAfterError('(see `bellhop help`)')
  .configureHelp({ sortSubcommands: false })

withServerFlags(program.command('up').description('start everything; with a terminal, open a room right there')).action(
  async (flags: Flags) => {
    const terminal = { input: process.stdin, output: process.stdout, colour: env['NO_COLOR'] === undefined }
    const { up } = await import('./up/up.ts')
    process.exitCode = await up(settingsFrom(flags), terminal, untilEnded())
  },
)
program
  .command('demo')
  .description('three agents, three chains of evidence, one store; then it ends')
  .option('--json', 'as one JSON value')
  .action(async (flags: Flags & { json?: boolean }) => {
    const { demo } = await import('./commands/demo.ts')
    process.exitCode = await demo(settingsFrom(flags), {
      json: flags.json ?? false,
      write: (text) => console.log(text),
      ends: untilEnded(),
    })
  })
withFlags(program.command('mcp'))
  .description('speak MCP on standard input and output, for programs that start their servers themselves')
  .option('--token <token>', 'whose token to come with (BELLHOP_TOKEN; without one you are yourself, an operator)')
  .option('--verbose', 'show the log on standard error')
  .action(async (flags: Flags & { token?: string }) => {
    const { speakMcp } = await import('./commands/mcp.ts')
    const token = flags.token ?? (env['BELLHOP_TOKEN'] || undefined)
    const { stdin: input, stdout: output } = process
    await speakMcp(settingsFrom(flags), { token, input, output, ends: untilEnded() })
    process.exit()
  })
sayCommand(withFlags(program.command('say')), settingsFrom)
execCommand(program.command('exec'), { withFlags, settingsFrom })
whistleCommand(program.command('whistle'), { withFlags, settingsFrom })
askCommands(program, { withFlags, settingsFrom })
schemaCommand(program.command('schema'), version)
appServerCommand(program.command('app-server'), { withFlags, settingsFrom }, env['BELLHOP_TOKEN'] || undefined)
withServerFlags(
  program.command('gateway').description('the doors and the social pipeline alone (`up` starts it)'),
).action((flags: Flags) =>
  serve(async () => (await import('./house/gateway.ts')).startGateway(settingsFrom(flags)), 'gateway'),
)
withServerFlags(program.command('worker').description('the agents and their steps alone (`up` starts it)')).action(
  (flags: Flags) => serve(async () => (await import('./house/worker.ts')).startWorker(settingsFrom(flags)), 'worker'),
)
withFlags(program.command('bridge').description('IRC and Discord alone (`up` starts it)'))
  .option('--verbose', 'show the log here too')
  .action((flags: Flags) =>
    serve(async () => (await import('./house/bridge.ts')).startBridge(settingsFrom(flags)), 'bridge'),
  )
program
  .command('world-server')
  .description('the text world of alfworld as a server by itself, on this machine alone')
  .option('--port <n>', 'where to listen, 0 for any free port', toPort, 3456)
  .option('--json', 'say where it is as one JSON value')
  .action(async ({ port, json = false }: { port: number; json?: boolean }) => {
    const { serveWorld } = await import('./commands/world-server.ts')
    await serveWorld({ port, json, ends: untilEnded() })
    process.exit()
  })
withFlags(program.command('doctor'))
  .description('what is here, what is missing, and the line that fixes it')
  .option('--wall', 'run the real programs of the agents against a model that tries everything')
  .option('--agent <id>', 'with --wall: this one alone')
  .option('--networks', 'look at the networks of the config: tokens, intents, channels')
  .option('--json', 'as one JSON value')
  .action(async (flags: Flags & { json?: boolean; agent?: string; wall?: boolean; networks?: boolean }) => {
    if (flags.networks) {
      const { checkNetworks } = await import('./commands/networks.ts')
      process.exitCode = await checkNetworks(settingsFrom(flags), { json: flags.json ?? false })
      return
    }
    if (!flags.wall)
      throw new Problem(
        'what is here and what is missing is said by the launcher',
        'run `./bellhop doctor`; --wall tries the walls, and --networks looks at the networks',
      )
    const { checkWalls } = await import('./commands/wall.ts')
    process.exitCode = await checkWalls(settingsFrom(flags), { agent: flags.agent ?? null, json: flags.json ?? false })
  })
withFlags(program.command('login'))
  .description('sign the program of an agent in: claude and codex ask for what they need')
  .argument('<agent>', 'an agent of the config, such as claude-1')
  .argument('[words...]', 'what its program takes besides, after --')
  .action(async (agent: string, words: string[], flags: Flags) => {
    const { login } = await import('./commands/login.ts')
    process.exitCode = await login(agent, words, settingsFrom(flags))
  })
program.command('test').description('set up what the tests need and run them all')

// Whoever reads may have seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof Problem)) throw error
  console.error(`bellhop: ${error.message}\n  ${error.fix}`)
  process.exit(1)
})
