import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { startBellHouse, use } from './bells-house.ts'

const LOBBY = { room: 'lobby' }

test('a person rings with an act, reads the answer in the room, and sees who owes whom', async () => {
  await using house = await startBellHouse()
  await house.client.command('pause', { agent: 'codex-1', why: 'the branch is frozen' }, LOBBY)
  const job = await house.turnOf('/bell codex query: read README.md')
  expect((await house.store.get(job))?.body).toMatchObject({
    request: 'read README.md',
    bell: { bell: `${job}.bell`, way: 'bell', act: 'query', ref: null },
  })
  const { turns } = must(await house.client.ask('status'))
  expect(turns).toMatchObject([
    { turn: job, state: 'parked', detail: expect.stringMatching(/^paused by \S+: the branch is frozen$/) },
  ])
  const before = must(await house.client.ask('bells', { agent: 'codex' }))
  expect([before.open.map(({ bell }) => bell), before.lately]).toEqual([[`${job}.bell`], []])

  await house.client.command('resume', { agent: 'codex' }, LOBBY)
  expect((await house.endOf(job)).answer).toContain('It pours.')
  await house.settled()
  expect(await house.bodiesOf('bell-answered')).toMatchObject([{ bell: `${job}.bell`, told: 'room', outcome: 'done' }])
  const after = must(await house.client.ask('bells'))
  expect([after.open, after.lately.map(({ bell, answer }) => [bell, answer?.told])]).toEqual([
    [],
    [[`${job}.bell`, 'room']],
  ])
  expect(await house.violations()).toEqual([])
})

test('what is paused keeps its place, what is taken out of the line ends all the same, and others go on', async () => {
  await using house = await startBellHouse()
  must(await house.client.command('pause', { agent: 'codex-1' }, LOBBY))
  const first = await house.turnOf('@codex read README.md')
  const second = await house.turnOf('@codex read src/pour.ts')
  expect((await house.endOf(await house.turnOf('@claude read README.md'))).outcome).toBe('done')
  must(await house.client.command('stop', { turn: first }, LOBBY))
  expect((await house.endOf(first)).outcome).toBe('cancelled')
  expect((await house.store.turn(second))?.status).toBe('accepted')
  must(await house.client.command('resume', { agent: 'codex-1' }, LOBBY))
  expect((await house.endOf(second)).outcome).toBe('done')
  const nobody = await house.client.command('pause', { agent: 'nobody' }, LOBBY)
  expect(nobody).toMatchObject({ ok: false, refusal: { code: 'agent-unknown' } })
  expect((await house.bodiesOf('queue-paused')).map(({ paused }) => paused)).toEqual([true, false])
  expect(await house.violations()).toEqual([])
})

test.each([
  [{ text: 'answer: yes' }, 'command-invalid', 'an answer needs ref=: the bell that it answers'],
  [{ text: 'answer: yes', ref: 'm1.codex-1' }, 'bell-unknown', 'there is no bell m1.codex-1'],
])('a bell that cannot be what it says is refused: %j', async (input, code, message) => {
  await using house = await startBellHouse({ worker: false })
  const rung = await house.client.command('bell', { agent: 'codex-1', ...input }, LOBBY)
  expect(rung).toMatchObject({ ok: false, refusal: { code, message } })
  expect(await house.entriesOf('bell-rung')).toEqual([])
})

test('bells that cross are found, said in the room and listed', async () => {
  await using house = await startBellHouse()
  // Codex rings for Claude while it is at something; before it gets to that, Claude rings for Codex.
  const waits = use('whistle', { to: 'tickle-1', text: 'read README.md', seconds: 600 })
  must(await house.client.command('pause', { agent: 'tickle-1' }, LOBBY))
  const claude = await house.turnOf(`@claude ${waits}, then ${use('bell', { to: 'codex-1', text: 'read README.md' })}`)
  await eventually('Claude to wait', async () => (await house.entriesOf('parked')).length > 0)
  await house.endOf(
    await house.turnOf(`@codex ${use('bell', { to: 'claude-1', text: 'read src/pour.ts', act: 'suggest' })}`),
  )
  must(await house.client.command('resume', { agent: 'tickle-1' }, LOBBY))
  await house.endOf(claude)
  await house.settled()
  const rung = (await house.bodiesOf('bell-rung')).filter(({ act }) => act !== 'answer')
  const [theirs, ours] = ['codex-1', 'claude-1'].map((from) =>
    rung.find((bell) => bell.from === from && bell.to !== 'tickle-1'),
  )
  expect([theirs?.crosses, ours?.crosses]).toEqual([null, theirs?.bell])
  const { lately } = must(await house.client.ask('bells'))
  expect(lately.filter(({ crosses }) => crosses !== null).map(({ bell }) => bell)).toEqual([ours?.bell])
  expect(await house.violations()).toEqual([])
})

