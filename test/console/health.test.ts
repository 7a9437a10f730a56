import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { ADA, must } from '../support/store.ts'

const ask = async (url: string | URL): Promise<[number, unknown]> => {
  const response = await fetch(url)
  return [response.status, await response.json()]
}
const health = ({ url }: TestHouse): Promise<[number, unknown]> => ask(new URL('/readyz', url))
const alive = ({ url }: TestHouse): Promise<[number, unknown]> => ask(new URL('/healthz', url))
const ALIVE = [200, { alive: true, version: '0.0.0-test' }]

const clientOf = ({ url, tokens }: TestHouse) => createClient({ url, token: tokens.admin, face: 'cli' })

const all = (readiness: string) => ({ 'claude-1': readiness, 'codex-1': readiness, 'tickle-1': readiness })
const report = (up: object, ...reasons: string[]) => ({
  ready: reasons.length === 0,
  version: '0.0.0-test',
  up,
  reasons,
})
const GONE = ['claude-1 is absent', 'codex-1 is absent', 'tickle-1 is absent']

describe('health, open to everybody', () => {
  test('says what is missing until a worker runs, that all is well while it does, and who left after that', async () => {
    await using house = await startTestHouse({ worker: false })
    expect(await health(house)).toEqual([503, report({ redis: 'up', evidence: 'up', ...all('absent') }, ...GONE)])
    expect(await alive(house)).toEqual(ALIVE)
    await house.startWorker()
    expect(await health(house)).toEqual([200, report({ redis: 'up', evidence: 'up', ...all('ready') })])
    await house.stopWorker()
    expect(await health(house)).toEqual([503, report({ redis: 'up', evidence: 'up', ...all('absent') }, ...GONE)])
  })
})

describe('when Redis is gone', () => {
  test('health says so, lines and questions are answered, and the gateway still stops', async () => {
    await using house = await startTestHouse({ worker: false })
    const client = clientOf(house)
    await house.redis.kill()
    const gone = { type: null, readiness: 'absent', peripherals: [], reason: 'the registry cannot be reached' }
    const [healthy, work, talk, who] = await Promise.all([
      health(house),
      client.say({ id: 'm1', room: 'quiet', text: '@codex read it' }),
      client.say({ id: 'm2', room: 'quiet', text: 'hello' }),
      client.say({ id: 'm3', room: 'quiet', text: '/who' }),
    ])
    expect(healthy).toEqual([503, report({ redis: 'down', evidence: 'up', ...all('absent') }, 'Redis does not answer')])
    expect(await alive(house)).toEqual(ALIVE)
    expect(work).toEqual(
      refused(refusal('agent-not-ready', 'codex-1 is absent (the registry cannot be reached), so it gets no work')),
    )
    expect(must(talk).mode).toBe('coordination')
    expect(must(who).answer).toBe(
      ['claude-1', 'codex-1', 'tickle-1'].map((id) => `${id}: absent (${gone.reason})`).join('\n'),
    )
    await house.stopGateway()
    expect(await fetch(new URL('/healthz', house.url)).catch(() => 'nobody answers')).toBe('nobody answers')
  })
})

describe('a turn that the queue never heard of', () => {
  test('is found in the store and done once a gateway and a worker run', async () => {
    const opened = { session: 's-1', room: 'quiet', agent: 'codex-1', author: ADA, inReplyTo: 'm1' }
    const accepted = { agent: 'codex-1', room: 'quiet', peripheral: 'explore', request: 'read README.md' }
    // As a gateway leaves it that dies between the store and Redis.
    await using house = await startTestHouse({
      before: (store) =>
        store
          .append([
            roomDraft({
              id: 'm1',
              room: 'quiet',
              author: ADA,
              body: { event: 'message', text: '@codex read README.md' },
            }),
            sessionDraft({
              ...opened,
              id: 's-1.opened',
              body: { event: 'session-opened', agent: 'codex-1', room: 'quiet' },
            }),
            sessionDraft({ ...opened, id: 'm1.codex-1', body: { event: 'accepted', ...accepted } }),
          ])
          .then(must),
    })
    const ended = await eventually('the turn to end', () => house.store.get('m1.codex-1.ended'))
    expect(ended.body).toEqual({
      event: 'turn-ended',
      turn: 'm1.codex-1',
      outcome: 'done',
      answer: expect.stringContaining('# teapot'),
    })
    expect(await house.store.unfinishedTurns()).toEqual([])
  })
})
