import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerTo, createRegistry, type Registry } from '../../src/registry/registry.ts'
import { PROTOCOL, type Presence, type Probe, type Proof, type Registration } from '../../src/shapes/agent.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { must } from '../support/store.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const SECRET = 'the secret of this instance'
const WELL: Probe = { name: 'workspace', ok: true, detail: '/work' }
const ILL: Probe = { name: 'ripgrep', ok: false, detail: 'rg does not run' }

/** A registry with keys of its own; `again` opens a second one on the same keys, as another process does. */
const open = ({ leaseMs = 60_000, prefix = `t-${randomUUID()}` } = {}) => {
  const options = { redis: server.redis, prefix, secret: SECRET, leaseMs, peripherals: ['explore', 'edit'] }
  const key = (id: string, part: 'record' | 'challenge' | 'lease') => `${prefix}:{agent:${id}}:${part}`
  return { registry: createRegistry(options), prefix, key, again: () => createRegistry(options) }
}

const claude = (over: Partial<Registration> = {}): Registration => ({
  id: 'claude-1',
  type: 'claude',
  protocol: PROTOCOL,
  peripherals: ['explore'],
  holder: 'worker-a',
  ...over,
})

const presenceOf = (over: Partial<Presence> = {}): Presence => ({
  id: 'claude-1',
  type: 'claude',
  readiness: 'ready',
  peripherals: ['explore'],
  reason: null,
  ...over,
})

const proofOf = ({ id, holder }: Registration, nonce: string, over: Partial<Proof> = {}): Proof => ({
  id,
  holder,
  answer: answerTo(nonce, SECRET),
  probes: [WELL],
  ...over,
})

/** The whole handshake. */
const join = async (registry: Registry, who = claude()) => {
  const { nonce } = must(await registry.register(who))
  return registry.prove(proofOf(who, nonce))
}

const LAPSED = presenceOf({ readiness: 'lapsed', reason: 'its lease ran out without a heartbeat' })

const goneLease = (it: ReturnType<typeof open>, id = 'claude-1') =>
  eventually('the lease to lapse', async () => (await server.redis.exists(it.key(id, 'lease'))) === 0)

test('the handshake: registered is not ready, a proof makes ready, and both are seen by every process', async () => {
  const { registry, again } = open()
  const challenge = must(await registry.register(claude({ peripherals: ['explore', 'deploy', 'edit'] })))
  expect(challenge).toEqual({
    nonce: expect.stringMatching(/^[\w-]{32}$/),
    protocol: PROTOCOL,
    peripherals: ['explore', 'edit'],
  })
  const registered = presenceOf({ readiness: 'registered', peripherals: ['explore', 'edit'] })
  expect(await again().presence('claude-1')).toEqual(registered)

  const ready = { ...registered, readiness: 'ready' }
  expect(await registry.prove(proofOf(claude(), challenge.nonce))).toEqual(ok(ready))
  expect(await again().presence('claude-1')).toEqual(ready)
  expect(await again().who()).toEqual([ready])
})

test('each challenge has a nonce of its own', async () => {
  const { registry } = open()
  const nonces = new Set<string>()
  for (let i = 0; i < 20; i++) nonces.add(must(await registry.register(claude())).nonce)
  expect(nonces.size).toBe(20)
})

test('an agent that never registered is absent, and so is nobody', async () => {
  const { registry } = open()
  expect(await registry.presence('claude-1')).toEqual({
    id: 'claude-1',
    type: null,
    readiness: 'absent',
    peripherals: [],
    reason: 'it has not registered',
  })
  expect(await registry.who()).toEqual([])
  expect(await registry.lapsed()).toEqual([])
})

test('another protocol is refused, and leaves nobody behind', async () => {
  const { registry } = open()
  expect(await registry.register(claude({ protocol: 2 }))).toEqual(
    refused(refusal('protocol-unsupported', 'claude-1 speaks protocol 2; this Bellhop speaks 1')),
  )
  expect(await registry.who()).toEqual([])
})

