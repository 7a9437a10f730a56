import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Command, InvalidArgumentError } from 'commander'
import { appServerCommand } from './commands/app-server.ts'
import { askCommands } from './commands/ask.ts'
import { backupCommands } from './commands/backup.ts'
import { configCommand } from './commands/config.ts'
import { execCommand } from './commands/exec.ts'
import { linkCommand } from './commands/link.ts'
import { migrateCommand } from './commands/migrate.ts'
import { sayCommand } from './commands/say.ts'
import { schemaCommand } from './commands/schema.ts'
import { secretsCommand } from './commands/secrets.ts'
import { statusCommand } from './commands/status.ts'
import { topCommand } from './commands/top.ts'
import { whistleCommand } from './commands/whistle.ts'
import { givenBy, readers, wants } from './config/given.ts'
import { type SeenFlags as Flags, healthGiven, logGiven } from './config/seen.ts'
import type { Settings } from './house/parts.ts'
import { isPostgres } from './lib/address.ts'
import { Problem } from './lib/problem.ts'
import { secretVariable } from './lib/secret-variable.ts'
import { placeOf } from './redis/address.ts'
import { MAIN } from './shapes/room.ts'
import type { Report } from './up/children.ts'

// What only some commands need is loaded by them: `bellhop say` should not wait for a queue to load.

type Deep = { deep?: boolean; all?: boolean; fix?: boolean }

const { env } = process

/** The folder with package.json: this file lies in `src`, or in `dist/src` once it is built. */
const root = (() => {
  const here = dirname(dirname(fileURLToPath(import.meta.url)))
  return here.endsWith('dist') ? dirname(here) : here
})()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const settingsFrom = (flags: Flags): Settings => {
  const given = givenBy(flags, env)
  const { workspace, workspaceName } = workspaceFrom(given.workspace ?? '.')
  const secretsFile = env['BELLHOP_SECRETS_FILE']
  return {
    root,
    version,
    workspace,
    workspaceName,
    queues: given.queues,
    data: resolve(given.data ?? join(workspace, '.bellhop')),
    configFile: given.config === undefined ? null : resolve(given.config),
    host: given.host,
    port: given.port,
    health: healthGiven(flags, env),
    log: logGiven(flags, env),
    redis: redisFrom(secretVariable('REDIS_URL', env), env['REDIS_CA_FILE'] || null),
    evidence: evidenceFrom(secretVariable('BELLHOP_EVIDENCE', env)),
    verbose: given.verbose ?? false,
    workers: given.workers,
    path: env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    variables: env,
    secretsFile: secretsFile ? resolve(secretsFile) : null,
    // From `up` to those it starts.
    closed: JSON.parse(env['BELLHOP_CLOSED'] || '[]') as string[],
    instance: { url: env['BELLHOP_URL'] || null, token: secretVariable('BELLHOP_TOKEN', env) },
    from: given.from,
  }
}

/** An option of the command line that is read as its variable is. */
const optionOf =
  <O extends keyof typeof readers>(option: O) =>
  (text: string) => {
    const value = readers[option](text)
    if (value !== null) return value
    throw new InvalidArgumentError(`expected ${wants[option]}.`)
  }

/** `DIR`, or `NAME=DIR`; a folder with a `=` in its name is one where it is there. */
const workspaceFrom = (text: string): { workspace: string; workspaceName: string } => {
  const [, name, folder] = /^([a-z][a-z0-9-]{0,31})=(.*)$/s.exec(text) ?? []
  if (name === undefined || folder === undefined || existsSync(text))
    return { workspace: resolve(text), workspaceName: MAIN }
  return { workspace: resolve(folder), workspaceName: name }
}

const evidenceFrom = (url: string | null): string | null => {
  if (url === null || isPostgres(url)) return url
  throw new Problem(
    'BELLHOP_EVIDENCE is no address of a PostgreSQL server',
    'give it in the form postgres://user:password@host:5432/database, or leave it unset: the data folder has it then',
  )
}

