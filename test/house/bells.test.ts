import { expect, test } from 'vitest'
import { startWorker } from '../../src/house/worker.ts'
import { eventually } from '../support/poll.ts'
import { startBellHouse, use } from './bells-house.ts'

test('a bell is answered with a job; what came of it is rung back to the agent that rang, once, and threaded', async () => {
  await using house = await startBellHouse()
  const asked = await house.turnOf(`@claude ${use('bell', { to: 'codex', text: 'read README.md', act: 'query' })}`)
  const { answer } = await house.endOf(asked)
  await house.settled()

  const [rung, back] = await house.entriesOf('bell-rung')
  const job = rung?.body.event === 'bell-rung' ? rung.body.job : ''
  expect(answer).toContain(`codex-1 has it: the job is ${job}`)
  expect(rung).toMatchObject({
    id: `${job}.bell`,
    author: { kind: 'agent', id: 'claude-1' },
    inReplyTo: job.split('.')[0],
    body: {
      from: 'claude-1',
      to: 'codex-1',
      way: 'bell',
      act: 'query',
      text: 'read README.md',
      ref: null,
      crosses: null,
    },
  })
  expect(back).toMatchObject({
    author: { kind: 'agent', id: 'codex-1' },
    inReplyTo: `${job}.bell`,
    body: { from: 'codex-1', to: 'claude-1', act: 'answer', ref: `${job}.bell` },
  })
  expect((await house.endOf(job)).answer).toContain('It pours.')
  expect(await house.bodiesOf('bell-answered')).toMatchObject([
    { bell: `${job}.bell`, job, outcome: 'done', told: 'rung', why: '' },
    { told: 'kept', why: '' },
  ])
  // What is answered is taken note of, and starts nothing.
  const heard = back?.body.event === 'bell-rung' ? back.body : null
  expect(heard?.text).toContain('It pours.')
  expect((await house.endOf(heard?.job ?? '')).answer).toBe(`noted: codex-1, answer on ${job}.bell`)
  expect(await house.violations()).toEqual([])
})

test('a whistle waits without holding a place, and goes on once with what was answered', async () => {
  await using house = await startBellHouse({ config: 'worker: { turns: 64, steps: 1 }\n' })
  const asked = await house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: 'read README.md', seconds: 30 })}`)
  const { answer } = await house.endOf(asked)
  await house.settled()
  const [parked] = await house.bodiesOf('parked')
  const [rung, ...more] = await house.bodiesOf('bell-rung')
  expect(more).toEqual([])
  expect(parked).toMatchObject({ turn: asked, step: `${asked}.0`, jobs: [rung?.job], bell: rung?.bell })
  expect(answer).toContain(`${rung?.job}: done, and codex-1 answers:`)
  expect(answer).toContain('It pours.')
  expect(await house.bodiesOf('bell-answered')).toMatchObject([{ bell: rung?.bell, told: 'resumed', why: '' }])
  expect((await house.entriesOf('step-ended')).filter(({ id }) => id === `${asked}.0.outcome`)).toHaveLength(1)
  expect(await house.violations()).toEqual([])
})

test('the deadline ends the wait and not the work, which is rung back when it is done', async () => {
  await using house = await startBellHouse()
  await house.client.command('pause', { agent: 'codex-1', why: 'wait for it' }, { room: 'lobby' })
  const asked = await house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: 'read README.md', seconds: 1 })}`)
  const { answer } = await house.endOf(asked)
  const [rung] = await house.bodiesOf('bell-rung')
  expect(answer).toContain(`${rung?.job}: still running; what comes of it is rung back to you`)
  await house.client.command('resume', { agent: 'codex-1' }, { room: 'lobby' })
  expect(await house.endOf(rung?.job ?? '')).toMatchObject({ outcome: 'done' })
  await house.settled()
  expect((await house.bodiesOf('bell-answered')).map(({ told }) => told)).toEqual(['rung', 'kept'])
  expect(await house.violations()).toEqual([])
})

test('of two agents that whistle for each other, the one that is asked is told who waits for whom', async () => {
  await using house = await startBellHouse()
  const back = use('whistle', { to: 'claude-1', text: 'read README.md', seconds: 600 })
  const asked = await house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: back, seconds: 600 })}`)
  const { answer } = await house.endOf(asked)
  await house.settled()
  expect(await house.bodiesOf('step-refused')).toMatchObject([
    {
      refusal: {
        code: 'bell-crossed',
        message: 'codex-1 would wait for claude-1, and claude-1 waits for codex-1: none of them could go on',
      },
    },
  ])
  expect(answer).toContain('done, and codex-1 answers:')
  expect(await house.bodiesOf('bell-rung')).toHaveLength(1)
  expect(await house.violations()).toEqual([])
})

test('two agents that whistle for each other at the same moment do not both wait, and not both are refused', async () => {
  await using house = await startBellHouse()
  for (let n = 0; n < 3; n++) {
    const turns = await Promise.all([
      house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: `read README.md`, seconds: 600 })}`),
      house.turnOf(`@codex ${use('whistle', { to: 'claude-1', text: `read README.md`, seconds: 600 })}`),
    ])
    const ends = await Promise.all(turns.map(house.endOf))
    const crossed = ends.filter(({ answer }) => answer.includes('none of them could go on'))
    expect(crossed.length).toBeLessThan(2)
    await house.settled()
  }
  expect(await house.violations()).toEqual([])
})