test('an agent that can inhabit nothing of this instance is refused, and leaves nobody behind', async () => {
  const { registry } = open()
  expect(await registry.register(claude({ peripherals: ['deploy', 'chat'] }))).toEqual(
    refused(refusal('capabilities-missing', 'claude-1 offers deploy, chat; needed is one of explore, edit')),
  )
  expect(await registry.who()).toEqual([])
})

test('a proof without a challenge is stale', async () => {
  const { registry } = open()
  expect(await registry.prove(proofOf(claude(), 'made up'))).toEqual(
    refused(refusal('challenge-stale', 'claude-1 has no open challenge')),
  )
})

test('a challenge that has run out is stale', async () => {
  const it = open()
  const { nonce } = must(await it.registry.register(claude()))
  expect(await server.redis.pttl(it.key('claude-1', 'challenge'))).toBeGreaterThan(0)
  await server.redis.pexpire(it.key('claude-1', 'challenge'), 0)
  expect(await it.registry.prove(proofOf(claude(), nonce))).toEqual(
    refused(refusal('challenge-stale', 'claude-1 has no open challenge')),
  )
  expect(await it.registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'registered' }))
})

test('a challenge is answered once: the same proof again is stale', async () => {
  const { registry } = open()
  const { nonce } = must(await registry.register(claude()))
  const both = await Promise.all([registry.prove(proofOf(claude(), nonce)), registry.prove(proofOf(claude(), nonce))])
  expect(both.filter((each) => each.ok)).toEqual([ok(presenceOf())])
  expect(both.filter((each) => !each.ok).map((each) => !each.ok && each.refusal.code)).toEqual(['challenge-stale'])
  expect(await registry.prove(proofOf(claude(), nonce))).toEqual(
    refused(refusal('challenge-stale', 'claude-1 has no open challenge')),
  )
})

test('an answer made with another secret is refused, and the right one still counts', async () => {
  const { registry } = open()
  const { nonce } = must(await registry.register(claude()))
  for (const answer of [answerTo(nonce, 'a guess'), '', nonce, answerTo('another nonce', SECRET)]) {
    expect(await registry.prove(proofOf(claude(), nonce, { answer }))).toEqual(
      refused(refusal('credential-invalid', "claude-1 did not answer the challenge with this instance's secret")),
    )
  }
  expect(await registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'registered' }))
  expect(await registry.prove(proofOf(claude(), nonce))).toEqual(ok(presenceOf()))
})

test('the answer to a challenge that was replaced does not count', async () => {
  const { registry } = open()
  const first = must(await registry.register(claude()))
  const second = must(await registry.register(claude()))
  expect(await registry.prove(proofOf(claude(), first.nonce))).toMatchObject({
    refusal: { code: 'credential-invalid' },
  })
  expect(await registry.prove(proofOf(claude(), second.nonce))).toEqual(ok(presenceOf()))
})

test('whose challenge another process has replaced is not said to have answered it wrongly', async () => {
  const { registry } = open()
  const { nonce } = must(await registry.register(claude()))
  const other = must(await registry.register(claude({ holder: 'worker-b' })))
  expect(await registry.prove(proofOf(claude(), nonce))).toEqual(
    refused(refusal('challenge-stale', 'the challenge of claude-1 is used up or too old')),
  )
  expect(await registry.prove(proofOf(claude({ holder: 'worker-b' }), other.nonce))).toEqual(ok(presenceOf()))
})

test.each([
  ['whose probes hold', [WELL]],
  ['whose probes fail', [ILL]],
])('a holder that was not challenged proves nothing and spoils nothing: one %s', async (_which, probes) => {
  const { registry } = open()
  const { nonce } = must(await registry.register(claude()))
  expect(await registry.prove(proofOf(claude({ holder: 'worker-b' }), nonce, { probes }))).toEqual(
    refused(refusal('challenge-stale', 'the challenge of claude-1 is used up or too old')),
  )
  expect(await registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'registered' }))
  expect(await registry.prove(proofOf(claude(), nonce))).toEqual(ok(presenceOf()))
})

