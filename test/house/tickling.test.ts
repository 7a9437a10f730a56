import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

const AGENTS = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit }
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: mission-control }
`

const openHouse = async (config = '') => {
  const house = await startTestHouse({ config: AGENTS + config })
  const client = createClient({ url: house.url, token: house.tokens.admin })
  await eventually('everybody to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  const answered = (turn: string) =>
    eventually(`${turn} to end`, async () => {
      const body = (await house.store.get(`${turn}.ended`))?.body
      return body?.event === 'turn-ended' ? body.answer : null
    })
  const entries = async (event: string) =>
    must(await house.store.query({ event, ephemeral: 'with', order: 'oldest', limit: 100 })).entries
  return { house, client, answered, entries, [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() }
}

test('Tickle looks when it is told to, in mission control, and says how everybody stands', async () => {
  await using place = await openHouse('tickle: { on: false }\n')
  const ask = async (text: string): Promise<string> => {
    const { assignments } = must(await place.client.say({ room: 'lobby', text }))
    return place.answered(assignments[0]?.turn ?? '')
  }
  expect(await ask('/tickle')).toBe('claude-1 is idle: it has nothing to do\ncodex-1 is idle: it has nothing to do')
  expect(await ask('/tickle page codex-1 are you there')).toBe('codex-1 is idle')
  expect(await ask('/tickle page tickle-1')).toBe('tickle-1 is not one that can be paged')
  expect(await ask('/tickle cycle')).toBe(
    'there was nothing to do\nclaude-1 is idle: it has nothing to do\ncodex-1 is idle: it has nothing to do\nnothing is due',
  )
  expect((await place.entries('tickle-cycled')).length).toBe(1)
  const [turn] = await place.entries('turn-ended')
  expect(must(await place.client.ask('verify', { session: turn?.session ?? '' }))).toMatchObject({ ok: true })
})

test('work goes by itself from the queue to a worker and on to a reviewer, across a restart of the worker', async () => {
  await using place = await openHouse()
  must(await place.client.say({ room: 'lobby', text: '/work add read README.md' }))
  const first = await eventually('the work to be given out', async () => (await place.entries('work-given'))[0])
  expect(first.body).toMatchObject({ work: 'w-1', phase: 'work', agent: 'codex-1', turn: 'tickle-w-1-1.codex-1' })
  await place.answered('tickle-w-1-1.codex-1')
  await place.house.stopWorker()
  await place.house.startWorker()
  const review = await eventually('the review to be given out', async () => (await place.entries('work-given'))[1])
  expect(review.body).toMatchObject({ work: 'w-1', phase: 'review', agent: 'claude-1' })
  // A rehearsal has no opinion: what it answers is no verdict, and after a second time a person is asked.
  const judged = await eventually('a person to be asked', async () => (await place.entries('work-judged'))[1])
  expect(judged.body).toMatchObject({ verdict: 'unclear', people: true })
  must(await place.client.say({ room: 'lobby', text: '/work judge w-1 approve fine' }))
  const ended = await eventually('the report', async () => (await place.entries('work-ended'))[0])
  expect(ended).toMatchObject({ author: { id: 'tickle-1' }, body: { work: 'w-1', outcome: 'done', why: 'fine' } })
  expect((await place.entries('work-given')).length).toBe(3)
  expect((await place.entries('usage-noted')).length).toBe(0)
})
