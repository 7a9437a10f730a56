import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startBridge } from '../../src/house/bridge.ts'
import { startGateway } from '../../src/house/gateway.ts'
import { startWorker } from '../../src/house/worker.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'

const look = async (url: string | null, path: string): Promise<[number, unknown]> => {
  const response = await fetch(new URL(path, url ?? ''))
  return [response.status, await response.json()]
}

const PORT = { host: '127.0.0.1', port: 0 }
const version = '0.0.0-test'
const GROUND = { redis: 'up', evidence: 'up' }
const own = (up: object, ...reasons: string[]) => ({ ready: reasons.length === 0, version, up, reasons })
const ALIVE = [200, { alive: true, version }]

test('a worker says on a port of its own whether it lives and is ready; without Redis it lives, and is not ready', async () => {
  await using house = await startTestHouse({ worker: false })
  const worker = await startWorker({ ...house.settings, health: PORT })
  const well = { ...GROUND, lanes: 'drained', agents: 'settled' }
  expect(await look(worker.health, '/readyz')).toEqual([200, own(well)])
  expect(await look(worker.health, '/healthz?now')).toEqual(ALIVE)
  expect(await look(worker.health, '/api/who')).toEqual([404, { message: 'there are /healthz, /readyz and /metrics' }])
  await house.redis.kill()
  await eventually('Redis to be missed', async () => {
    const [status, said] = await look(worker.health, '/readyz')
    return status === 503 && (said as { reasons: string[] }).reasons.includes('Redis does not answer')
  })
  expect(await look(worker.health, '/healthz')).toEqual(ALIVE)
  await worker.stop()
})

test('a bridge does, too, and without a port nobody listens', async () => {
  await using house = await startTestHouse({ worker: false })
  const bridge = await startBridge({ ...house.settings, health: PORT })
  expect(await look(bridge.health, '/readyz')).toEqual([200, own(GROUND)])
  await bridge.stop()
  expect(await look(bridge.health, '/healthz').catch(() => 'nobody answers')).toBe('nobody answers')
  const quiet = await startBridge(house.settings)
  expect(quiet.health).toBe(null)
  await quiet.stop()
})

test('a gateway that drains is alive and not ready until what is under way has ended', async () => {
  await using house = await startTestHouse()
  const gateway = await startGateway({ ...house.settings, health: PORT })
  const up = { ...GROUND, 'claude-1': 'ready', 'codex-1': 'ready', 'tickle-1': 'ready' }
  expect(await look(gateway.health, '/readyz')).toEqual([200, own(up)])
  const headers = { authorization: `Bearer ${house.tokens.operator}`, 'content-type': 'application/json' }
  // A line that has begun to come in, and has not ended.
  const line = request(new URL('/api/say', gateway.url), { method: 'POST', headers })
  line.on('error', () => {})
  line.write('{"room":')
  await new Promise((sent) => line.once('socket', (socket) => socket.once('connect', sent)))
  const stopped = gateway.stop()
  expect(await look(gateway.health, '/readyz')).toEqual([503, own(up, 'it is draining: it takes no more work')])
  expect(await look(gateway.health, '/healthz')).toEqual(ALIVE)
  line.end('"quiet","text":"hello"}')
  await stopped
})