test('probes that fail leave the reason: every one that failed, and none that held', async () => {
  const { registry } = open()
  const { nonce } = must(await registry.register(claude()))
  const probes = [ILL, WELL, { name: 'tools', ok: false, detail: 'there is no write' }]
  const reason = 'ripgrep: rg does not run; tools: there is no write'
  expect(await registry.prove(proofOf(claude(), nonce, { probes }))).toEqual(
    refused(refusal('probe-failed', `claude-1 is not ready: ${reason}`)),
  )
  expect(await registry.who()).toEqual([presenceOf({ readiness: 'registered', reason })])
  expect(await join(registry)).toEqual(ok(presenceOf()))
})

test('an agent that was ready and fails its next proof is no longer ready', async () => {
  const { registry } = open()
  await join(registry)
  const { nonce } = must(await registry.register(claude()))
  await registry.prove(proofOf(claude(), nonce, { probes: [ILL] }))
  expect(await registry.presence('claude-1')).toEqual(
    presenceOf({ readiness: 'registered', reason: 'ripgrep: rg does not run' }),
  )
  expect(await registry.heartbeat('claude-1', 'worker-a')).toEqual(
    refused(refusal('lease-lapsed', 'claude-1 holds no lease')),
  )
})

test('an id that is held cannot be registered by another process, until its lease lapses', async () => {
  const it = open()
  const { registry } = it
  must(await join(registry))
  const other = claude({ holder: 'worker-b' })
  const taken = refused(refusal('agent-taken', 'claude-1 is held by another process'))
  expect(await registry.register(other)).toEqual(taken)
  expect(await registry.presence('claude-1')).toEqual(presenceOf())
  await server.redis.pexpire(it.key('claude-1', 'lease'), 1)
  await goneLease(it)
  expect(await join(registry, other)).toEqual(ok(presenceOf()))
  expect(await registry.register(claude())).toEqual(taken)
  expect(await registry.heartbeat('claude-1', 'worker-a')).toEqual(
    refused(refusal('lease-lapsed', 'claude-1 holds no lease')),
  )
})

test('of two processes that register at once, the one whose proof comes first holds the id', async () => {
  const it = open()
  const first = claude()
  const second = claude({ holder: 'worker-b' })
  const { nonce } = must(await it.registry.register(first))
  must(await it.registry.register(second))
  // The first one's challenge was replaced: put it back, as if both had been open.
  await server.redis.set(it.key('claude-1', 'challenge'), `worker-b ${nonce}`)
  must(await it.registry.prove(proofOf(second, nonce)))
  await server.redis.set(it.key('claude-1', 'challenge'), `worker-a ${nonce}`)
  const taken = refused(refusal('agent-taken', 'claude-1 is held by another process'))
  expect(await it.registry.prove(proofOf(first, nonce))).toEqual(taken)
  expect(await it.registry.prove(proofOf(first, nonce, { probes: [ILL] }))).toEqual(taken)
  expect(await it.registry.presence('claude-1')).toEqual(presenceOf())
})

test('a heartbeat of its holder, and of nobody else, renews a lease for as long as it was granted', async () => {
  const it = open({ leaseMs: 60_000 })
  must(await join(it.registry))
  const left = () => server.redis.pttl(it.key('claude-1', 'lease'))
  await server.redis.pexpire(it.key('claude-1', 'lease'), 30_000)
  expect(await it.registry.heartbeat('claude-1', 'worker-b')).toEqual(
    refused(refusal('lease-lapsed', 'claude-1 holds no lease')),
  )
  expect(await left()).toBeLessThanOrEqual(30_000)
  expect(await it.registry.heartbeat('claude-1', 'worker-a')).toEqual(ok(null))
  expect(await left()).toBeGreaterThan(30_000)
  expect(await it.registry.presence('claude-1')).toEqual(presenceOf())
})

