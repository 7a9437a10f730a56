import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Folder, prefixOf, type Secrets, secretsOf } from '../../house/folder.ts'
import type { Settings } from '../../house/parts.ts'
import { systemClock } from '../../lib/clock.ts'
import { diedHere } from '../../lib/holder.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { within } from '../../lib/within.ts'
import { connect, ping, type Redis } from '../../redis/redis.ts'
import { createRegistry } from '../../registry/registry.ts'
import type { Config } from '../../shapes/config.ts'
import { type Finding, problem, unless, warning, well } from './finding.ts'

const REDIS_MS = 3000
const SKEW_MS = 2000

/** Redis, and what the agents have there: one that an instance starts by itself is there while that runs. */
export const checkRedis = async (settings: Settings, folder: Folder, config: Config): Promise<Finding[]> => {
  const address = settings.redis ?? folder.redisSocket
  if (settings.redis === null && !existsSync(address))
    return [well('Redis', 'is started by `bellhop up`, which does not run')]
  const dead = await ping(address).then(
    () => null,
    (error: Error) => error.message,
  )
  if (dead !== null) return [problem('Redis', `does not answer: ${dead}`, 'start it, or correct REDIS_URL')]
  const redis = connect(address, () => {})
  try {
    return await within(REDIS_MS, look(redis, secretsIn(folder, settings.secretsFile), config))
  } finally {
    redis.disconnect()
  }
}

const look = async (redis: Redis, known: Secrets | null, config: Config): Promise<Finding[]> => {
  const info = await redis.info()
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
  const skew = Math.round(seconds * 1000 + micros / 1000 - systemClock())
  const version = field('redis_version')
  const policy = field('maxmemory_policy')
  const failed = ['rdb_last_bgsave_status', 'aof_last_write_status'].find((name) => !['ok', ''].includes(field(name)))
  return [
    unless(
      Number.parseInt(version, 10) < 7,
      warning('Redis', `is version ${version}`, 'use 7 or later'),
      `version ${version}`,
    ),
    unless(
      policy !== 'noeviction',
      problem(
        'Redis',
        `maxmemory-policy is ${policy}: jobs and leases can vanish`,
        'redis-cli config set maxmemory-policy noeviction',
      ),
      'evicts nothing',
    ),
    unless(
      field('aof_enabled') !== '1',
      warning(
        'Redis',
        'keeps no append-only file: after a restart everything is looked up again',
        'redis-cli config set appendonly yes',
      ),
      'keeps an append-only file',
    ),
    unless(
      failed !== undefined,
      problem('Redis', `${failed} is not ok`, 'look at its log, and at the room on its disk'),
      'writes its files',
    ),
    unless(
      Math.abs(skew) > SKEW_MS,
      warning(
        'Redis',
        `its clock is ${skew} ms from ours`,
        'set the clocks of both machines: timedatectl set-ntp true',
      ),
      'its clock is ours',
    ),
    ...(known === null ? [] : await agents(redis, known, config)),
  ]
}

/** Each agent as it stands, and whether who holds its lease is there. */
const agents = async (redis: Redis, secrets: Secrets, config: Config): Promise<Finding[]> => {
  const prefix = prefixOf(secrets)
  const registry = createRegistry({
    redis,
    prefix,
    secret: secrets.agents,
    leaseMs: config.lease.ms,
    peripherals: [],
  })
  const found = await Promise.all(
    config.agents.map(async ({ id }): Promise<Finding> => {
      const { readiness, reason } = await registry.presence(id)
      const name = `agent ${id}`
      if (readiness === 'ready') return well(name, 'is ready')
      return warning(
        name,
        `is ${readiness}${reason ? `: ${reason}` : ''}`,
        'bellhop up starts it; ./bellhop doctor --wall tries its program',
      )
    }),
  )
  return [...found, await leases(redis, prefix, config)]
}

/** The secrets as they are: whoever opens them in earnest makes them where there are none, and mends who may read them. */
const secretsIn = (folder: Folder, shared: string | null | undefined): Secrets | null => {
  if (shared) return secretsOf(folder, shared)
  const file = join(folder.path, 'secrets.json')
  return existsSync(file) ? ((parseJson(readFileSync(file, 'utf8')) as Secrets | undefined) ?? null) : null
}

const leases = async (redis: Redis, prefix: string, { agents: known }: Config): Promise<Finding> => {
  const holders = await Promise.all(known.map(({ id }) => redis.get(`${prefix}:{agent:${id}}:lease`)))
  const gone = holders.filter((holder) => holder !== null && diedHere(holder))
  return unless(
    gone.length > 0,
    warning(
      'leases',
      `held by processes that are gone: ${[...new Set(gone)].join(', ')}`,
      'wait for lease.ms: they lapse by themselves',
    ),
    'are held by processes that are there',
  )
}
