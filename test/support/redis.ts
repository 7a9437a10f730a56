import { join } from 'node:path'
import { execa } from 'execa'
import type { Cluster, Redis } from 'ioredis'
import { connect, ping } from '../../src/redis/redis.ts'
import { scratch } from './folder.ts'
import { eventually } from './poll.ts'
import { startCluster } from './redis-servers.ts'

export type TestRedis = {
  address: string
  /** Tests look at keys as nobody else does. */
  redis: Redis
  kill: () => Promise<void>
  /** Brings it back, with nothing in it. */
  start: () => Promise<void>
} & AsyncDisposable

/**
 * A real Redis with one connection: `await using server = await startTestRedis()`. One on a private socket; where the tests
 * of this run are to hold for a cluster, a cluster.
 */
export const startTestRedis = (): Promise<TestRedis> =>
  process.env['BELLHOP_TEST_REDIS'] === 'cluster' ? startClustered() : startSingle()

const startSingle = async (): Promise<TestRedis> => {
  const folder = scratch()
  const address = join(folder.path, 'redis.sock')
  const run = () =>
    execa('redis-server', ['--port', '0', '--unixsocket', address, '--save', '', '--dir', folder.path], {
      reject: false,
    })
  let child = run()
  const answers = () =>
    eventually('redis to answer', () =>
      ping(address, 500).then(
        () => true,
        () => false,
      ),
    )
  await answers()
  const redis = connect(address, () => {}) as Redis
  const kill = async () => {
    child.kill('SIGKILL')
    await child
  }
  return {
    address,
    redis,
    kill,
    start: async () => {
      child = run()
      await answers()
    },
    [Symbol.asyncDispose]: async () => {
      redis.disconnect()
      await kill()
      folder[Symbol.dispose]()
    },
  }
}

const startClustered = async (): Promise<TestRedis> => {
  const cluster = await startCluster()
  const client = connect(cluster.address, () => {}) as unknown as Cluster
  await eventually('the connection', () => client.status === 'ready')
  // What is asked of all keys is asked of every server.
  const keys = async (pattern: string) =>
    (await Promise.all(client.nodes('master').map((node) => node.keys(pattern)))).flat()
  const flushall = () => Promise.all(client.nodes('master').map((node) => node.flushall()))
  return {
    address: cluster.address,
    redis: Object.assign(client, { keys, flushall }) as unknown as Redis,
    kill: () => cluster.kill(),
    start: cluster.start,
    [Symbol.asyncDispose]: async () => {
      client.disconnect()
      await cluster[Symbol.asyncDispose]()
    },
  }
}
