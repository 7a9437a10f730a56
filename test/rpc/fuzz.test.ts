import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpcMethods } from '../../src/shapes/rpc.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { anyText } from '../support/social.ts'
import { type RpcClient, readyRpc } from './client.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

const LONG = process.env['BELLHOP_LONG'] === '1'
const MESSAGES = LONG ? 100_000 : 500
const SEED = 20_260_102
/** Sent together, and answered before the next: far from what one client may have waiting. */
const AT_ONCE = 20

const method = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(rpcMethods).filter((name) => name !== 'initialize')) },
  { weight: 1, arbitrary: anyText },
)
const params = fc.oneof(
  fc.dictionary(
    fc.constantFrom('threadId', 'input', 'limit', 'cursor', 'agent', 'turnId', '__proto__', 'x'),
    fc.jsonValue(),
    { maxKeys: 4 },
  ),
  fc.record({ threadId: fc.constantFrom('t-1', 't-../..', '', 'lobby', 'room'), limit: fc.integer() }),
)

/** Something that looks like a request, and hardly ever is a good one. Its id is ours: an answer is waited for. */
const requests = fc.record({ method, params: fc.option(params, { nil: undefined }) })
/** Something that is no request at all: it is answered, too, without an id; or it is an answer to nothing, and is not. */
const noise = fc.oneof(
  anyText,
  fc.json(),
  fc.jsonValue().map((result) => JSON.stringify({ id: 'nobody', result })),
)

/** Sends a handful, and waits until each request among them is answered, and the client still is. */
const exchange = async (client: RpcClient, round: number, batch: readonly (object | string)[]) => {
  const ids: string[] = []
  for (const [i, message] of batch.entries()) {
    if (typeof message === 'string') {
      client.raw(message)
      continue
    }
    const id = `${round}-${i}`
    ids.push(id)
    client.tell({ id, ...message })
  }
  client.tell({ id: `last-${round}`, method: 'thread/unsubscribe', params: { threadId: 't-1' } })
  await eventually(`round ${round}`, () => client.heard.some(({ id }) => id === `last-${round}`))
  const heard = client.heard.splice(0)
  return { heard, unanswered: ids.filter((id) => heard.filter((one) => one.id === id).length !== 1) }
}

test(
  `${MESSAGES} messages of any kind are each answered with a result or an error, and the door stays open`,
  async () => {
    using client = await readyRpc(house.url, house.tokens.admin)
    client.heard.splice(0)
    const kinds = new Set<number | 'result'>()
    const messages = fc.sample(fc.oneof(requests, noise), { numRuns: MESSAGES, seed: SEED })
    const before = process.memoryUsage().heapUsed
    for (let at = 0; at < messages.length; at += AT_ONCE) {
      const { heard, unanswered } = await exchange(client, at, messages.slice(at, at + AT_ONCE))
      expect(unanswered).toEqual([])
      for (const { error } of heard) kinds.add(error?.code ?? 'result')
    }
    expect([...kinds].sort()).toEqual([-32_000, -32_600, -32_601, -32_602, -32_700, 'result'])
    expect(client.closed()).toBe(null)
    globalThis.gc?.()
    // Nothing of a message is kept: a hundred thousand of them leave less than a few kilobytes each would.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300 * 1024 * 1024)
  },
  LONG ? 3_600_000 : 60_000,
)
