import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createLane } from '../../src/queue/lane.ts'
import { connect } from '../../src/redis/redis.ts'
import { startSeveral } from '../support/several.ts'

const networks = {
  home: { kind: 'irc', host: '127.0.0.1', port: 1, tls: false, nick: 'bell', channels: { '#team': 'lobby' } },
}
const rooms = [{ id: 'lobby', faces: ['irc', 'cli', 'api'], mode: 'execute', listener: null }]

test('a process that does not come up has taken nothing that others could do', async () => {
  await using it = await startSeveral({ config: { networks, rooms } })
  const prefix = `bellhop-${it.secrets.instance}`
  const redis = connect(it.redis?.address ?? '', () => {})
  const lane = createLane({ redis, prefix, name: 'turns' })
  const other = createServer().listen(0, '127.0.0.1')
  try {
    await new Promise((up) => other.once('listening', up))
    const { port } = other.address() as AddressInfo
    await lane.wake('s-1')
    const taken = { args: ['--health-port', String(port)] }
    await expect(it.start('bridge', taken)).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`)
    // One that looks for its own name for a while has the time to take something.
    const nowhere = { args: ['--health-port', '0'], more: { BELLHOP_HEALTH_HOST: 'nowhere.invalid' } }
    await expect(it.start('worker', nowhere)).rejects.toThrow('cannot listen on nowhere.invalid')
    expect([await redis.exists(`${prefix}:network:home`), await lane.depth()]).toEqual([0, 1])
  } finally {
    other.close()
    await lane.close()
    redis.disconnect()
  }
})
