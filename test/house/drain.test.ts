import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startWorker } from '../../src/house/worker.ts'
import { scratch } from '../support/folder.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { slowRipgrep } from '../support/workspace.ts'

test('a worker that ends does not wait for ever for a Redis that goes away meanwhile', async () => {
  using programs = scratch()
  const rg = slowRipgrep(programs)
  await using house = await startTestHouse({ worker: false })
  const worker = await startWorker({ ...house.settings, path: rg.path })
  const client = createClient({ url: house.url, token: house.tokens.admin })
  writeFileSync(rg.hold, '')
  must(await client.say({ id: 'find', room: 'lobby', text: '@claude find pours' }))
  await eventually('the step to run', () => existsSync(rg.started))
  // It has begun to end, and waits for its turn; whatever that comes to, its job can be given back to nobody.
  const stopped = worker.stop().then(() => 'ended')
  await house.redis.kill()
  rmSync(rg.hold)
  expect(await stopped).toBe('ended')
})