test('two agents do not ring all the time: after a few bells there are no more for some minutes', async () => {
  await using house = await startBellHouse({ config: 'bells: { pair: 1, minutes: 10 }\nloops: { hops: 50 }\n' })
  const ring = () => house.turnOf(`@claude ${use('bell', { to: 'codex-1', text: 'read README.md' })}`)
  await house.endOf(await ring())
  const again = await house.endOf(await ring())
  expect(again.answer).toContain('bell-cooldown')
  await house.settled()
  // Between others, and from people, there are still some; and an answer is always rung back.
  expect((await house.bodiesOf('bell-rung')).map(({ from, act }) => [from, act])).toEqual([
    ['claude-1', 'request'],
    ['codex-1', 'answer'],
  ])
  expect(
    must(await house.client.command('bell', { agent: 'codex-1', text: 'read README.md' }, LOBBY)).output,
  ).toMatchObject({
    assignments: [{ agent: 'codex-1' }],
  })
  expect(await house.violations()).toEqual([])
})

test('agents that ring on their own come to an end after a few turns; the answer is kept, and says why', async () => {
  await using house = await startBellHouse({ config: 'loops: { hops: 1 }\n' })
  const asked = await house.turnOf(
    `@claude ${use('bell', { to: 'codex-1', text: use('bell', { to: 'tickle-1', text: 'read README.md' }) })}`,
  )
  await house.endOf(asked)
  await house.settled()
  expect(await house.bodiesOf('bell-rung')).toHaveLength(1)
  expect(await house.bodiesOf('bell-answered')).toMatchObject([
    { told: 'kept', why: expect.stringContaining('[hops-exceeded]') },
  ])
  expect((await house.bodiesOf('step-ended')).map(({ outcome }) => outcome.kind)).toEqual(['ok', 'failed'])
  expect(await house.violations()).toEqual([])
})

test('an agent that answers in so many words is not rung back for a second time', async () => {
  await using house = await startBellHouse()
  await house.client.command('pause', { agent: 'codex-1' }, LOBBY)
  await house.endOf(await house.turnOf(`@claude ${use('bell', { to: 'codex-1', text: 'read README.md' })}`))
  const [bell] = await house.bodiesOf('bell-rung')
  // What it is rung for is put otherwise, so that it rings the answer itself.
  must(
    await house.client.command(
      'amend',
      { turn: bell?.job ?? '', text: use('bell', { to: 'claude-1', act: 'answer', text: 'yes', ref: bell?.bell }) },
      LOBBY,
    ),
  )
  must(await house.client.command('resume', { agent: 'codex-1' }, LOBBY))
  await house.settled()
  const answers = (await house.bodiesOf('bell-rung')).filter(({ act }) => act === 'answer')
  expect(answers).toMatchObject([{ from: 'codex-1', to: 'claude-1', text: 'yes', ref: bell?.bell }])
  expect((await house.bodiesOf('bell-answered')).find(({ bell: id }) => id === bell?.bell)).toMatchObject({
    told: 'rung',
    why: `by ${answers[0]?.bell}`,
  })
  expect(await house.violations()).toEqual([])
})

test('over HTTP a whistle waits for the answer, and when the time is up it is answered without one', async () => {
  await using house = await startBellHouse()
  const api = createClient({ url: house.url, token: house.tokens.operator })
  const whistled = must(
    await api.command('whistle', { agent: 'codex', text: 'query: read README.md', seconds: 30 }, LOBBY),
  )
  expect(whistled.output).toMatchObject({
    assignments: [{ agent: 'codex-1' }],
    answer: { outcome: 'done', text: expect.stringContaining('It pours.') },
  })
  must(await house.client.command('pause', { agent: 'codex-1' }, LOBBY))
  const late = must(await api.command('whistle', { agent: 'codex', text: 'read README.md', seconds: 0.2 }, LOBBY))
  expect(late.output?.answer).toBeNull()
  must(await house.client.command('resume', { agent: 'codex-1' }, LOBBY))
  expect((await house.endOf(late.output?.assignments[0]?.turn ?? '')).outcome).toBe('done')
})
