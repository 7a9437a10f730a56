import { request } from 'node:http'
import { expect, test } from 'vitest'
import { openServer } from '../../src/house/server.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

const LINES = process.env['BELLHOP_LONG'] === '1' ? 20_000 : 200
const AT_ONCE = 100

const CONFIG = `
queues: { perSession: 20, perRoom: 30, total: 45 }
limits: { person: { burst: 100000, perMinute: 100000 }, room: { burst: 100000, perMinute: 100000 }, token: { burst: 100000, perMinute: 100000 } }
`

test('of a flood every line has one receipt or one refusal, and what was taken is what is there', async () => {
  await using house = await startTestHouse({ config: CONFIG })
  // Nobody begins anything: all that is taken waits.
  const say = async (text: string, room: string, id: string) => {
    const answer = await fetch(`${house.url}/api/say`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.tokens.operator}` },
      body: JSON.stringify({ room, text, id, as: null }),
    })
    const body = (await answer.json()) as { code?: string; assignments?: object[] }
    return { status: answer.status, code: body.code ?? 'taken', turns: body.assignments?.length ?? 0 }
  }
  for (const agent of ['claude-1', 'codex-1', 'tickle-1']) await say(`/pause ${agent}`, 'lobby', `pause-${agent}`)
  const texts = ['@claude-1 read README.md', '@codex-1 @claude-1 read README.md', '@tickle-1 /explore it']
  const lines = Array.from({ length: LINES }, (_, i) => ({
    id: `f${i}`,
    text: texts[i % texts.length] ?? '',
    room: i % 2 ? 'lobby' : 'quiet',
  }))
  const before = process.memoryUsage().heapUsed
  const answers: Awaited<ReturnType<typeof say>>[] = []
  for (let i = 0; i < lines.length; i += AT_ONCE)
    answers.push(...(await Promise.all(lines.slice(i, i + AT_ONCE).map(({ id, text, room }) => say(text, room, id)))))
  expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['200 taken', '429 queue-full']),
  )
  const given = answers.reduce((sum, { turns }) => sum + turns, 0)
  const there = await house.store.unfinishedTurns()
  expect([there.length, given]).toEqual([45, 45])
  // All of a line or nothing of it.
  const receipts = must(await house.store.query({ event: 'assigned', limit: 1000 })).entries
  expect(receipts.length).toBe(answers.filter(({ code }) => code === 'taken').length)
  // The evidence does not grow with what was refused, and neither does the gateway.
  expect(must(await house.store.count({ event: 'refused' }))).toBeLessThanOrEqual(20)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024)
  // The same lines are taken once there is room: nothing was half taken.
  const [first] = lines.filter((_, i) => answers[i]?.code === 'queue-full')
  await say('/stop', 'lobby', 'stop-1')
  await say('/stop', 'quiet', 'stop-2')
  await eventually('the line to be empty', async () => (await house.store.unfinishedTurns()).length === 0)
  expect((await say(first?.text ?? '', first?.room ?? '', first?.id ?? '')).code).toBe('taken')
})

test('requests that bring something are bounded: one too many is told to come again, and what only asks is answered', async () => {
  const answers: (() => void)[] = []
  const server = await openServer({
    answer: (asked, response) =>
      void (asked.method === 'POST' ? answers.push(() => response.end('late')) : response.end('at once')),
    doors: [],
    host: '127.0.0.1',
    port: 0,
    log: () => {},
  })
  const ask = (method: string) =>
    new Promise<string>((resolve, reject) => {
      const sent = request(server.url, { method, agent: false }, (response) => {
        response.resume()
        response.once('end', () => resolve(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`.trim()))
      })
      sent.once('error', reject)
      sent.end()
    })
  const held = Array.from({ length: 2000 }, () => ask('POST'))
  await eventually('all to be under way', () => answers.length === 2000)
  expect([await ask('POST'), await ask('GET')]).toEqual(['429 1', '200'])
  for (const end of answers) end()
  expect(new Set(await Promise.all(held))).toEqual(new Set(['200']))
  await server.close(1000)
})
