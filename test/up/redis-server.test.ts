import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openFolder } from '../../src/house/folder.ts'
import { startRedis } from '../../src/up/redis-server.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'

test('the log of Redis does not grow for ever: a full one is renamed before a start and while it runs, and the oldest let go', async () => {
  using data = scratch()
  const folder = openFolder(data.path)
  const log = folder.log('redis')
  const full = (what: string) => `${what} ${'x'.repeat(20_000)}`
  writeFileSync(log, full('first'))
  const redis = await startRedis(folder, process.env['PATH'] ?? '', { megabytes: 0.01, files: 2, lookMs: 10 })
  try {
    expect(readFileSync(`${log}.1`, 'utf8')).toBe(full('first'))
    for (const what of ['second', 'third']) {
      writeFileSync(log, full(what))
      await eventually(`the ${what} to be renamed`, () => readFileSync(`${log}.1`, 'utf8') === full(what))
    }
    expect([readFileSync(`${log}.2`, 'utf8'), existsSync(`${log}.3`)]).toEqual([full('second'), false])
  } finally {
    await redis.stop()
  }
})