/** An address that is not understood is told before anything is begun. The file with its CA goes with it, to whoever is started. */
const redisFrom = (url: string | null, ca: string | null): string | null => {
  if (url === null) return null
  const address =
    ca === null || /[?&]ca=/.test(url)
      ? url
      : `${url}${url.includes('?') ? '&' : '?'}ca=${encodeURIComponent(resolve(ca))}`
  placeOf(address)
  return address
}

/** How long a process may take to end after the one that started it was killed: Redis is going down with it. */
const ORPHANED_MS = 3000

/** Ends on SIGINT, on SIGTERM, and when the process that started us goes away. A second signal ends at once. */
const endedBySignals = (): AbortController => {
  const ends = new AbortController()
  const end = () => (ends.signal.aborted ? process.exit(130) : ends.abort())
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  process.on('SIGHUP', end)
  if (!process.connected) return ends
  process.on('disconnect', () => {
    ends.abort()
    setTimeout(() => process.exit(1), ORPHANED_MS).unref()
  })
  return ends
}
const untilEnded = (): AbortSignal => endedBySignals().signal

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
    .option(
      '--workspace <dir>',
      'what the agents work on, or NAME=DIR for another than `main` (BELLHOP_WORKSPACE; the current folder)',
    )
    .option('--config <file>', 'a file with what differs from config/default.yaml (BELLHOP_CONFIG)')

const withLogFlags = (command: Command): Command =>
  withFlags(command)
    .option('--log <where>', 'where the log goes: file, stdout or stderr (BELLHOP_LOG; as the config says)')
    .option('--verbose', 'show the log here too (BELLHOP_VERBOSE)')

/** For processes with a door. */
const withServerFlags = (command: Command): Command =>
  withLogFlags(
    command
      .option('--host <name>', 'where to listen (BELLHOP_HOST; 127.0.0.1)')
      .option('--port <n>', 'the port of the web door, 0 for any free one (BELLHOP_PORT; 7070)', optionOf('port')),
  )

/** For processes that run by themselves: those of `up` are seen through its gateway. */
const withHealthFlag = (command: Command): Command =>
  command.option(
    '--health-port <n>',
    'say on this port whether it lives and is ready (BELLHOP_HEALTH_PORT; on BELLHOP_HEALTH_HOST, 127.0.0.1)',
    optionOf('port'),
  )

const program = new Command('bellhop')
  .description('Puts several AI coding agents to work in one room, each behind a wall, every step evidence.')
  .version(version)
  .showHelpAfterError('(see `bellhop help`)')
  .configureHelp({ sortSubcommands: false })
  .helpCommand(false)

withServerFlags(program.command('up').description('start everything; with a terminal, open a room right there'))
  .option('--workers <n>', 'how many workers to start (worker.processes of the config)', optionOf('workers'))
  .action(async (flags: Flags) => {
    const terminal = { input: process.stdin, output: process.stdout, colour: env['NO_COLOR'] === undefined }
    // It only watches over others: what it could be faster by would lie idle.
    setFlagsFromString('--optimize-for-size')
    const { up } = await import('./up/up.ts')
    process.exitCode = await up(settingsFrom(flags), terminal, endedBySignals())
  })
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
    const token = flags.token ?? secretVariable('BELLHOP_TOKEN', env) ?? undefined
    const { stdin: input, stdout: output } = process
    await speakMcp(settingsFrom(flags), { token, input, output, ends: untilEnded() })
    process.exit()
  })
