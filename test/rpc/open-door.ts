import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createFeed } from '../../src/evidence/feed.ts'
import type { Store } from '../../src/evidence/store.ts'
import { roomOfThread, threadOf } from '../../src/evidence/threads.ts'
import { createIds } from '../../src/lib/id.ts'
import { createRpcDoor } from '../../src/rpc/door.ts'
import type { RpcHouse, RpcLimits } from '../../src/rpc/house.ts'
import type { Config } from '../../src/shapes/config.ts'
import type { Principal } from '../../src/shapes/principal.ts'
import { ok } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { LOBBY, QUIET, testSocial } from '../support/social.ts'

const ADA: Principal = {
  key: 'ada',
  door: 'rpc',
  token: 'token-of-ada',
  person: { name: 'ada', role: 'admin', face: 'cli', via: null },
  grant: null,
  expires: null,
}

/** The door alone, on a real server and a real pipeline, with limits that a test can reach. */
export const openDoor = async (
  limits: Partial<RpcLimits>,
  {
    clock = { now: 0 },
    next = (): Promise<void> => setTimeout(10, undefined, { ref: false }),
    seen = (store: Store) => store,
  } = {},
) => {
  const kept = await testSocial((store) => ({
    roomsFor: async (room) => {
      const thread = await threadOf(store, room)
      return [LOBBY, QUIET, ...(thread ? [roomOfThread(thread, [LOBBY, QUIET])] : [])]
    },
  }))
  const { store, social } = kept
  const valid = { is: true }
  const house: RpcHouse = {
    admit: async () => ok(ADA),
    onceMore: ok,
    stillValid: async () => valid.is,
    refuseSparingly: async () => {},
    store: seen(store),
    feed: createFeed({ store, live: { next }, failed: () => {} }),
    progress: () => () => {},
    say: (message) => receive(message, social),
    models: async () => [],
    config: { rooms: [LOBBY, QUIET], servers: {}, much: 'x'.repeat(200_000) } as unknown as Config,
    version: '1',
    now: () => clock.now,
    newId: createIds(Date.now),
    log: () => {},
    limits,
  }
  const door = createRpcDoor(house)
  const server = createServer((request, response) => void door.answer(request, response))
  server.on('upgrade', door.open)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store,
    valid,
    connections: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    [Symbol.asyncDispose]: async () => {
      await door.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await kept[Symbol.asyncDispose]()
    },
  }
}
