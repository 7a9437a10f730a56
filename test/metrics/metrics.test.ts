import { hostname } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { startBridge } from '../../src/house/bridge.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { startWorker } from '../../src/house/worker.ts'
import { countEntries } from '../../src/metrics/entries.ts'
import { exposition } from '../../src/metrics/exposition.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createSnapshots } from '../../src/metrics/snapshots.ts'
import { connect } from '../../src/redis/redis.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { ircNetwork } from '../support/rooms.ts'
import { must } from '../support/store.ts'

const scrape = async (url: string, token: string): Promise<[number, string]> => {
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } })
  return [response.status, await response.text()]
}

/** The sum of all lines of a metric that have these labels. */
const sum = (text: string, name: string, ...labels: string[]): number =>
  text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && labels.every((label) => line.includes(label)))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)

const viewer = (house: TestHouse): Promise<string> => house.mint({ kind: 'person', name: 'prometheus', role: 'viewer' })
const prefixOf = ({ settings }: TestHouse): string => `bellhop-${secretsOf(folderAt(settings.data)).instance}`
const patience = () => AbortSignal.timeout(60_000)

describe('what is counted', () => {
  test('as cost begins at zero when a conversation with a model is opened: its first count is an increase', async () => {
    const metrics = createMetrics()
    const counted = countEntries({ metrics, acceptedAt: async () => null })
    const costs = async () => {
      const families = await metrics.own.getMetricsAsJSON()
      return families.find(({ name }) => name === 'bellhop_cost_usd_total')?.values
    }
    const entry = (body: object) => [{ at: '2026-02-03T04:05:06Z', tags: ['agent/claude-1'], body }] as never
    const opened = { event: 'conversation-opened', turn: 't', runner: 'claude', version: '1', conversation: 'c' }
    counted(entry({ ...opened, model: null, why: 'new' }))
    expect(await costs()).toEqual([])
    counted(entry({ ...opened, model: 'opus', why: 'new' }))
    const labels = { agent: 'claude-1', model: 'opus' }
    expect(await costs()).toEqual([{ value: 0, labels }])
    const usage = { input: 1, cached: 0, written: 0, output: 1, reasoning: 0 }
    counted(entry({ event: 'usage-noted', turn: 't', model: 'opus', usage, usd: 0.5, person: null }))
    counted(entry({ ...opened, model: 'opus', why: 'resumed' }))
    expect(await costs()).toEqual([{ value: 0.5, labels }])
  })

  test('of a turn is what was done: message, wait, turn, steps, gate and evidence, of all processes in one place', async () => {
    await using house = await startTestHouse({ worker: false })
    const worker = await startWorker({ ...house.settings, health: { host: '127.0.0.1', port: 0 } })
    const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
    must(await converse(client, { room: 'quiet', text: '@codex read README.md' }, patience()))
    must(await client.say({ room: 'quiet', text: 'hello' }))
    await client.say({ room: 'nowhere', text: 'hello' })
    const token = await viewer(house)

    const [status, own] = await scrape(worker.health ?? '', token)
    expect(status).toBe(200)
    const steps = sum(own, 'bellhop_step_seconds_count', 'tool="read"', 'peripheral="edit"', 'outcome="ok"')
    expect({
      steps: steps > 0,
      passed: sum(own, 'bellhop_gate_decisions_total', 'decision="passed"'),
      turns: sum(own, 'bellhop_turn_seconds_count', 'outcome="done"'),
      waits:
        sum(own, 'bellhop_turn_wait_seconds_count', 'peripheral="edit"') +
        sum(own, 'bellhop_turn_wait_seconds_count', 'peripheral="explore"'),
      places: sum(own, 'bellhop_places', 'lane="turns"'),
      entries: sum(own, 'bellhop_evidence_entries_total') > 3,
      ready: sum(own, 'bellhop_ready'),
      queue: own.includes('bellhop_queue_depth'),
    }).toEqual({ steps: true, passed: steps, turns: 1, waits: 1, places: 64, entries: true, ready: 1, queue: false })

    const all = await eventually('the worker to be seen through the gateway', async () => {
      const [, text] = await scrape(house.url, token)
      const ofWorker = `process="worker-${hostname()}-${process.pid}-`
      return (
        sum(text, 'bellhop_turn_seconds_count', ofWorker) === 1 &&
        sum(text, 'bellhop_stall_seconds_count', ofWorker) > 0 &&
        text
      )
    })
    expect({
      messages:
        sum(all, 'bellhop_messages_total', 'outcome="work"') + sum(all, 'bellhop_messages_total', 'outcome="heard"'),
      refused: sum(all, 'bellhop_refusals_total', 'stage="presence"', 'code="room-unknown"'),
      depth: sum(all, 'bellhop_queue_depth', 'lane="turns"'),
      oldest: sum(all, 'bellhop_queue_oldest_seconds'),
      agents: sum(all, 'bellhop_agent_state', 'state="ready"'),
      entries: sum(all, 'bellhop_store_entries'),
      bytes: sum(all, 'bellhop_store_bytes') > 10_000,
      processes: sum(all, 'bellhop_build_info', 'version="0.0.0-test"'),
      heap: sum(all, 'nodejs_heap_size_used_bytes', 'process="worker-') > 0,
      lag: all.includes('nodejs_eventloop_lag_p99_seconds'),
      asked: sum(all, 'bellhop_http_seconds_count', 'door="/api"', 'status="2xx"') > 0,
    }).toEqual({
      messages: 2,
      refused: 1,
      depth: 0,
      oldest: 0,
      agents: 3,
      entries: await house.store.head(),
      bytes: true,
      processes: 2,
      heap: true,
      lag: true,
      asked: true,
    })
    await worker.stop()
    expect((await scrape(house.url, token))[1].includes('process="worker-')).toBe(false)
  })

  test('is for people with a token, and not for agents or strangers', async () => {
    await using house = await startTestHouse({ worker: false })
    const worker = await startWorker({ ...house.settings, health: { host: '127.0.0.1', port: 0 } })
    const agent = await house.mint(agentGrant())
    for (const url of [house.url, worker.health ?? ''])
      expect([
        (await scrape(url, 'nonsense'))[0],
        (await scrape(url, agent))[0],
        (await scrape(url, house.tokens.operator))[0],
      ]).toEqual([401, 403, 200])
    await worker.stop()
  })
})

