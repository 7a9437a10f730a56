import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSeats } from '../../src/agents/seats.ts'
import { createLive, type Live } from '../../src/evidence/live.ts'
import type { Store } from '../../src/evidence/store.ts'
import { createAsking } from '../../src/peripherals/asking.ts'
import { createMailbox } from '../../src/queue/mailbox.ts'
import type { Principal } from '../../src/shapes/principal.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { EXPLORE } from '../support/explore.ts'
import { agentGrant } from '../support/grant.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { must, sessionOfOneStep, testStore } from '../support/store.ts'

const never = (): never => {
  throw new Error('nobody asks for this')
}

/** The calls of an agent that is at work in a session, on a store that a test stands before. */
const seated = (store: Store, live: Live, mailbox: ReturnType<typeof createMailbox>) => {
  const seats = createSeats({
    store,
    live,
    specs: new Map([[EXPLORE.id, EXPLORE]]),
    wallsIn: async () => new Map([[EXPLORE.id, EXPLORE]]),
    asking: createAsking({ store, live, clock: Date.now, queue: { mailbox, wake: async () => {} } }),
    begin: never,
    receive: never,
    keep: never,
    isBusy: never,
    isChecked: never,
    newId: () => '01m7qgrd50p1tbmbg73xynegjk',
  })
  const principal: Principal = {
    key: 'k',
    door: 'http',
    token: 't',
    expires: null,
    person: { name: 'claude-1', role: 'operator', face: 'api', via: null, agent: true },
    grant: agentGrant({ agent: 'claude-1' }),
  }
  const call = { tool: 'read', args: { path: 'README.md' } }
  return { act: () => seats.act(principal, call, { step: 'look', signal: new AbortController().signal }) }
}

test('a store that goes away while a call waits fails that call, and nothing beside it', async () => {
  await using server = await startTestRedis()
  await using house = await testStore()
  must(await house.store.append(sessionOfOneStep().slice(0, 5)))
  let away = false
  const store: typeof house.store = {
    ...house.store,
    get: async (id) => {
      if (!away) return house.store.get(id)
      // Whoever watches the turn is told first: nobody waits for that one yet.
      if (!id.endsWith('.ended')) await setTimeout(200)
      throw new Error('the store is away')
    },
  }
  const live = createLive(server.redis, 'waiting', 50)
  const mailbox = createMailbox(server.redis, 'waiting', 'steps')
  const acting = seated(store, live, mailbox).act()
  await eventually('the call to wait', async () => (await mailbox.all('s-1')).length === 1)
  away = true
  await expect(acting).rejects.toThrow('the store is away')
  await live.close()
})

test('a call in line is answered when its turn ends, also where the store was away for whoever watches the turn', async () => {
  await using server = await startTestRedis()
  await using house = await testStore()
  const session = sessionOfOneStep()
  must(await house.store.append(session.slice(0, 5)))
  let failed = 0
  const store: typeof house.store = {
    ...house.store,
    get: async (id) => {
      if (id !== 't1.ended' || failed >= 3) return house.store.get(id)
      failed++
      throw new Error('the store is away')
    },
  }
  const live = createLive(server.redis, 'watching', 50)
  const mailbox = createMailbox(server.redis, 'watching', 'steps')
  let answer: unknown = null
  const acting = seated(store, live, mailbox)
    .act()
    .then((acted) => {
      answer = acted
    })
  await eventually('the call to wait', async () => failed > 0 && (await mailbox.all('s-1')).length === 1)
  must(await house.store.append(session.filter(({ id }) => id === 't1.stopped' || id === 't1.ended')))
  await eventually('the call to be answered', () => answer)
  expect(answer).toEqual(refused(refusal('call-cancelled', 'the turn has ended')))
  await acting
  await live.close()
})
