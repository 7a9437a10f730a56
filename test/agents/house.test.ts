import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepHouse } from '../../src/agents/house.ts'
import { createRegistry, type Registry } from '../../src/registry/registry.ts'
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

type HouseOptions = { holder: string; secret: string; heartbeatMs: number; does: Partial<Registry> }

/** Beats that no test lives to see: what has happened by then happened in the first one. */
const NEVER_MS = 600_000

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
    /** A house whose probes, and what it announces and logs, are in the hands of the test; and what its registry does. */
    house: (
      agents: AgentConfig[],
      { holder = 'worker-a', secret = SECRET, heartbeatMs = 20, does = {} }: Partial<HouseOptions> = {},
    ) => {
      const announced: Presence[] = []
      const logged: [string, Record<string, unknown>][] = []
      const world = {
        probe: async (_agent: AgentConfig): Promise<Probe[]> => [WELL],
        trouble: null as string | null,
        note: '',
        isAlike: true,
        announce: async (presence: Presence): Promise<void> => {
          announced.push(presence)
        },
      }
      const house = keepHouse(
        {
          registry: { ...registry, ...does },
          holder,
          secret,
          heartbeatMs,
          isGone: (other) => other.startsWith('dead-'),
          probe: (agent) => world.probe(agent),
          probeOnce: (agent) => world.probe(agent),
          troubleOf: () => world.trouble,
          isAlike: async () => world.isAlike,
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

/** Something that happens once, and is waited for. */
const moment = () => {
  let now = (): void => {}
  const come = new Promise<void>((resolve) => {
    now = resolve
  })
  return { come, now: () => now() }
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

test('a process that is gone is not waited for: its lease is taken over, and nobody need be told', async () => {
  await using street = openStreet()
  const dead = street.house([CLAUDE], { holder: 'dead-worker' })
  await dead.settled()
  const living = street.house([CLAUDE])
  await living.settled()
  expect(await street.registry.holderOf('claude-1')).toBe('worker-a')
  await dead.leave()
  expect(await street.registry.presence('claude-1')).toEqual(presenceOf(CLAUDE))
  expect([dead.announced, living.announced]).toEqual([[presenceOf(CLAUDE)], []])
})

test('where it does not work here, the lease of a process that is gone is nobody’s', async () => {
  await using street = openStreet()
  const dead = street.house([CLAUDE], { holder: 'dead-worker' })
  await dead.settled()
  const living = street.house([CLAUDE])
  living.world.probe = async () => [ILL]
  await eventually('the lease to be ended', async () => (await street.registry.holderOf('claude-1')) !== 'dead-worker')
  await eventually('the reason to be told', () => living.announced.length === 1)
  expect(living.announced).toEqual([
    presenceOf(CLAUDE, { readiness: 'registered', reason: 'ripgrep: rg does not run' }),
  ])
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

test('of two houses with one agent, one holds it; when that one leaves, it is handed over, and was ready all the while', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const second = street.house([CLAUDE], { holder: 'worker-b' })
  await second.settled()
  await first.leave()
  // Not a moment later: whoever left has handed it over.
  expect([await server.redis.get(street.lease('claude-1')), await street.registry.presence('claude-1')]).toEqual([
    'worker-b',
    presenceOf(CLAUDE),
  ])
  const before = await server.redis.pttl(street.lease('claude-1'))
  await server.redis.pexpire(street.lease('claude-1'), before - 10_000)
  await eventually('a beat', async () => (await server.redis.pttl(street.lease('claude-1'))) > before - 10_000)
  expect([first.announced, second.announced, first.logged, second.logged]).toEqual([[presenceOf(CLAUDE)], [], [], []])
  await second.leave()
  expect(second.announced).toEqual([presenceOf(CLAUDE, { readiness: 'absent' })])
})

test('of two that come at the same moment one holds it, and the other stands in before its first beat is over', async () => {
  await using street = openStreet()
  const { registry } = street
  const [registered, refused, settled] = [moment(), moment(), moment()]
  // The second registers before the first has proved anything, and proves itself once that one has been refused.
  const first = street.house([CLAUDE], {
    holder: 'worker-a',
    heartbeatMs: NEVER_MS,
    does: {
      prove: async (proof) => {
        await registered.come
        const proved = await registry.prove(proof)
        refused.now()
        return proved
      },
    },
  })
  let looks = 0
  first.world.probe = async () => {
    // Whoever looks again takes longer to do so than the other takes to prove itself.
    if (looks++ > 0) await settled.come
    return [WELL]
  }
  await eventually('the first to have registered', async () => (await registry.presence('claude-1')).type)
  const second = street.house([CLAUDE], {
    holder: 'worker-b',
    heartbeatMs: NEVER_MS,
    does: {
      register: async (registration) => {
        const challenge = await registry.register(registration)
        registered.now()
        return challenge
      },
      prove: async (proof) => {
        await refused.come
        return registry.prove(proof)
      },
    },
  })
  await second.settled()
  settled.now()
  await first.settled()
  await second.leave()
  expect([await registry.holderOf('claude-1'), await registry.presence('claude-1')]).toEqual([
    'worker-a',
    presenceOf(CLAUDE),
  ])
  expect([first.announced, second.announced, first.logged, second.logged]).toEqual([[], [presenceOf(CLAUDE)], [], []])
})

test('whoever would stand in for one that leaves at that moment comes in at once', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const second = street.house([CLAUDE], {
    holder: 'worker-b',
    heartbeatMs: NEVER_MS,
    does: {
      standIn: async (proof) => {
        await first.leave()
        return street.registry.standIn(proof)
      },
    },
  })
  await second.settled()
  expect([await street.registry.holderOf('claude-1'), await street.registry.presence('claude-1')]).toEqual([
    'worker-b',
    presenceOf(CLAUDE),
  ])
  expect([first.announced, second.announced, second.logged]).toEqual([
    [presenceOf(CLAUDE), presenceOf(CLAUDE, { readiness: 'absent' })],
    [presenceOf(CLAUDE)],
    [],
  ])
})

test('nothing is handed over to a house in which the agent does not work, nor to one that has left', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const ill = street.house([CLAUDE], { holder: 'worker-b' })
  ill.world.probe = async () => [ILL]
  const stands = street.house([CLAUDE], { holder: 'worker-c' })
  await stands.settled()
  await stands.leave()
  await eventually('the ill one to have been looked at', () => ill.logged.length > 0)
  ill.world.probe = () => new Promise(() => {})
  // A beat that was under way when that changed can still end.
  await server.redis.del(street.lease('claude-1').replace(/lease$/, 'next'))
  await first.leave()
  expect(first.announced).toEqual([presenceOf(CLAUDE), presenceOf(CLAUDE, { readiness: 'absent' })])
})

test('whoever runs an agent otherwise inherits nothing: it leaves, and comes back announced as what it is', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const second = street.house([CLAUDE], { holder: 'worker-b' })
  await second.settled()
  const standsIn = () => server.redis.get(street.lease('claude-1').replace(/lease$/, 'next'))
  expect(await standsIn()).toBe('worker-b')
  // From now on it would be something else there.
  second.world.isAlike = false
  second.world.note = 'a rehearsal (sign-in: not signed in)'
  await eventually('it to stand in no longer', async () => (await standsIn()) === null)
  await first.leave()
  await eventually('it to be announced', () => second.announced.length === 1)
  expect([first.announced, second.announced, tellings(second.logged)]).toEqual([
    [presenceOf(CLAUDE), presenceOf(CLAUDE, { readiness: 'absent' })],
    [presenceOf(CLAUDE, { activity: 'a rehearsal (sign-in: not signed in)' })],
    [
      [
        'agent is spoken for by another process, and could not be here',
        {
          agent: 'claude-1',
          ...refusal(
            'agent-taken',
            'claude-1 is run otherwise by the process that speaks for it: one of them rehearses it',
          ),
        },
      ],
    ],
  ])
})

test('nor does it inherit anything from a process that is gone', async () => {
  await using street = openStreet()
  const dead = street.house([CLAUDE], { holder: 'dead-worker' })
  await dead.settled()
  const living = street.house([CLAUDE])
  living.world.isAlike = false
  living.world.note = 'a rehearsal (sign-in: not signed in)'
  dead.world.probe = () => new Promise(() => {})
  await eventually('it to be announced', () => living.announced.length === 1)
  expect(living.announced).toEqual([presenceOf(CLAUDE, { activity: 'a rehearsal (sign-in: not signed in)' })])
})

test('whoever ends waits for no look at an agent: what it has is handed over, and what it sees later counts no more', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE, CODEX], { holder: 'worker-a' })
  let seen = (_probes: Probe[]): void => {}
  first.world.probe = ({ id }) =>
    id === 'codex-1' ? new Promise((resolve) => (seen = resolve)) : Promise.resolve([WELL])
  await eventually('claude to be ready', () => first.announced.length === 1)
  const second = street.house([CLAUDE], { holder: 'worker-b' })
  await second.settled()
  await first.handOver()
  expect(await street.registry.holderOf('claude-1')).toBe('worker-b')
  await first.leave()
  seen([WELL])
  await second.leave()
  expect([await street.registry.who(), first.announced, second.announced]).toEqual([
    [presenceOf(CLAUDE, { readiness: 'absent' })],
    [presenceOf(CLAUDE)],
    [presenceOf(CLAUDE, { readiness: 'absent' })],
  ])
})

test('of two that end together, what one hands to the other is given back, and that is told', async () => {
  await using street = openStreet()
  const first = street.house([CLAUDE], { holder: 'worker-a' })
  await first.settled()
  const second = street.house([CLAUDE], { holder: 'worker-b' })
  await second.settled()
  // The other was just about to say that it stands in no longer.
  await second.handOver()
  await server.redis.set(street.lease('claude-1').replace(/lease$/, 'next'), 'worker-b')
  await Promise.all([first.leave(), second.settled()])
  await second.leave()
  expect([await street.registry.holderOf('claude-1'), first.announced, second.announced]).toEqual([
    null,
    [presenceOf(CLAUDE)],
    [presenceOf(CLAUDE, { readiness: 'absent' })],
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
