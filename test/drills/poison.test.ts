import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { type House, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

/** What no part of the house would ever write, and one that reads it must get over. */
const GARBAGE = [
  '',
  'null',
  '[]',
  '"a text"',
  '{',
  '{"kind":"call"}',
  '{"kind":"call","session":"s-1","turn":"t","step":"t.0","author":{},"call":{}}',
  '{"session":5}',
  '{"__proto__":{"session":"x"}}',
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  'x'.repeat(100_000),
]

const inRedis = async (house: House, act: (redis: Redis, prefix: string) => Promise<void>): Promise<void> => {
  const redis = new Redis(house.redis.path)
  try {
    await act(redis, `bellhop-${house.secrets.instance}`)
  } finally {
    redis.disconnect()
  }
}

/** Sessions that are there, and some that are not. */
const sessionsOf = async (house: House): Promise<string[]> => {
  const { sessions } = must(await house.client.ask('sessions'))
  return [...sessions.map(({ id }) => id), 's-never', 'undefined', '']
}

const mailboxes: Fault = (house) =>
  inRedis(house, async (redis, prefix) => {
    for (const session of await sessionsOf(house))
      for (const item of GARBAGE) await redis.rpush(`${prefix}:{${session}}:steps`, item)
  })

/** Jobs as nobody adds them: of other names, with other data, with data that is none, and with nothing at all. */
const jobs: Fault = (house) =>
  inRedis(house, async (redis, prefix) => {
    for (const lane of ['turns', 'steps'])
      for (const [i, data] of GARBAGE.entries()) {
        const [key, id] = [`{${prefix}}:${lane}`, `poison-${i}`]
        await redis.hset(`${key}:${id}`, {
          name: i % 2 ? 'wake' : 'stranger',
          data,
          opts: '{}',
          timestamp: '1',
          delay: '0',
          priority: '0',
        })
        await redis.lpush(`${key}:wait`, id, `nothing-${i}`)
        await redis.zadd(`${key}:marker`, 0, '0')
      }
  })

const channels: Fault = (house) =>
  inRedis(house, async (redis, prefix) => {
    for (const channel of ['live', 'progress', 'steps:mail'])
      for (const message of GARBAGE) await redis.publish(`${prefix}:${channel}`, message)
  })

const records: Fault = (house) =>
  inRedis(house, async (redis, prefix) => {
    for (const [i, item] of GARBAGE.entries()) {
      await redis.hset(`${prefix}:holds`, `held-${i}`, item)
      await redis.hset(`${prefix}:networks`, `network-${i}`, item)
      await redis.hset(`${prefix}:{agent:stranger-${i}}:record`, 'type', item, 'readiness', item, 'peripherals', item)
      await redis.sadd(`${prefix}:agents`, `stranger-${i}`)
    }
    await redis.set(`${prefix}:seats`, 'never')
  })

/** The jobs that are left of what was put in. */
const left = async (house: House): Promise<number> => {
  let count = 0
  await inRedis(house, async (redis, prefix) => {
    for (const lane of ['turns', 'steps'])
      for (const list of ['wait', 'active'])
        count += (await redis.lrange(`{${prefix}}:${lane}:${list}`, 0, -1)).filter((id) =>
          /^(poison|nothing)/.test(id),
        ).length
  })
  return count
}

test(
  'what cannot be read is put aside and told, wherever it lies, and stands in nobody’s way',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({ chance })
    const kinds = [channels, records, mailboxes, jobs]
    const faults = Array.from({ length: times(1, 20) }, () => kinds).flat()
    const { reckoning } = await drillHouse(house, { drill: 'poison', chance, faults, restMs: 600 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
    expect(house.members.map((member) => member.endedBy())).toEqual(house.members.map(() => null))
    await eventually('everything of it to be put aside', async () => (await left(house)) === 0, 60_000)
    expect(readFileSync(join(house.data, 'log/worker.log'), 'utf8')).toContain('cannot be read, and was put aside')
  },
  LONG ? 1_800_000 : 180_000,
)
