import { userInfo } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { createClient } from '../../src/client/client.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { folderAt, openFolder, secretsOf } from '../../src/house/folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { scratch } from './folder.ts'
import { eventually } from './poll.ts'
import { startTestRedis } from './redis.ts'
import { must } from './store.ts'

const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

export type Part = 'gateway' | 'worker' | 'bridge'

export type Process = {
  pid: number
  /** Where a gateway listens; empty for everybody else. */
  url: string
  output: () => string
  kill: (signal: NodeJS.Signals) => void
  /** How it ended: its exit code, or the signal that ended it. */
  ended: Promise<number | string | undefined>
}

type Options = {
  /** The config, as a value; rehearsals and a quick sweep are in it already. */
  config?: Record<string, unknown>
  env?: Record<string, string>
  /** The Redis that it runs on, where that is not one of its own. */
  redis?: string
  /** The PostgreSQL that its evidence is on; else a file of its own. */
  evidence?: string
  files?: Record<string, string>
}

const ROOMS = ['lobby', 'attic', 'porch', 'cellar']

/** Agents that need no program, in several rooms; Tickle is not at work, so that all that happens was asked for. */
const CONFIG = {
  rooms: ROOMS.map((id) => ({ id, faces: ['web', 'cli', 'api'], mode: 'execute', listener: 'claude-1' })),
  agents: [
    { id: 'claude-1', type: 'claude', runner: 'rehearsal', peripheral: 'explore' },
    { id: 'codex-1', type: 'codex', runner: 'rehearsal', peripheral: 'edit' },
  ],
  tickle: { on: false },
  doors: { requestsAtOnce: 100_000, requestsPerSecond: 100_000 },
}

export type Several = Awaited<ReturnType<typeof startSeveral>>

/** A data folder, a Redis and a store on which any number of real processes are started: `await using it = await startSeveral()`. */
export const startSeveral = async ({ config = {}, env = {}, redis, evidence, files = {} }: Options = {}) => {
  const data = scratch()
  const workspace = scratch()
  workspace.write('README.md', '# teapot\n\nIt pours.\n')
  for (const [name, text] of Object.entries(files)) workspace.write(name, text)
  const own = redis === undefined ? await startTestRedis() : null
  const folder = openFolder(data.path)
  const secrets = secretsOf(folder)
  const configFile = data.write('test.yaml', JSON.stringify({ ...CONFIG, ...config }))
  const store: Store = await openStore({ url: evidence ?? folderAt(data.path).store, clock: systemClock })
  const processes: Process[] = []

  const start = async (
    part: Part,
    { args = [], at = workspace.path, more = {} }: { args?: string[]; at?: string; more?: Record<string, string> } = {},
  ): Promise<Process> => {
    const named = args.includes('--workspace') ? [] : ['--workspace', at]
    const flags = [
      '--data',
      data.path,
      ...named,
      '--config',
      configFile,
      ...(part === 'gateway' ? ['--port', '0'] : []),
    ]
    const child = execa(process.execPath, [CLI, part, ...flags, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        REDIS_URL: redis ?? own?.address ?? '',
        ...(evidence === undefined ? {} : { BELLHOP_EVIDENCE: evidence }),
        ...env,
        ...more,
      },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      all: true,
      // However long it takes to end in order: who asks for that must not be told of a process that was killed meanwhile.
      forceKillAfterDelay: false,
    })
    let output = ''
    child.all.on('data', (chunk: Buffer) => {
      output += chunk
    })
    const ended = child.then(({ exitCode, signal }) => signal ?? exitCode)
    const url = await Promise.race([
      eventually(`the ${part} to be ready`, () => /^\w+ ready(?: at (\S+))?$/m.exec(output), 90_000).then(
        (found) => found[1] ?? '',
      ),
      ended.then((how) => Promise.reject(new Error(`the ${part} ended: ${how}\n${output}`))),
    ])
    const one = { pid: child.pid ?? 0, url, output: () => output, kill: (s: NodeJS.Signals) => child.kill(s), ended }
    processes.push(one)
    return one
  }

  const entries = async (filters: Record<string, unknown>): Promise<Entry[]> => {
    const all: Entry[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page: { entries: Entry[]; next: number | null } = must(
        await store.query({ limit: 1000, ephemeral: 'with', ...filters, order: 'oldest', cursor }),
      )
      all.push(...page.entries)
      cursor = page.next
    }
    return all
  }

  return {
    data: data.path,
    workspace: workspace.path,
    configFile,
    secrets,
    owner: userInfo().username,
    redis: own,
    store,
    rooms: ROOMS,
    start,
    clientOf: ({ url }: Pick<Process, 'url'>) => createClient({ url, token: secrets.admin }),
    /** All that the evidence has of something, oldest first. */
    entries,
    [Symbol.asyncDispose]: async () => {
      for (const one of processes) one.kill('SIGKILL')
      await Promise.all(processes.map(({ ended }) => ended))
      await store.close()
      await own?.[Symbol.asyncDispose]()
      workspace[Symbol.dispose]()
      data[Symbol.dispose]()
    },
  }
}
