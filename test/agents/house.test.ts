import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepHouse } from '../../src/agents/house.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import type { AgentConfig, Presence, Probe } from '../../src/shapes/agent.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { agentConfig } from '../support/agent.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const CLAUDE = agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore' })
const CODEX = agentConfig({ id: 'codex-1', type: 'codex', peripheral: 'explore' })
const WELL: Probe = { name: 'ripgrep', ok: true, detail: 'ripgrep 13' }
const ILL: Probe = { name: 'ripgrep', ok: false, detail: 'rg does not run' }
const SECRET = 'the secret of this instance'

const presenceOf = ({ id, type }: AgentConfig, over: Partial<Presence> = {}): Presence => ({
  id,
  type,
  readiness: 'ready',
  peripherals: ['explore'],
  reason: null,
  ...over,
})

/** A registry of its own, in which houses can be kept. */
const openStreet = () => {
  const prefix = `t-${randomUUID()}`
  const registry = createRegistry({
    redis: server.redis,
    prefix,
    secret: SECRET,
    leaseMs: 60_000,
    peripherals: ['explore'],
  })
  const leaving: (() => Promise<void>)[] = []
  return {
    registry,
    lease: (id: string) => `${prefix}:{agent:${id}}:lease`,
    [Symbol.asyncDispose]: async () => {
      for (const leave of leaving) await leave()
    },
    /** A house whose probes, and what it announces and logs, are in the hands of the test. */
    house: (agents: AgentConfig[], { holder = 'worker-a', secret = SECRET } = {}) => {
      const announced: Presence[] = []
      const logged: [string, Record<string, unknown>][] = []
      const world = {
        probe: async (_agent: AgentConfig): Promise<Probe[]> => [WELL],
        trouble: null as string | null,
        note: '',
        announce: async (presence: Presence): Promise<void> => {
          announced.push(presence)
        },
      }
      const house = keepHouse(
        {
          registry,
          holder,
          secret,
          heartbeatMs: 20,
          isGone: (other) => other.startsWith('dead-'),
          probe: (agent) => world.probe(agent),
          troubleOf: () => world.trouble,
          noteOf: () => world.note,
          announce: (presence) => world.announce(presence),
          log: (message, fields) => logged.push([message, fields]),
        },
        agents.map((agent) => ({ ...agent, peripherals: ['explore'] })),
      )
      leaving.push(house.leave)
      return { ...house, announced, logged, world }
    },
  }
}

const tellings = (logged: [string, unknown][]) =>
  [...new Set(logged.map((line) => JSON.stringify(line)))].map((line) => JSON.parse(line))

test('after the first round who can be ready is, and each is announced once', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE, CODEX])
  await house.settled()
  const ready = [presenceOf(CLAUDE), presenceOf(CODEX)]
  expect(await street.registry.who()).toEqual(ready)
  // A few beats later nothing has changed, and nothing was said again.
  const before = await server.redis.pttl(street.lease('claude-1'))
  await server.redis.pexpire(street.lease('claude-1'), before - 10_000)
  await eventually('a heartbeat', async () => (await server.redis.pttl(street.lease('claude-1'))) > before - 10_000)
  expect([house.announced.sort((a, b) => a.id.localeCompare(b.id)), house.logged]).toEqual([ready, []])
})

test('a process that is gone is not waited for: its lease is taken over', async () => {
  await using street = openStreet()
  const dead = street.house([CLAUDE], { holder: 'dead-worker' })
  await dead.settled()
  const living = street.house([CLAUDE])
  await eventually(
    'the living to hold the lease',
    async () => (await street.registry.holderOf('claude-1')) === 'worker-a' && living.announced.length > 0,
  )
  await dead.leave()
  expect(await street.registry.presence('claude-1')).toEqual(presenceOf(CLAUDE))
  expect(living.announced).toEqual([presenceOf(CLAUDE)])
})

test('an agent whose probe fails is not ready and says why; once it is mended it becomes ready by itself', async () => {
  await using street = openStreet()
  const ill = street.house([CLAUDE, CODEX])
  ill.world.probe = async ({ id }) => [id === 'claude-1' ? ILL : WELL]
  await ill.settled()
  const reason = 'ripgrep: rg does not run'
  const told = await eventually('the reason', async () => {
    const who = await street.registry.who()
    return who[0]?.reason === null ? null : who
  })
  expect(told).toEqual([presenceOf(CLAUDE, { readiness: 'registered', reason }), presenceOf(CODEX)])
  expect(ill.announced).toEqual([presenceOf(CLAUDE, { readiness: 'registered', reason }), presenceOf(CODEX)])
  expect(tellings(ill.logged)).toEqual([
    ['agent is not ready', { agent: 'claude-1', ...refusal('probe-failed', `claude-1 is not ready: ${reason}`) }],
  ])

  ill.world.probe = async () => [WELL]
  await eventually('claude to be announced', () => ill.announced.length === 3)
  expect(await street.registry.who()).toEqual([presenceOf(CLAUDE), presenceOf(CODEX)])
  expect(ill.announced.at(-1)).toEqual(presenceOf(CLAUDE))
})

