import { Redis } from 'ioredis'

export type { Redis } from 'ioredis'

/** `redis://…`, `rediss://…` or the path of a unix socket. */
export type RedisAddress = string

/** Commands wait for a lost connection to come back instead of failing: BullMQ needs that. */
export const connect = (address: RedisAddress, onError: (error: Error) => void): Redis => {
  const redis = new Redis(address, {
    maxRetriesPerRequest: null,
    retryStrategy: (tries: number) => Math.min(50 * tries, 1000),
  })
  redis.on('error', onError)
  return redis
}

/** One answer or one error within the time given: for probes, which must not wait for ever. */
export const ping = async (address: RedisAddress, ms = 3000): Promise<void> => {
  const redis = new Redis(address, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: ms,
    commandTimeout: ms,
  })
  const failed = new Promise<never>((_resolve, reject) => redis.on('error', reject))
  failed.catch(() => {})
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), failed])
  } finally {
    redis.disconnect()
  }
}
