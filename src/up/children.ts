import { execa } from 'execa'
import { z } from 'zod'
import { configVariables } from '../config/environment.ts'
import { networkVariables } from '../house/network-secrets.ts'
import type { Settings } from '../house/parts.ts'
import { secretPlaces } from '../house/secret-names.ts'
import { Problem } from '../lib/problem.ts'
import { certificatesIn, handedOn } from '../runners/variables.ts'
import type { Config } from '../shapes/config.ts'
import { readLeniently } from '../shapes/lenient.ts'
import { MAIN } from '../shapes/room.ts'
import { githubVariables } from '../tickle/source-github.ts'

/** What a gateway or a worker tells the process that started it. */
export const Report = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), url: z.string().nullable() }),
  z.strictObject({ kind: z.literal('problem'), message: z.string(), fix: z.string() }),
])
export type Report = z.infer<typeof Report>

export type ChildName = 'gateway' | 'worker' | 'bridge'
export type Child = { name: ChildName; url: string | null; ended: Promise<string>; stop: () => Promise<void> }

const KILL_MS = 5000

/** The room for what is new in the heap: by itself Node takes three times 16 MB while it starts, and keeps them when idle. */
const YOUNG_MB: Record<ChildName, number> = { gateway: 2, worker: 4, bridge: 2 }

/**
 * Starts a gateway or a worker as a process of its own, and waits until it says that it is ready. The signal ends one that is
 * not ready yet; one that is, is ended by whoever has it.
 */
export const startChild = async (
  name: ChildName,
  settings: Settings,
  { drainMs, agents, networks, log }: Pick<Config, 'drainMs' | 'agents' | 'networks' | 'log'>,
  signal: AbortSignal,
): Promise<Child> => {
  const program = [`--max-semi-space-size=${YOUNG_MB[name]}`, `${settings.root}/dist/src/cli.js`]
  const child = execa(process.execPath, [...program, name, ...flagsOf(name, settings)], {
    env: environmentOf(name, settings, { agents, networks }),
    extendEnv: false,
    ipc: true,
    // Its report comes by another way: on its standard output is the log, where that is wanted there.
    stdio: ['ignore', (settings.log?.to ?? log.to) === 'stdout' ? 'inherit' : 'ignore', 'inherit'],
    detached: true,
    reject: false,
    cleanup: false,
    // It drains on SIGTERM; one that does not end by then is ended.
    forceKillAfterDelay: drainMs + KILL_MS,
  })
  const ended = child.then(({ exitCode, signal }) => signal ?? `exit ${exitCode}`)
  // Told once: a second signal would end it at once.
  let told = false
  const tell = (): void => {
    if (!told) child.kill('SIGTERM')
    told = true
  }
  const giveUp = endUnready(child, tell, signal)
  const report = await Promise.race([
    child.getOneMessage().then(
      (message) => readLeniently(Report, message),
      () => null,
    ),
    ended.then(() => null),
  ])
  giveUp()
  if (report?.kind === 'problem') throw new Problem(report.message, report.fix)
  if (!report)
    throw new Problem(
      `the ${name} ended before it was ready (${await ended})`,
      `look at ${settings.data}/log/${name}.log`,
    )
  return {
    name,
    url: report.url,
    ended,
    stop: async () => {
      tell()
      await ended
    },
  }
}

/** What is not ready soon after it was told to end may wait for something that never comes, and has done nothing yet. */
const endUnready = (child: { kill: (how: 'SIGKILL') => boolean }, tell: () => void, signal: AbortSignal) => {
  let late: NodeJS.Timeout | undefined
  const end = (): void => {
    tell()
    late = setTimeout(() => child.kill('SIGKILL'), KILL_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  return (): void => {
    signal.removeEventListener('abort', end)
    clearTimeout(late)
  }
}

/** What a process is given of our environment: made from nothing. */
const environmentOf = (
  name: ChildName,
  settings: Settings,
  { agents, networks }: Pick<Config, 'agents' | 'networks'>,
): Record<string, string> => ({
  PATH: settings.path,
  ...certificatesIn(settings.variables ?? {}),
  // Keys are for whoever runs the agents, the secrets of networks for whoever is on them, and a sign-in on GitHub for whoever
  // is asked for its issues, which people do from networks, too; each for nobody else.
  ...(name === 'worker' ? handedOn(agents, settings.variables ?? {}) : githubVariables(settings.variables ?? {})),
  ...(name === 'bridge' ? networkVariables(networks, settings.variables ?? {}) : {}),
  ...(settings.redis ? { REDIS_URL: settings.redis } : {}),
  ...telemetryOf(settings.variables ?? {}),
  ...loggingOf(settings),
  // By environment and not as an argument: it may hold a password.
  ...(settings.evidence ? { BELLHOP_EVIDENCE: settings.evidence } : {}),
  ...(settings.secretsFile ? { BELLHOP_SECRETS_FILE: settings.secretsFile } : {}),
  // It is given what is in them, and has to know where that lies: its programs are kept from it.
  BELLHOP_CLOSED: JSON.stringify(secretPlaces(settings, { agents, networks })),
  ...configVariables(settings.variables ?? {}),
})

/** How much each process writes into its log, and where to, where that was said. */
const loggingOf = ({ log }: Settings): Record<string, string> => ({
  ...(log?.level ? { BELLHOP_LOG_LEVEL: log.level } : {}),
  ...(log?.to ? { BELLHOP_LOG: log.to } : {}),
})

/** Where each process tells what it did: the standard variables of OpenTelemetry, which no program of an agent is given. */
const telemetryOf = (variables: NonNullable<Settings['variables']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      name.startsWith('OTEL_') && value !== undefined ? [[name, value]] : [],
    ),
  )

const flagsOf = (
  name: ChildName,
  { data, workspace, workspaceName = MAIN, configFile, host, port, verbose }: Settings,
): string[] => [
  ...['--data', data, '--workspace', `${workspaceName}=${workspace}`],
  ...(configFile ? ['--config', configFile] : []),
  ...(host && name === 'gateway' ? ['--host', host] : []),
  ...(port !== undefined && name === 'gateway' ? ['--port', String(port)] : []),
  ...(verbose ? ['--verbose'] : []),
]