test('an agent that turns out not to work is not ready any more, and everybody is told once why', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE])
  await house.settled()
  house.world.trouble = 'not signed in'
  house.world.probe = async () => [{ name: 'model', ok: false, detail: 'not signed in' }]
  const reason = 'model: not signed in'
  await eventually('it to step back', () => house.announced.length === 2)
  house.world.trouble = null
  expect(house.announced).toEqual([presenceOf(CLAUDE), presenceOf(CLAUDE, { readiness: 'registered', reason })])
  expect(await street.registry.who()).toEqual([presenceOf(CLAUDE, { readiness: 'registered', reason })])
  house.world.probe = async () => [WELL]
  await eventually('it to be back', () => house.announced.length === 3)
  expect(house.announced.at(-1)).toEqual(presenceOf(CLAUDE))
})

test('what there is to say of how an agent is run is shown with it', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE])
  house.world.note = 'a rehearsal (program: there is none)'
  await eventually('the note', async () => (await street.registry.presence('claude-1')).activity !== undefined)
  expect(house.announced).toEqual([presenceOf(CLAUDE, { activity: 'a rehearsal (program: there is none)' })])
})

test('leaving announces everybody who was ready as absent, and nobody else', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE, CODEX])
  house.world.probe = async ({ id }) => [id === 'claude-1' ? ILL : WELL]
  await house.settled()
  house.announced.length = 0
  await house.leave()
  expect(house.announced).toEqual([presenceOf(CODEX, { readiness: 'absent' })])
  expect((await street.registry.who()).map(({ id, readiness }) => [id, readiness])).toEqual([
    ['claude-1', 'registered'],
    ['codex-1', 'absent'],
  ])
  expect(await server.redis.exists(street.lease('codex-1'))).toBe(0)
})

test('after leaving, nobody comes back by a late heartbeat', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE])
  await house.settled()
  await house.leave()
  const other = street.house([CODEX])
  await other.settled()
  const before = await server.redis.pttl(street.lease('codex-1'))
  await server.redis.pexpire(street.lease('codex-1'), before - 10_000)
  await eventually(
    'a beat of another house',
    async () => (await server.redis.pttl(street.lease('codex-1'))) > before - 10_000,
  )
  expect((await street.registry.presence('claude-1')).readiness).toBe('absent')
})

test('an agent that lost its lease proves itself again, and is announced again', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE])
  await house.settled()
  await server.redis.del(street.lease('claude-1'))
  await eventually('it to be announced again', () => house.announced.length === 2)
  expect(house.announced).toEqual([presenceOf(CLAUDE), presenceOf(CLAUDE)])
  expect(await server.redis.get(street.lease('claude-1'))).toBe('worker-a')
})

test('of two houses with one agent, one holds it; when that one leaves, the other takes it over', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const second = street.house([CLAUDE], { holder: 'worker-b' })
  await second.settled()
  expect([first.announced, second.announced]).toEqual([[presenceOf(CLAUDE)], []])
  expect(tellings(second.logged)).toEqual([
    [
      'agent could not register',
      { agent: 'claude-1', ...refusal('agent-taken', 'claude-1 is held by another process') },
    ],
  ])
  await first.leave()
  await eventually('the second to take over', () => second.announced.length === 1)
  expect([second.announced, await server.redis.get(street.lease('claude-1'))]).toEqual([
    [presenceOf(CLAUDE)],
    'worker-b',
  ])
})

test('a house that does not know the secret makes nobody ready', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE], { secret: 'a guess' })
  await house.settled()
  expect(house.announced).toEqual([])
  expect(await street.registry.who()).toEqual([presenceOf(CLAUDE, { readiness: 'registered' })])
  expect(tellings(house.logged)).toEqual([
    [
      'agent is not ready',
      {
        agent: 'claude-1',
        ...refusal('credential-invalid', "claude-1 did not answer the challenge with this instance's secret"),
      },
    ],
  ])
})

test('a probe or an announcement that throws is logged, and keeps neither the others nor the next beat', async () => {
  await using street = openStreet()
  const house = street.house([CLAUDE, CODEX])
  house.world.probe = async ({ id }) => {
    if (id === 'claude-1') throw new Error('the probe broke')
    return [WELL]
  }
  await house.settled()
  expect(house.announced).toEqual([presenceOf(CODEX)])
  expect(tellings(house.logged)).toEqual([['heartbeat failed', { agent: 'claude-1', error: 'the probe broke' }]])

  house.world.announce = async () => {
    throw new Error('nobody listens')
  }
  house.world.probe = async () => [WELL]
  await eventually('claude to be ready', async () => (await street.registry.presence('claude-1')).readiness === 'ready')
  await eventually('it to be logged', () => house.logged.some(([, fields]) => fields['error'] === 'nobody listens'))
  house.world.announce = async () => {}
})
