import { expect, test } from 'vitest'
import { startTestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'

test('over HTTP, who says too much at once is answered 429 with Retry-After; /stop goes through', async () => {
  const limits =
    'limits: { person: { burst: 3, perMinute: 0.5 }, room: { burst: 9, perMinute: 9 }, token: { burst: 9, perMinute: 9 } }\n'
  await using house = await startTestHouse({ worker: false, config: limits })
  const post = (path: string, body: object) =>
    fetch(`${house.url}/api/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.tokens.admin}` },
      body: JSON.stringify(body),
    })
  const say = (text: string, as: string) => post('say', { room: 'quiet', text, as })
  const answers = await Promise.all(Array.from({ length: 10 }, () => say('hello', 'grace')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array.from({ length: 7 }, () => 429)])
  const refused = answers.find(({ status }) => status === 429)
  const wait = Number(refused?.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(60)
  expect(await refused?.json()).toEqual({
    type: 'urn:bellhop:refusal:rate-exceeded',
    title: 'Rate exceeded',
    status: 429,
    detail: `grace says too much at once: wait ${wait} s`,
    code: 'rate-exceeded',
    remedy: 'wait as long as the answer says, then go on more slowly',
    wait,
  })
  expect((await say('/stop', 'grace')).status).toBe(200)
  expect((await say('hello', 'hopper')).status).toBe(200)
  await house.stopGateway()
  // Every line has an answer, and those that were not taken are counted.
  const heard = must(await house.store.query({ event: 'heard', limit: 100 })).entries.length
  const written = must(await house.store.query({ event: 'refused', limit: 100 })).entries.length
  expect([heard, written]).toEqual([4, 7])
})
