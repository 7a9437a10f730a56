import { join } from 'node:path'
import { execa } from 'execa'
import { connect, ping, type Redis } from '../../src/redis/redis.ts'
import { scratch } from './folder.ts'
import { eventually } from './poll.ts'

export type TestRedis = {
  address: string
  redis: Redis
  kill: () => Promise<void>
  /** Brings it back, with nothing in it. */
  start: () => Promise<void>
} & AsyncDisposable

/** A real Redis on a private socket, with one connection: `await using server = await startTestRedis()`. */
export const startTestRedis = async (): Promise<TestRedis> => {
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
  const redis = connect(address, () => {})
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