test('without heartbeats a lease lapses, and no heartbeat brings it back', async () => {
  const it = open({ leaseMs: 500 })
  await join(it.registry)
  await goneLease(it)
  expect(await it.registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'lapsed' }))
  expect(await it.registry.heartbeat('claude-1', 'worker-a')).toEqual(
    refused(refusal('lease-lapsed', 'claude-1 holds no lease')),
  )
  expect(await it.registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'lapsed' }))
})

test('a lapse is told exactly once, whoever of many looks first', async () => {
  const it = open({ leaseMs: 1 })
  const ids = ['claude-1', 'claude-2', 'claude-3']
  for (const id of ids) await join(it.registry, claude({ id }))
  for (const id of ids) await goneLease(it, id)
  const others = [it.registry, it.again(), it.again(), it.again()]
  const told = (await Promise.all([...others, ...others].map((registry) => registry.lapsed()))).flat()
  expect(told.sort((a, b) => a.id.localeCompare(b.id))).toEqual(ids.map((id) => ({ ...LAPSED, id })))
  expect(await it.registry.lapsed()).toEqual([])
  expect(await it.registry.who()).toEqual(ids.map((id) => ({ ...LAPSED, id })))
})

test('an agent that lapsed, came back and lapsed again is told again', async () => {
  const it = open({ leaseMs: 1 })
  for (const _time of [1, 2]) {
    await join(it.registry)
    await goneLease(it)
    expect(await it.registry.lapsed()).toEqual([LAPSED])
  }
})

test('only a lease that ran out has lapsed: not one that is held, not a registration, not an agent that left', async () => {
  const it = open()
  must(await join(it.registry, claude({ id: 'tickle-1', type: 'tickle' })))
  must(await it.registry.register(claude()))
  await join(it.registry, claude({ id: 'codex-1', type: 'codex' }))
  must(await it.registry.leave('codex-1', 'worker-a'))
  expect(await it.registry.lapsed()).toEqual([])
  expect(await it.registry.presence('tickle-1')).toEqual(presenceOf({ id: 'tickle-1', type: 'tickle' }))
})

test('an agent that leaves is absent, for its holder alone to say, and its id is free', async () => {
  const { registry } = open()
  must(await join(registry))
  const none = refused(refusal('lease-lapsed', 'claude-1 holds no lease'))
  expect(await registry.leave('claude-1', 'worker-b')).toEqual(none)
  expect(await registry.presence('claude-1')).toEqual(presenceOf())
  expect(await registry.leave('claude-1', 'worker-a')).toEqual(ok('left'))
  expect(await registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'absent' }))
  expect(await registry.leave('claude-1', 'worker-a')).toEqual(none)
  expect(await join(registry, claude({ holder: 'worker-b' }))).toEqual(ok(presenceOf()))
})

const BROKEN = (id: string): Presence => ({
  id,
  type: null,
  readiness: 'broken',
  peripherals: [],
  reason: 'its entry cannot be read',
})

test.each([
  ['a type that is no name', { type: 'Clod 9' }],
  ['a readiness there is not', { readiness: 'thinking' }],
  ['peripherals that are no JSON', { peripherals: '[explore' }],
  ['peripherals that are no list', { peripherals: '{"explore":true}' }],
  ['peripherals of no name', { peripherals: '["../etc"]' }],
])('an entry with %s is shown as broken and hides nobody', async (_what, garbage) => {
  const it = open()
  for (const id of ['claude-1', 'claude-2', 'claude-3']) must(await join(it.registry, claude({ id })))
  await server.redis.hset(it.key('claude-2', 'record'), garbage)
  expect(await it.registry.who()).toEqual([
    presenceOf({ id: 'claude-1' }),
    BROKEN('claude-2'),
    presenceOf({ id: 'claude-3' }),
  ])
})

