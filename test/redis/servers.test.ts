import { expect, test } from 'vitest'
import { connect, ping } from '../../src/redis/redis.ts'
import { chanceOf } from '../drills/chance.ts'
import { startProxy } from '../drills/proxy.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { startCluster, startSentinels, startTlsRedis } from '../support/redis-servers.ts'
import { type Several, startSeveral } from '../support/several.ts'
import { must } from '../support/store.ts'

const SECRET = 'p@ss/word'

/** Sentinels that got no time to look for a while do nothing for half a minute: on a slow machine that happens. */
const PATIENCE_MS = 90_000

const isReady = async (client: ReturnType<Several['clientOf']>): Promise<boolean> =>
  must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready')

/** Has so many turns done, in all rooms, and tells how they ended. */
const workOn = async (it: Several, turns: number, meanwhile: (i: number) => Promise<void> = async () => {}) => {
  const [gateway] = await Promise.all([it.start('gateway'), it.start('worker')])
  const client = it.clientOf(gateway)
  await eventually('the agents to be ready', () => isReady(client))
  for (let i = 0; i < turns; i++) {
    const room = it.rooms[i % it.rooms.length] ?? ''
    // What nobody answered is said again, by the same name; what was refused is another line.
    let [id, last]: [string, unknown] = [`line-${i}`, null]
    const said = async () => {
      const answer = await client.say({ id, room, text: '@claude read README.md' }).catch(() => null)
      if (answer?.ok) return true
      if (answer) [id, last] = [`${id}x`, answer.refusal]
      return false
    }
    await eventually(`line ${i} to be accepted`, said, PATIENCE_MS).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`)
    })
    await meanwhile(i)
  }
  await eventually(
    'all turns to end',
    async () => (await it.entries({ event: 'turn-ended' })).length === turns,
    PATIENCE_MS,
  )
  const ended = await it.entries({ event: 'turn-ended' })
  return ended.map(({ body }) => body?.event === 'turn-ended' && body.outcome)
}

test('a server that speaks TLS alone, with a password and a CA of its own, is worked on; without the CA it is not believed', async () => {
  await using server = await startTlsRedis(SECRET)
  const address = `${server.address}?ca=${encodeURIComponent(server.ca)}`
  await eventually('the server to answer', () =>
    ping(address).then(
      () => true,
      () => false,
    ),
  )
  await expect(ping(server.address)).rejects.toThrow(/certificate/)
  await expect(ping(address.replace(/:[^:@]*@/, ':wrong@'))).rejects.toThrow(/WRONGPASS/)
  const redis = connect(address, () => {})
  try {
    await redis.set('bell', 'rung')
    expect(await redis.get('bell')).toBe('rung')
  } finally {
    redis.disconnect()
  }
  await using it = await startSeveral({ redis: server.address, env: { REDIS_CA_FILE: server.ca } })
  expect(await workOn(it, 4)).toEqual(Array(4).fill('done'))
})

test('on a cluster everything works as on one server', async () => {
  await using cluster = await startCluster()
  await using it = await startSeveral({ redis: cluster.address })
  expect(await workOn(it, 8)).toEqual(Array(8).fill('done'))
  expect((await bellhop(['verify', '--all', '--data', it.data])).exitCode).toBe(0)
})

test(
  'when the master dies in the middle of work, the one that Sentinels name is gone on with, and nothing is lost',
  async () => {
    await using servers = await startSentinels(SECRET)
    await using it = await startSeveral({ redis: servers.address })
    const before = await servers.master()
    const outcomes = await workOn(it, 16, async (i) => {
      if (i === 8) await servers.kill(before)
    })
    expect(outcomes).toEqual(Array(16).fill('done'))
    expect(await servers.master()).not.toBe(before)
    const lines = (await it.entries({ event: 'message' })).map(({ id }) => id)
    expect(new Set(lines).size).toBe(lines.length)
    expect((await bellhop(['verify', '--all', '--data', it.data])).exitCode).toBe(0)
  },
  3 * PATIENCE_MS,
)

test('a server whose machine is gone without a word is not waited for: what was asked of it is asked of the one in its place', async () => {
  await using server = await startTestRedis()
  const between = await startProxy({ path: server.address }, chanceOf())
  const redis = connect(`redis://127.0.0.1:${between.port}`, () => {})
  await redis.ping()
  between.strand()
  expect(await redis.ping()).toBe('PONG')
  redis.disconnect()
  await between.close()
})

test('an address that is not understood is told in a sentence, without what is secret in it', async () => {
  const { exitCode, stderr } = await bellhop(['worker'], { env: { REDIS_URL: 'redis+swarm://:hush@desk' } })
  expect([exitCode, stderr.split('\n')[0], stderr.includes('hush')]).toEqual([
    1,
    'bellhop: REDIS_URL is not understood: there is no redis+swarm://',
    false,
  ])
})
