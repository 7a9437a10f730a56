import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { loadHouse } from '../config/load.ts'
import { type Migrated, migratedLine } from '../evidence/engine/sharing.ts'
import { openStore } from '../evidence/store.ts'
import { type Folder, openFolder, openWorkspaceFolder, prefixOf, type Secrets, secretsOf } from '../house/folder.ts'
import { hasProcesses, held, lockFolder } from '../house/lock.ts'
import type { Settings } from '../house/parts.ts'
import { writeInstance } from '../house/running.ts'
import { refuseOpenSecrets } from '../house/secret-names.ts'
import { steadyClock, systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { connect, ping } from '../redis/redis.ts'
import type { Config } from '../shapes/config.ts'
import { type Child, type ChildName, startChild } from './children.ts'
import { keepAlive } from './keep-alive.ts'
import { startRedis } from './redis-server.ts'

export type Instance = {
  url: string
  secrets: Secrets
  /** Resolves with the problem that ends the instance; never, if none does. */
  broken: Promise<Problem>
  stop: () => Promise<void>
}

type Say = (line: string) => void

/** A whole instance: the folder locked, Redis, worker, gateway and bridge, watched; ended in the opposite order. */
export const startInstance = async (settings: Settings, say: Say): Promise<Instance> => {
  const { config } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  openWorkspaceFolder(settings.workspace)
  refuseOpenSecrets(settings, config)
  const folder = openFolder(settings.data)
  const undo: (() => Promise<void> | void)[] = [lockFolder(folder)]
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    return await start({ settings, config, folder, say, undo, stop })
  } catch (error) {
    await stop()
    throw error
  }
}

type Starting = {
  settings: Settings
  config: Config
  folder: Folder
  say: Say
  undo: (() => Promise<void> | void)[]
  stop: () => Promise<void>
}

const start = async ({ settings, config, folder, say, undo, stop }: Starting): Promise<Instance> => {
  const secrets = secretsOf(folder, settings.secretsFile)
  const migrated = (done: Migrated) => say(migratedLine(done))
  await (await openStore({ url: settings.evidence ?? folder.store, clock: systemClock, migrated })).close()
  const watch = new AbortController()
  const redis = await openRedis({ settings, config, folder, say }, watch.signal)
  undo.push(redis.stop)
  if (!settings.redis) await refuseElsewhere(folder, redis.address, prefixOf(secrets))

  const within = { ...settings, redis: redis.address }
  const names = namesFor(config, settings.workers)
  say(`starting ${names.join(', ')}`)
  const children = await startAll(within, config, names, watch.signal)
  const watched = children.map((child) =>
    keepAlive(child, {
      say,
      signal: watch.signal,
      again: (port) => startChild(child.name, { ...within, port: port ?? within.port }, config, watch.signal),
    }),
  )
  undo.push(async () => {
    watch.abort()
    // The gateway and the bridge first: nothing more comes in. Then the workers, which end what they have begun, at once.
    const endAll = (workers: boolean) =>
      Promise.all(watched.map(({ stop: end }, i) => ((names[i] === 'worker') === workers ? end() : null)))
    await endAll(false)
    await endAll(true)
  })
  const url = children[0]?.url ?? ''
  await untilHealthy(url, settings.data)
  writeInstance(folder, { pid: process.pid, url })
  return { url, secrets, stop, broken: Promise.race([redis.broken, ...watched.map((child) => child.broken)]) }
}

/** What is started, the gateway first; where there are no networks, nobody has to be on them. */
const namesFor = ({ networks, worker }: Config, workers: number | undefined): ChildName[] => [
  'gateway',
  ...(Object.keys(networks).length === 0 ? [] : ['bridge' as const]),
  ...Array<'worker'>(workers ?? worker.processes).fill('worker'),
]

/** All at once. If one has a problem, the others are not left running. */
const startAll = async (
  settings: Settings,
  config: Config,
  names: readonly ChildName[],
  signal: AbortSignal,
): Promise<Child[]> => {
  const started = await Promise.allSettled(names.map((name) => startChild(name, settings, config, signal)))
  const failed = started.find((result) => result.status === 'rejected')
  const children = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (!failed) return children
  await Promise.all(children.map((child) => child.stop()))
  throw failed.reason
}

const WATCH_MS = 2000
const PATIENCE_MS = 30_000

type Opening = Pick<Starting, 'settings' | 'config' | 'folder' | 'say'>

const openRedis = async ({ settings, config, folder, say }: Opening, signal: AbortSignal) => {
  if (settings.redis) {
    const address = settings.redis
    await ping(address).catch((error: Error) => {
      if (error instanceof Problem) throw error
      throw new Problem(
        `Redis does not answer at the REDIS_URL given: ${error.message}`,
        'start it, correct REDIS_URL, or leave it unset',
      )
    })
    return { address, broken: watchRedis(address, signal), stop: () => {} }
  }
  say(`starting Redis on a socket in ${folder.path}`)
  const server = await startRedis(folder, settings.path, config.log)
  const broken = server.ended.then((how) =>
    signal.aborted ? new Promise<never>(() => {}) : new Problem(`Redis ended under us (${how})`, AGAIN),
  )
  return { address: folder.redisSocket, broken, stop: server.stop }
}

/** How long what is left of an instance that was killed may take to end, or to find this Redis. */
const LEFT_MS = 10_000

/**
 * What works on the folder and does not come to the Redis of this instance is on another one: both would take the same work, and
 * each say of what the other does that it was interrupted.
 */
const refuseElsewhere = async (folder: Folder, address: string, prefix: string): Promise<void> => {
  if (!hasProcesses(folder)) return
  const redis = connect(address, () => {})
  try {
    const { createSnapshots } = await import('../metrics/snapshots.ts')
    const snapshots = createSnapshots({ redis, prefix, expiryMs: LEFT_MS })
    for (const end = steadyClock() + LEFT_MS; steadyClock() < end; await setTimeout(100)) {
      if (!hasProcesses(folder) || (await snapshots.all()).length > 0) return
    }
  } finally {
    redis.disconnect()
  }
  const { message, fix } = held(folder)
  throw new Problem(`${message}, on another Redis`, `give this one the same REDIS_URL, or ${fix}`)
}

const AGAIN = 'nothing that was accepted is lost: start `bellhop up` again'

/** A Redis of somebody else's may come back: only when it stays away does the instance end. */
const watchRedis = async (address: string, signal: AbortSignal): Promise<Problem> => {
  let since = steadyClock()
  while (steadyClock() - since < PATIENCE_MS) {
    await setTimeout(WATCH_MS, null, { signal }).catch(() => new Promise(() => {}))
    if (
      await ping(address).then(
        () => true,
        () => false,
      )
    )
      since = steadyClock()
  }
  return new Problem(`Redis has not answered for ${PATIENCE_MS / 1000} s`, AGAIN)
}

const HEALTHY_MS = 15_000

const untilHealthy = async (url: string, data: string): Promise<void> => {
  const end = steadyClock() + HEALTHY_MS
  let last = 'no answer'
  while (steadyClock() < end) {
    const answer = await fetch(new URL('/readyz', url)).catch(() => null)
    if (answer?.ok) return
    last = (await answer?.text()) ?? last
    await setTimeout(50)
  }
  throw new Problem(`not everything came up: ${last}`, `look at the logs in ${data}/log`)
}
