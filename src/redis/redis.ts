import { readFileSync } from 'node:fs'
import { Redis as Client, Cluster, type ClusterOptions, type RedisOptions } from 'ioredis'
import { Problem } from '../lib/problem.ts'
import { placeOf, type RedisAddress, type RedisPlace } from './address.ts'

export { type RedisAddress, shownAddress } from './address.ts'

type Command =
  | 'del'
  | 'eval'
  | 'exists'
  | 'get'
  | 'hdel'
  | 'hget'
  | 'hgetall'
  | 'hset'
  | 'info'
  | 'lrange'
  | 'lrem'
  | 'mget'
  | 'ping'
  | 'publish'
  | 'sadd'
  | 'set'
  | 'smembers'
  | 'srem'
  | 'subscribe'
  | 'time'
  | 'zcount'
  | 'zrem'

/**
 * A connection to one server, to the one that Sentinels say is the master, or to a cluster: what all of them can. In a
 * cluster the keys of one command, and of one script, are in one slot: they share a part in braces.
 */
export type Redis = Pick<Client, Command | 'disconnect'> & {
  readonly status: string
  duplicate: () => Redis
  on: {
    (event: 'error', heard: (error: Error) => void): unknown
    (event: 'message', heard: (channel: string, message: string) => void): unknown
  }
}

/**
 * Commands wait for a lost connection to come back instead of failing: BullMQ needs that. Where they are `bundled`, those
 * that are given at the same time go out together: for many small ones of which none waits for another.
 */
export const connect = (address: RedisAddress, onError: (error: Error) => void, bundled = false): Redis => {
  const redis = open(placeOf(address), {
    single: { ...LASTING, ...(bundled && { enableAutoPipelining: true }) },
    cluster: { clusterRetryStrategy: soon, ...(bundled && { enableAutoPipelining: true }) },
  })
  redis.on('error', onError)
  return redis
}

/** One answer or one error within the time given: for probes, which must not wait for ever. */
export const ping = async (address: RedisAddress, ms = 3000): Promise<void> => {
  const never = () => null
  const redis = open(placeOf(address), {
    single: {
      lazyConnect: true,
      retryStrategy: never,
      sentinelRetryStrategy: never,
      connectTimeout: ms,
      commandTimeout: ms,
    },
    cluster: { lazyConnect: true, clusterRetryStrategy: never, slotsRefreshTimeout: ms },
  })
  const failed = new Promise<never>((_resolve, reject) => redis.on('error', (error: Error) => reject(causeOf(error))))
  failed.catch(() => {})
  const answered = async () => {
    await redis.connect()
    await redis.ping()
  }
  try {
    await Promise.race([answered(), failed, lateAfter(ms)])
  } catch (error) {
    throw causeOf(error as Error)
  } finally {
    redis.disconnect()
  }
}

const soon = (tries: number): number => Math.min(50 * tries, 1000)

/** Longer than BullMQ waits for a job at a time. */
const SILENT_MS = 15_000

const LASTING: Patience = {
  // A machine that is gone does not say so: who gets no answer for that long looks for another one. Without it the kernel waits
  // a quarter of an hour.
  socketTimeout: SILENT_MS,
  maxRetriesPerRequest: null,
  retryStrategy: soon,
  sentinelRetryStrategy: soon,
  // One that was the master until now answers so: what it refused is said again to the one that is.
  reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
}

/** What differs between a connection that lasts and a probe. */
type Patience = Pick<
  RedisOptions,
  | 'commandTimeout'
  | 'connectTimeout'
  | 'enableAutoPipelining'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'reconnectOnError'
  | 'retryStrategy'
  | 'sentinelRetryStrategy'
  | 'socketTimeout'
>
type How = {
  single: Patience
  cluster: Pick<ClusterOptions, 'clusterRetryStrategy' | 'enableAutoPipelining' | 'lazyConnect' | 'slotsRefreshTimeout'>
}

const open = (place: RedisPlace, how: How): Client | Cluster => {
  switch (place.kind) {
    case 'socket':
      return new Client({ path: place.path, db: place.db, ...how.single })
    case 'single':
      return new Client({ ...place.hosts[0], db: place.db, ...securely(place), ...how.single })
    case 'sentinel':
      return new Client({ ...watchedOver(place), ...securely(place), ...how.single })
    case 'cluster':
      return clusterAt(place, how)
  }
}

/** What it is signed in with, and how one knows that it is the right one. */
const securely = ({ username, password, tls, ca }: Exclude<RedisPlace, { kind: 'socket' }>) => ({
  ...(username === null ? {} : { username }),
  ...(password === null ? {} : { password }),
  ...(tls ? { tls: tlsOf(ca) } : {}),
})

const watchedOver = ({ hosts, name, db, sentinel, tls, ca }: Extract<RedisPlace, { kind: 'sentinel' }>) => ({
  sentinels: hosts,
  name,
  db,
  ...(sentinel.username === null ? {} : { sentinelUsername: sentinel.username }),
  ...(sentinel.password === null ? {} : { sentinelPassword: sentinel.password }),
  ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: tlsOf(ca) } : {}),
})

const clusterAt = (place: Extract<RedisPlace, { kind: 'cluster' }>, { single, cluster }: How): Cluster => {
  const { lazyConnect: _, retryStrategy: __, enableAutoPipelining: ___, ...redisOptions } = single
  return new Cluster(place.hosts, {
    // Names are left as they are: a certificate is for a name, and not for what that was looked up to.
    ...(place.tls ? { dnsLookup: (name, found) => found(null, name) } : {}),
    redisOptions: { ...securely(place), ...redisOptions },
    ...cluster,
  })
}

const tlsOf = (ca: string | null): { ca?: Buffer } => {
  if (ca === null) return {}
  try {
    return { ca: readFileSync(ca) }
  } catch (error) {
    throw new Problem(
      `the CA file of Redis cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      'correct REDIS_CA_FILE, or the parameter ca of REDIS_URL',
    )
  }
}

const lateAfter = (ms: number): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('it does not answer in time')), ms + 500).unref()
  })

/** A cluster says only that none of its hosts could be asked: why, it keeps to itself. */
const causeOf = (error: Error & { lastNodeError?: Error }): Error => error.lastNodeError ?? error
