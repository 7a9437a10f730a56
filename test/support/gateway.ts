import { userInfo } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { hashOfToken, mintToken, newToken } from '../../src/evidence/tokens.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { type Running, startGateway } from '../../src/house/gateway.ts'
import type { Settings } from '../../src/house/parts.ts'
import { startWorker } from '../../src/house/worker.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Extend } from '../../src/mcp/house.ts'
import type { Grant } from '../../src/shapes/principal.ts'
import { scratch } from './folder.ts'
import { startTestRedis, type TestRedis } from './redis.ts'
import { must } from './store.ts'

/** What differs from the defaults: two rooms more, a quick sweep, and a drain that a test would not live to see end. */
const CONFIG = `
http: { hosts: [bellhop.example] }
rooms:
  - { id: lobby, faces: [web, terminal, cli, api], mode: execute, listener: claude-1 }
  - { id: quiet, faces: [terminal, cli, api], mode: execute, listener: null }
  - { id: porch, faces: [web], mode: discuss, listener: null }
sweepMs: 100
doors: { requestsAtOnce: 100000, requestsPerSecond: 10000 }
drainMs: 600000
`

/** Agents that need no program: what is on the PATH of this machine decides nothing. */
const REHEARSALS = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit }
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: explore, peripherals: [explore, test, reflect, chat, mission-control, discipline, alfworld] }
`

/** The lines of a config that another has none of its own for. */
const without = (lines: string, given: string): string =>
  lines.replace(/^(\w+): .*\n/gm, (line, key) => (new RegExp(`^${key}:`, 'm').test(given) ? '' : line))

/** The person whom both tokens of an instance belong to. */
export const OWNER = userInfo().username

export type TestHouse = {
  /** Where the gateway listens: the same before and after a restart. */
  url: string
  settings: Settings
  tokens: { admin: string; operator: string }
  redis: TestRedis
  /** The evidence, through a connection of the test's own. */
  store: Store
  /** Makes a token, as an admin would. */
  mint: (grant: Grant, expires?: string | null) => Promise<string>
  startGateway: () => Promise<void>
  stopGateway: () => Promise<void>
  startWorker: () => Promise<void>
  stopWorker: () => Promise<void>
} & AsyncDisposable

/** What the house is started with, and what is done to its data folder before that. */
type Options = {
  worker?: boolean
  before?: (store: Store, url: string) => Promise<unknown>
  /** What its MCP door offers besides. */
  extend?: Extend
  /** Further lines of the config, and peripherals beside it, by the names of their files. */
  config?: string
  peripherals?: Record<string, string>
  /** What is done in the workspace before it starts. */
  inWorkspace?: (folder: string) => void
  /** What is in its environment. */
  variables?: Record<string, string>
}

/** The real gateway and, unless it is not wanted, the real worker, on folders and a Redis of their own. */
export const startTestHouse = async ({
  worker = true,
  before,
  extend,
  config = '',
  peripherals = {},
  variables = {},
  inWorkspace = () => {},
}: Options = {}): Promise<TestHouse> => {
  const data = scratch()
  for (const [name, text] of Object.entries(peripherals)) data.write(join('peripherals', name), text)
  const workspace = scratch()
  workspace.write('README.md', '# teapot\n\nIt pours.\n')
  workspace.write('src/pour.ts', 'export const pour = () => 42 // TODO: sugar\n')
  inWorkspace(workspace.path)
  const redis = await startTestRedis()
  const settings: Settings = {
    root: join(import.meta.dirname, '../..'),
    version: '0.0.0-test',
    data: data.path,
    workspace: workspace.path,
    configFile: data.write(
      'test.yaml',
      without(CONFIG, config) + (/^agents:/m.test(config) ? '' : REHEARSALS) + config,
    ),
    host: '127.0.0.1',
    port: 0,
    redis: redis.address,
    evidence: null,
    verbose: false,
    path: process.env['PATH'] ?? '/usr/bin:/bin',
    variables,
  }
  const folder = folderAt(data.path)
  const store = await openStore({ url: folder.store, clock: systemClock })
  await before?.(store, folder.store)

  let gateway: Running | null = await startGateway(settings, extend)
  let hand: { stop: () => Promise<void> } | null = worker ? await startWorker(settings) : null
  const { url } = gateway
  const stopGateway = async () => {
    await gateway?.stop()
    gateway = null
  }
  const stopWorker = async () => {
    await hand?.stop()
    hand = null
  }
  return {
    url,
    settings,
    tokens: secretsOf(folder),
    redis,
    store,
    mint: async (grant, expires = null) => {
      const token = newToken()
      const ada = { kind: 'person', id: 'ada', face: 'cli', via: null } as const
      must(await mintToken(store, { hash: hashOfToken(token), grant, label: 'a test', expires }, ada))
      return token
    },
    startGateway: async () => {
      gateway = await startGateway({ ...settings, port: Number(new URL(url).port) })
    },
    stopGateway,
    startWorker: async () => {
      hand = await startWorker(settings)
    },
    stopWorker,
    [Symbol.asyncDispose]: async () => {
      await stopWorker()
      await stopGateway()
      await store.close()
      await redis[Symbol.asyncDispose]()
      data[Symbol.dispose]()
      workspace[Symbol.dispose]()
    },
  }
}