describe('what alerts look at', () => {
  test('is there before it first happens: counters begin at 0, and a network that nobody is on is down', async () => {
    const networks = { home: ircNetwork({ host: '127.0.0.1', port: 1 }, { '#team': 'lobby' }) }
    await using house = await startTestHouse({ worker: false, config: `networks: ${JSON.stringify(networks)}\n` })
    const worker = await startWorker({ ...house.settings, health: { host: '127.0.0.1', port: 0 } })
    const token = await viewer(house)
    const begun = [
      'bellhop_evidence_refusals_total{code="store-full"',
      'bellhop_evidence_refusals_total{code="store-failed"',
      'bellhop_evidence_refusals_total{code="fenced"',
      'bellhop_gate_decisions_total{peripheral="edit",decision="refused",code="gate-failed"',
      'bellhop_leases_lost_total{agent="claude-1"',
      'bellhop_network_up{network="home"',
      'bellhop_network_changes_total{network="home",state="lost"',
      'bellhop_deliveries_total{network="home",outcome="never"',
    ]
    const lanes = ['bellhop_wakes_stalled_total{lane="turns"', 'bellhop_drains_failed_total{lane="steps"']
    const valuesOf = (text: string, start: string) =>
      text.split('\n').flatMap((line) => (line.startsWith(start) ? [Number(line.split(' ').at(-1))] : []))
    const [, gateway] = await scrape(house.url, token)
    const [, own] = await scrape(worker.health ?? '', token)
    expect(begun.filter((start) => valuesOf(gateway, start)[0] !== 0)).toEqual([])
    expect([...begun, ...lanes].filter((start) => valuesOf(own, start)[0] !== 0)).toEqual([])
    await worker.stop()
  })

  test('is whether a worker runs, and whether a gateway can tell: without one it is not ready, and Redis answers it', async () => {
    await using house = await startTestHouse()
    const seen = async () => {
      const [, text] = await scrape(house.url, house.tokens.operator)
      const worker = sum(text, 'bellhop_build_info', 'part="worker"')
      return { worker, ready: sum(text, 'bellhop_ready', 'gateway-'), redis: sum(text, 'bellhop_redis_up', 'gateway-') }
    }
    const comesTo = async (state: Awaited<ReturnType<typeof seen>>) =>
      eventually(JSON.stringify(state), async () => isDeepStrictEqual(await seen(), state))
    await comesTo({ worker: 1, ready: 1, redis: 1 })
    await house.stopWorker()
    await comesTo({ worker: 0, ready: 0, redis: 1 })
    await house.startWorker()
    await comesTo({ worker: 1, ready: 1, redis: 1 })
    await house.redis.kill()
    await comesTo({ worker: 0, ready: 0, redis: 0 })
    await house.redis.start()
    await comesTo({ worker: 1, ready: 1, redis: 1 })
  })

  test('are the agents of the house: who only has a token may be away, and is nobody to be told of', async () => {
    await using house = await startTestHouse({ worker: false })
    await house.mint(agentGrant({ agent: 'scout' }))
    const [, text] = await scrape(house.url, await viewer(house))
    const states = [...text.matchAll(/^bellhop_agent_state\{agent="(.*?)",state="(.*?)"\} 1$/gm)]
    expect(states.map(([, agent, state]) => `${agent} ${state}`)).toEqual([
      'claude-1 absent',
      'codex-1 absent',
      'tickle-1 absent',
    ])
  })

  test('are all tokens that somebody tries, at whichever door, also where they are not written down one by one', async () => {
    await using house = await startTestHouse({ worker: false })
    const headers = { authorization: 'Bearer a-guess', 'content-type': 'application/json' }
    const tried: [string, RequestInit][] = [
      ...['/api/who', '/metrics', '/mcp'].map((path): [string, RequestInit] => [path, { headers }]),
      ...Array.from({ length: 30 }, (): [string, RequestInit] => ['/api/say', { headers, method: 'POST', body: '{}' }]),
      ['/sign-in', { method: 'POST', body: new URLSearchParams({ with: 'A_guess_that_is_no_code_at_all' }) }],
    ]
    for (const [path, init] of tried) expect((await fetch(new URL(path, house.url), init)).status).toBe(401)
    const [, text] = await scrape(house.url, house.tokens.operator)
    expect(sum(text, 'bellhop_refusals_total', 'code="unauthenticated"')).toBe(tried.length)
  })

  test('is said by whoever does it, and by nobody who did it before', async () => {
    await using house = await startTestHouse({ worker: false })
    const redis = connect(house.redis.address, () => {})
    const said = async () => /^bellhop_sweep_sessions\{.*\} 0$/m.test((await scrape(house.url, house.tokens.admin))[1])
    await eventually('it to be said', said)
    await redis.set(`${prefixOf(house)}:leads:sweep`, 'another', 'PX', 600_000)
    await eventually('it to be said no more', async () => !(await said()))
    redis.disconnect()
  })

  test('is no network that another bridge has taken over', async () => {
    const server = await startNgircd({ penaltySeconds: 0 })
    try {
      const networks = { home: ircNetwork(server, { '#team': 'lobby' }) }
      await using house = await startTestHouse({ worker: false, config: `networks: ${JSON.stringify(networks)}\n` })
      const bridge = await startBridge({ ...house.settings, health: { host: '127.0.0.1', port: 0 } })
      const redis = connect(house.redis.address, () => {})
      const up = async () => sum((await scrape(bridge.health ?? '', house.tokens.admin))[1], 'bellhop_network_up')
      await eventually('it to be on the network', async () => (await up()) === 1)
      await redis.set(`${prefixOf(house)}:network:home`, 'another', 'PX', 600_000)
      await eventually('it to have left', async () => (await up()) === 0)
      redis.disconnect()
      await bridge.stop()
    } finally {
      await server.stop()
    }
  })
})