test('a ring of three agents is found out by the last of them', async () => {
  await using house = await startBellHouse()
  const third = use('whistle', { to: 'claude-1', text: 'read README.md', seconds: 600 })
  const second = use('whistle', { to: 'tickle-1', text: third, seconds: 600 })
  const asked = await house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: second, seconds: 600 })}`)
  await house.endOf(asked)
  await house.settled()
  expect(await house.bodiesOf('step-refused')).toMatchObject([
    {
      refusal: {
        code: 'bell-crossed',
        message:
          'tickle-1 would wait for claude-1, and claude-1 waits for codex-1, and codex-1 waits for tickle-1: none of them could go on',
      },
    },
  ])
  expect(await house.violations()).toEqual([])
})

test('an agent parks on several jobs and goes on once with what came of all of them', async () => {
  await using house = await startBellHouse()
  await house.client.command('pause', { agent: 'codex-1', why: '' }, { room: 'lobby' })
  const first = await house.turnOf(`@claude ${use('bell', { to: 'codex-1', text: 'read README.md' })}`)
  const second = await house.turnOf(`@claude ${use('bell', { to: 'tickle-1', text: 'read src/pour.ts' })}`)
  await Promise.all([house.endOf(first), house.endOf(second)])
  const jobs = (await house.bodiesOf('bell-rung')).filter(({ act }) => act !== 'answer').map(({ job }) => job)
  const asked = await house.turnOf(`@claude ${use('park', { jobs, seconds: 600 })}`)
  const view = await eventually('the turn to be parked', async () => {
    const one = await house.client.ask('status')
    return one.ok && one.value.turns.find(({ turn, state }) => turn === asked && state === 'parked')
  })
  expect(view.detail).toMatch(/^waits until \S+Z for codex-1 \(/)
  await house.client.command('resume', { agent: 'codex-1' }, { room: 'lobby' })
  const { answer } = await house.endOf(asked)
  expect(answer).toContain(`${jobs[0]}: done, and codex-1 answers:`)
  expect(answer).toContain(`${jobs[1]}: done, and tickle-1 answers:`)
  await house.settled()
  expect((await house.bodiesOf('bell-answered')).filter(({ job }) => job === jobs[0])).toMatchObject([
    { told: 'resumed' },
  ])
  expect(await house.violations()).toEqual([])
})

test('an agent hears nothing of what came of a turn in another room by waiting for it', async () => {
  await using house = await startBellHouse()
  const other = await house.turnOf('@codex read README.md', 'quiet')
  await house.endOf(other)
  await house.endOf(await house.turnOf(`@claude ${use('park', { jobs: [other], seconds: 5 })}`))
  expect((await house.bodiesOf('step-refused')).map(({ refusal: { code, message } }) => [code, message])).toEqual([
    ['turn-unknown', `${other} is no job; a bell answers with one`],
  ])
})

test('a turn that is parked goes on once after the worker was stopped and started', async () => {
  await using house = await startBellHouse()
  await house.client.command('pause', { agent: 'codex-1', why: 'for the restart' }, { room: 'lobby' })
  const asked = await house.turnOf(`@claude ${use('whistle', { to: 'codex-1', text: 'read README.md', seconds: 600 })}`)
  await eventually('it to be rung', async () => (await house.entriesOf('bell-rung')).length > 0)
  await house.stopWorker()
  // Redis may be lost meanwhile: what waits is in the evidence.
  await house.redis.redis.flushall()
  await house.startWorker()
  await house.client.command('resume', { agent: 'codex-1' }, { room: 'lobby' })
  const { answer } = await house.endOf(asked)
  await house.settled()
  expect(answer).toContain('It pours.')
  expect(await house.bodiesOf('bell-rung')).toHaveLength(1)
  expect(await house.bodiesOf('parked')).toHaveLength(1)
  expect((await house.bodiesOf('bell-answered')).map(({ told }) => told)).toEqual(['resumed'])
  expect(await house.violations()).toEqual([])
})

test('where several workers see to the same bells, each is answered once', async () => {
  await using house = await startBellHouse({ config: 'bells: { pair: 50, minutes: 10 }\nloops: { hops: 50 }\n' })
  const second = await startWorker(house.settings)
  try {
    const turns = []
    for (let n = 0; n < 4; n++) {
      turns.push(
        await house.turnOf(`@claude ${use('bell', { to: n % 2 ? 'codex-1' : 'tickle-1', text: 'read README.md' })}`),
      )
    }
    await Promise.all(turns.map(house.endOf))
    await house.settled()
    const rung = await house.bodiesOf('bell-rung')
    const asked = rung.filter(({ act }) => act !== 'answer').map(({ bell }) => bell)
    expect(
      rung
        .filter(({ act }) => act === 'answer')
        .map(({ ref }) => ref)
        .sort(),
    ).toEqual(asked.sort())
    expect(await house.violations()).toEqual([])
  } finally {
    await second.stop()
  }
})