sayCommand(withFlags(program.command('say')), settingsFrom)
execCommand(program.command('exec'), { withFlags, settingsFrom })
whistleCommand(program.command('whistle'), { withFlags, settingsFrom })
linkCommand(program.command('link'), { withFlags, settingsFrom })
statusCommand(program.command('status'), { withFlags, settingsFrom }, env['NO_COLOR'] === undefined)
topCommand(program.command('top'), { withFlags, settingsFrom }, env['NO_COLOR'] === undefined)
askCommands(program, { withFlags, settingsFrom })
schemaCommand(program.command('schema'), version)
appServerCommand(program.command('app-server'), { withFlags, settingsFrom }, () => secretVariable('BELLHOP_TOKEN', env))
withHealthFlag(
  withServerFlags(program.command('gateway').description('the doors and the social pipeline alone (`up` starts it)')),
).action((flags: Flags) =>
  serve(async () => (await import('./house/gateway.ts')).startGateway(settingsFrom(flags)), 'gateway'),
)
withHealthFlag(withLogFlags(program.command('worker').description('the agents and their steps alone (`up` starts it)')))
  .option('--queues <names>', 'what to take: turns, steps, or both (BELLHOP_QUEUES; both)', optionOf('queues'))
  .action((flags: Flags) =>
    serve(async () => (await import('./house/worker.ts')).startWorker(settingsFrom(flags)), 'worker'),
  )
withHealthFlag(withLogFlags(program.command('bridge').description('IRC and Discord alone (`up` starts it)'))).action(
  (flags: Flags) => serve(async () => (await import('./house/bridge.ts')).startBridge(settingsFrom(flags)), 'bridge'),
)
program
  .command('world-server')
  .description('the text world of alfworld as a server by itself, on this machine alone')
  .option('--port <n>', 'where to listen, 0 for any free port', optionOf('port'), 3456)
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
  .option('--deep', 'look at an instance from all sides: evidence, Redis, disk, permissions, backups')
  .option('--all', 'with --deep: prove all of the evidence, and not the newest chains alone')
  .option('--fix', 'with --deep: mend permissions, and remove what was left behind')
  .option('--json', 'as one JSON value')
  .action(async (flags: Flags & { json?: boolean; agent?: string; wall?: boolean; networks?: boolean } & Deep) => {
    if (flags.deep) {
      const { checkDeep } = await import('./commands/deep/deep.ts')
      const { all = false, fix = false, json = false } = flags
      process.exitCode = await checkDeep(settingsFrom(flags), { all, fix, json })
      return
    }
    if (flags.networks) {
      const { checkNetworks } = await import('./commands/networks.ts')
      process.exitCode = await checkNetworks(settingsFrom(flags), { json: flags.json ?? false })
      return
    }
    if (!flags.wall)
      throw new Problem(
        'what is here and what is missing is said by the launcher',
        'run `./bellhop doctor`; --wall tries the walls, --networks looks at the networks, and --deep at an instance',
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
configCommand(withServerFlags(program.command('config')), settingsFrom)
secretsCommand(program.command('secrets'))
backupCommands(program, { withFlags, settingsFrom, untilEnded })
migrateCommand(program.command('migrate'), { withFlags, settingsFrom })
program.command('test').description('set up what the tests need and run them all')
program
  .command('help')
  .description('what there is, or how one command is used')
  .argument('[command...]', 'such as: token mint')
  .action((names: string[]) => {
    let found = program
    for (const name of names) {
      const below = found.commands.find((one) => one.name() === name)
      if (!below) throw new Problem(`there is no command ${names.join(' ')}`, '`bellhop help` has all that there is')
      found = below
    }
    found.help()
  })

// Whoever reads may have seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

program.parseAsync().catch((error: unknown) => {
  const problem = error instanceof Problem ? error : unreachable(error)
  if (!problem) throw error
  console.error(`bellhop: ${problem.message}\n  ${problem.fix}`)
  process.exit(1)
})

/** What `fetch` throws where nobody answers says nothing to people. */
const unreachable = (error: unknown): Problem | null =>
  error instanceof TypeError && error.message === 'fetch failed'
    ? new Problem(
        `the Bellhop that was asked does not answer: ${(error.cause as Error | undefined)?.message ?? 'no connection'}`,
        'look whether it still runs: `bellhop status`',
      )
    : null