describe('of the whole instance', () => {
  test('all is said to each who asks, also to many at once', async () => {
    await using house = await startTestHouse({ worker: false })
    const texts = await Promise.all(Array.from({ length: 20 }, () => scrape(house.url, house.tokens.operator)))
    const names = [
      'queue_depth',
      'queue_oldest_seconds',
      'turns_open',
      'agent_state',
      'approvals_waiting',
      'store_entries',
    ]
    const missing = texts.flatMap(([, text]) =>
      names.filter((name) => !new RegExp(`^bellhop_${name}[{ ]`, 'm').test(text)),
    )
    expect(missing).toEqual([])
  })

  test('places are those of lanes that a worker takes from', async () => {
    await using house = await startTestHouse({ worker: false })
    const worker = await startWorker({
      ...house.settings,
      queues: ['steps'],
      health: { host: '127.0.0.1', port: 0 },
    })
    const [, own] = await scrape(worker.health ?? '', house.tokens.operator)
    expect([...own.matchAll(/^bellhop_places\{lane="(.*?)".* (\d+)$/gm)].map(([, lane, of]) => [lane, of])).toEqual([
      ['steps', '8'],
    ])
    await worker.stop()
  })
})

describe('labels', () => {
  test('have no more values than can be counted: what comes beyond is counted together', async () => {
    const metrics = createMetrics()
    for (let i = 0; i < 250; i++) metrics.count('bellhop_leases_lost_total', { agent: `agent-${i}` })
    const [family] = (await metrics.own.getMetricsAsJSON()).filter(({ name }) => name === 'bellhop_leases_lost_total')
    const values = (family as unknown as { values: { value: number; labels: { agent: string } }[] }).values
    expect([values.length, values.find(({ labels }) => labels.agent === 'others')?.value]).toEqual([201, 50])
  })

  test('are written so that whatever is in them stays in them', () => {
    const families = [
      {
        name: 'a',
        help: 'one\ntwo',
        type: 'gauge',
        values: [
          { value: 1, labels: { x: 'q"\\\n' } },
          { value: null, labels: {} },
        ],
      },
    ]
    expect(
      exposition([
        { process: 'p', families },
        { process: null, families },
      ]),
    ).toBe(
      [
        '# HELP a one\\ntwo',
        '# TYPE a gauge',
        'a{x="q\\"\\\\\\n",process="p"} 1',
        'a{process="p"} NaN',
        'a{x="q\\"\\\\\\n"} 1',
        'a NaN',
        '',
      ].join('\n'),
    )
  })
})

describe('snapshots', () => {
  const facts = (process: string) => ({
    process,
    part: 'worker',
    host: 'here',
    pid: 1,
    version: '1',
    since: '2026-11-17T00:00:00.000Z',
    ready: true,
    reasons: [],
    places: [],
    complaints: [],
  })

  test('of processes that are gone run out, those of a later version are read as far as they are known', async () => {
    await using server = await startTestRedis()
    const redis = connect(server.address, () => {})
    const brief = createSnapshots({ redis, prefix: 'p', expiryMs: 50 })
    const lasting = createSnapshots({ redis, prefix: 'p', expiryMs: 60_000 })
    await brief.put({ facts: facts('a'), families: [] })
    await lasting.put({ facts: { ...facts('b'), mood: 'fine' } as never, families: [] })
    await redis.sadd('{p}:processes', 'c')
    await redis.set('{p}:process:c', '{"facts":1}')
    await eventually('the first to run out', async () => (await redis.exists('{p}:process:a')) === 0)
    expect(await lasting.all()).toEqual([{ facts: facts('b'), families: [] }])
    expect((await redis.smembers('{p}:processes')).sort()).toEqual(['b', 'c'])
    redis.disconnect()
  })
})