test('a key of the wrong type is shown as broken, and blocks neither others nor the telling of lapses', async () => {
  const it = open({ leaseMs: 1 })
  for (const id of ['claude-1', 'claude-2', 'claude-3']) await join(it.registry, claude({ id }))
  for (const id of ['claude-1', 'claude-2', 'claude-3']) await goneLease(it, id)
  await server.redis.set(it.key('claude-2', 'record'), 'garbage')
  const told = [
    { ...LAPSED, id: 'claude-1' },
    { ...LAPSED, id: 'claude-3' },
  ]
  expect((await it.registry.lapsed()).sort((a, b) => a.id.localeCompare(b.id))).toEqual(told)
  expect(await it.registry.who()).toEqual([told[0], BROKEN('claude-2'), told[1]])
  const other = open()
  expect(await join(other.registry)).toEqual(ok(presenceOf()))
})

test('a broken entry is mended by registering again', async () => {
  const it = open()
  must(await join(it.registry))
  await server.redis.hset(it.key('claude-1', 'record'), { type: 'clod', peripherals: 'x', readiness: '?', reason: 'y' })
  expect(await join(it.registry)).toEqual(ok(presenceOf()))
})

test('everybody who ever came is listed by id, each as it stands', async () => {
  const it = open()
  must(await join(it.registry, claude({ id: 'tickle-1', type: 'tickle' })))
  must(await it.registry.register(claude({ id: 'codex-1', type: 'codex' })))
  must(await join(it.registry))
  must(await it.registry.leave('claude-1', 'worker-a'))
  expect(await it.registry.who()).toEqual([
    presenceOf({ id: 'claude-1', readiness: 'absent' }),
    presenceOf({ id: 'codex-1', type: 'codex', readiness: 'registered' }),
    presenceOf({ id: 'tickle-1', type: 'tickle' }),
  ])
})

test('the keys of an agent share one hash tag, and two instances on one Redis do not see each other', async () => {
  const it = open()
  const other = open()
  for (const id of ['claude-1', 'codex-1']) must(await join(it.registry, claude({ id })))
  for (const id of ['claude-1', 'codex-1']) must(await it.registry.register(claude({ id })))
  const keys = await server.redis.keys(`${it.prefix}*`)
  expect(keys.sort()).toEqual(
    [
      `${it.prefix}:agents`,
      ...['claude-1', 'codex-1'].flatMap((id) => [it.key(id, 'challenge'), it.key(id, 'lease'), it.key(id, 'record')]),
    ].sort(),
  )
  const tags = keys.filter((key) => key !== `${it.prefix}:agents`).map((key) => /\{(.*)\}/.exec(key)?.[1])
  expect(tags.sort()).toEqual([...Array(3).fill('agent:claude-1'), ...Array(3).fill('agent:codex-1')])
  expect(await other.registry.who()).toEqual([])
})

test('what an agent says that it is doing is shown as one plain line, and goes with its lease', async () => {
  const { registry, key } = open()
  must(await join(registry))
  must(await registry.note('claude-1', 'worker-a', `busy:\u001b[31m reading\n\u202e${'x'.repeat(300)}`))
  expect(await registry.presence('claude-1')).toEqual(presenceOf({ activity: `busy:[31m reading ${'x'.repeat(181)}…` }))
  expect(await registry.note('claude-1', 'worker-b', 'busy')).toEqual(
    refused(refusal('lease-lapsed', 'claude-1 holds no lease')),
  )
  must(await registry.note('claude-1', 'worker-a', ''))
  expect(await registry.presence('claude-1')).toEqual(presenceOf())

  must(await registry.note('claude-1', 'worker-a', 'busy'))
  await server.redis.del(key('claude-1', 'lease'))
  expect(await registry.presence('claude-1')).toEqual(presenceOf({ readiness: 'lapsed' }))
  must(await join(registry))
  expect(await registry.presence('claude-1')).toEqual(presenceOf())
})
