import { execa } from 'execa'
import { z } from 'zod'
import { networkVariables } from '../house/network-secrets.ts'
import type { Settings } from '../house/parts.ts'
import { Problem } from '../lib/problem.ts'
import { handedOn } from '../runners/variables.ts'
import type { Config } from '../shapes/config.ts'

/** What a gateway or a worker tells the process that started it. */
export const Report = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), url: z.string().nullable() }),
  z.strictObject({ kind: z.literal('problem'), message: z.string(), fix: z.string() }),
])
export type Report = z.infer<typeof Report>

export type ChildName = 'gateway' | 'worker' | 'bridge'
export type Child = { name: ChildName; url: string | null; ended: Promise<string>; stop: () => Promise<void> }

const KILL_MS = 5000

/** Starts a gateway or a worker as a process of its own, and waits until it says that it is ready. */
export const startChild = async (
  name: ChildName,
  settings: Settings,
  { drainMs, agents, networks }: Pick<Config, 'drainMs' | 'agents' | 'networks'>,
): Promise<Child> => {
  const child = execa(process.execPath, [`${settings.root}/dist/src/cli.js`, name, ...flagsOf(name, settings)], {
    env: {
      PATH: settings.path,
      // Keys are for whoever runs the agents, the secrets of networks for whoever is on them, and both for nobody else.
      ...(name === 'worker' ? handedOn(agents, settings.variables ?? {}) : {}),
      ...(name === 'bridge' ? networkVariables(networks, settings.variables ?? {}) : {}),
      ...(settings.redis ? { REDIS_URL: settings.redis } : {}),
      // By environment and not as an argument: it may hold a password.
      ...(settings.evidence ? { BELLHOP_EVIDENCE: settings.evidence } : {}),
    },
    extendEnv: false,
    ipc: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    reject: false,
    cleanup: false,
    // It drains on SIGTERM; one that does not end by then is ended.
    forceKillAfterDelay: drainMs + KILL_MS,
  })
  const ended = child.then(({ exitCode, signal }) => signal ?? `exit ${exitCode}`)
  const report = await Promise.race([
    child.getOneMessage().then(
      (message) => Report.parse(message),
      () => null,
    ),
    ended.then(() => null),
  ])
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
      child.kill('SIGTERM')
      await ended
    },
  }
}

const flagsOf = (name: ChildName, { data, workspace, configFile, host, port, verbose }: Settings): string[] => [
  ...['--data', data, '--workspace', workspace],
  ...(configFile ? ['--config', configFile] : []),
  ...(host && name !== 'bridge' ? ['--host', host] : []),
  ...(port === undefined || name === 'bridge' ? [] : ['--port', String(port)]),
  ...(verbose ? ['--verbose'] : []),
]
