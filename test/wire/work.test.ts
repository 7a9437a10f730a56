import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { openAgent } from './program.ts'

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({ limits: { inFlight: 4 } })
})
afterAll(() => house[Symbol.asyncDispose]())

const READ = { type: 'tool_action', tool: 'read', args: { path: 'README.md' } }
const GREP = { type: 'tool_action', tool: 'grep', args: { pattern: 'pours' } }

/** The events of an agent's session, without verdicts: those come when they come. */
const storyOf = async (session: string) =>
  (await house.store.chain(session)).map(({ body }) => body?.event).filter((event) => event !== 'verified')

const sessionIn = (frame: { type: string }) => ('session_id' in frame ? String(frame.session_id) : '')

test('an agent starts, works, hops and stops; the chain has all of it', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'ann' }))
  const started = await agent.ask({ type: 'peripheral_start', request: 'look around' })
  expect(started).toMatchObject({ type: 'peripheral_started', peripheral_id: 'explore' })
  expect(await agent.ask(READ)).toMatchObject({
    type: 'tool_result',
    tool: 'read',
    ok: true,
    report: { kind: 'ok', output: '# teapot\n\nIt pours.\n' },
  })
  expect(await agent.ask({ type: 'tool_action', tool: 'write', args: { path: 'x', content: 'x' } })).toMatchObject({
    type: 'tool_result',
    ok: false,
    report: { kind: 'refused', refusal: { code: 'tool-not-allowed' } },
  })
  expect(await agent.ask({ type: 'hop', to: 'deploy' })).toMatchObject({
    type: 'error',
    code: 'hop-refused',
    context: { to: 'deploy' },
  })
  expect(await agent.ask({ type: 'hop', to: 'chat' })).toMatchObject({ type: 'hopped', peripheral_id: 'chat' })
  expect(await agent.ask({ type: 'peripheral_stop', reason: 'seen' })).toMatchObject({
    type: 'peripheral_stopped',
    peripheral_id: 'chat',
    reason: 'seen',
    already: false,
  })
  expect(await storyOf(sessionIn(started))).toEqual([
    'session-opened',
    'accepted',
    'turn-started',
    'peripheral-started',
    'step-intended',
    'step-ended',
    'step-refused',
    'step-refused',
    'step-intended',
    'step-ended',
    'peripheral-stopped',
    'peripheral-started',
    'peripheral-stopped',
    'turn-ended',
  ])
})

test('a peripheral that there is not is an error, whatever it is called, and the connection stays', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'bea', peripherals: ['explore'] }))
  const before = await house.store.head()
  for (const name of ['no-such', 'stop', 'mode', '../explore', 'explore @claude-1 go', 'constructor'])
    expect(await agent.ask({ type: 'peripheral_start', peripheral_id: name })).toMatchObject({
      type: 'error',
      code: 'peripheral-unknown',
      context: { peripheral_id: name },
    })
  expect(await agent.ask({ type: 'peripheral_start', peripheral_id: 'edit' })).toMatchObject({ code: 'grant-exceeded' })
  expect(await agent.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  // Nothing of it was said in the room; that it was refused is evidence.
  const since = { cursor: before, order: 'oldest' }
  expect(await house.store.query({ author: 'bea', ...since })).toMatchObject({ value: { entries: [] } })
  const refused = await house.store.query({ event: 'refused', ...since })
  const codes = refused.ok
    ? refused.value.entries.map(({ body }) => body?.event === 'refused' && body.refusal.code)
    : []
  expect(codes).toEqual([...Array.from({ length: 6 }, () => 'peripheral-unknown'), 'grant-exceeded'])
})

test('many tools run at once, each answer says to which frame it belongs, and there is a limit', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'cal' }))
  await agent.ask({ type: 'peripheral_start' })
  house.grep.hold()
  for (const id of ['g1', 'g2', 'g3']) agent.send({ ...GREP, id, args: { pattern: id } })
  agent.send({ ...READ, id: 'r' })
  expect(await agent.answerTo('r')).toMatchObject({ type: 'tool_result', ok: true })
  agent.send({ ...GREP, id: 'g4' })
  expect(await agent.ask({ ...GREP, id: 'g1' })).toMatchObject({ type: 'error', code: 'frames-exceeded' })
  house.grep.release()
  for (const id of ['g1', 'g2', 'g3', 'g4']) {
    const answered = await eventually(`a result of ${id}`, () =>
      agent.told.find((frame) => frame.type === 'tool_result' && frame.re === id),
    )
    expect(answered).toMatchObject({ tool: 'grep', ok: true })
  }
})

test('the id of a frame that waits for its answer is taken', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'dan' }))
  await agent.ask({ type: 'peripheral_start' })
  house.grep.hold()
  agent.send({ ...GREP, id: 'same' })
  expect(await agent.ask({ ...READ, id: 'same' })).toMatchObject({ type: 'error', re: 'same', code: 'id-conflict' })
  house.grep.release()
  await eventually('the first to be answered', () => agent.told.find(({ type }) => type === 'tool_result'))
})

test('the same frame again is answered from the evidence; the same id for another call is another call', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'eli' }))
  await agent.ask({ type: 'peripheral_start' })
  const runs = house.grep.runs()
  const first = await agent.ask({ ...GREP, id: 'a' })
  const second = await agent.ask({ ...GREP, id: 'a' })
  expect(second).toEqual({ ...first, id: expect.any(String) })
  expect(house.grep.runs() - runs).toBe(1)
  const other = await agent.ask({ ...GREP, id: 'a', args: { pattern: 'teapot' } })
  expect(other).not.toMatchObject({ step_id: first.type === 'tool_result' ? first.step_id : '' })
})

test('a stop stops what runs, and however often and from wherever it is asked for, there is one', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'fay' }))
  const started = await agent.ask({ type: 'peripheral_start' })
  const runs = house.grep.runs()
  house.grep.hold()
  agent.send({ ...GREP, id: 'long' })
  await eventually('the tool to run', () => house.grep.runs() > runs)
  for (const id of ['s1', 's2', 's3']) agent.send({ type: 'peripheral_stop', id, reason: 'enough' })
  const stops = await Promise.all(['s1', 's2', 's3'].map((id) => agent.answerTo(id)))
  const stop = { type: 'peripheral_stopped', peripheral_id: 'explore', reason: 'enough', fruit: { steps: 1 } }
  expect(stops).toMatchObject([
    { ...stop, already: false },
    { ...stop, already: true },
    { ...stop, already: true },
  ])
  expect(await agent.answerTo('long')).toMatchObject({ re: 'long' })
  house.grep.release()
  const story = await storyOf(sessionIn(started))
  expect(story.filter((event) => event === 'peripheral-stopped' || event === 'turn-ended')).toEqual([
    'peripheral-stopped',
    'turn-ended',
  ])
  expect(agent.told.filter(({ type }) => type === 'peripheral_stopped')).toHaveLength(3)
})

test('frames are dealt with in order: a start, a tool and a stop can be sent in one go', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'gus' }))
  agent.send({ type: 'peripheral_start', id: 'a' })
  agent.send({ ...READ, id: 'b' })
  expect(await agent.answerTo('b')).toMatchObject({ type: 'tool_result', ok: true })
  agent.send({ type: 'peripheral_stop', id: 'c' })
  agent.send({ type: 'peripheral_start', id: 'd' })
  expect(await agent.answerTo('d')).toMatchObject({ type: 'peripheral_started' })
  expect(agent.told.map((frame) => 're' in frame && frame.re).slice(2)).toEqual(['a', 'b', 'c', 'd'])
})

test('work that a person gives is an invoke, and its result is the answer in the room', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'hal' }))
  await house.say('@hal what does it do?', 'ask-hal')
  expect(await agent.next('invoke')).toEqual({
    type: 'invoke',
    id: expect.any(String),
    invoke_id: 'ask-hal.hal',
    prompt: 'what does it do?',
    session_id: expect.any(String),
    peripheral_id: 'explore',
    tools: expect.arrayContaining(['read', 'hop']),
    again: false,
  })
  await house.say('@hal and then?', 'ask-hal-2')
  expect(await agent.ask(READ)).toMatchObject({ type: 'tool_result', ok: true })
  expect(agent.told.filter(({ type }) => type === 'invoke')).toHaveLength(1)
  const result = { type: 'invoke_result', invoke_id: 'ask-hal.hal', result: 'It pours.' }
  expect(await agent.ask(result)).toMatchObject({ type: 'invoke_ended', outcome: 'done', already: false })
  expect(await agent.ask(result)).toMatchObject({ type: 'invoke_ended', outcome: 'done', already: true })
  expect((await house.store.get('ask-hal.hal.ended'))?.body).toEqual({
    event: 'turn-ended',
    turn: 'ask-hal.hal',
    outcome: 'done',
    answer: 'It pours.',
  })

  // What was asked meanwhile comes after it.
  const second = await eventually('the second invoke', () =>
    agent.told.find((frame) => frame.type === 'invoke' && frame.invoke_id === 'ask-hal-2.hal'),
  )
  expect(second).toMatchObject({ prompt: 'and then?' })
  const failed = await agent.ask({ type: 'invoke_result', invoke_id: 'ask-hal-2.hal', error: 'no idea' })
  expect(failed).toMatchObject({ type: 'invoke_ended', outcome: 'failed' })
})

test('an invoke of another agent, or none at all, cannot be answered', async () => {
  await using ivy = await openAgent(house.url, await house.mint({ agent: 'ivy' }))
  await using jon = await openAgent(house.url, await house.mint({ agent: 'jon' }))
  await house.say('@ivy go', 'ask-ivy')
  await ivy.next('invoke')
  for (const invoke_id of ['ask-ivy.ivy', 'no-such', 'ask-ivy'])
    expect(await jon.ask({ type: 'invoke_result', invoke_id, result: 'x' })).toMatchObject({
      type: 'error',
      code: 'invoke-unknown',
      context: { invoke_id },
    })
  expect(await ivy.ask({ type: 'invoke_result', invoke_id: 'ask-ivy.ivy', result: 'x' })).toMatchObject({
    type: 'invoke_ended',
  })
})

test('a turn that a person stops ends, and its agent is told', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'kim' }))
  await house.say('@kim go', 'ask-kim')
  await agent.next('invoke')
  await house.say('/stop kim wrong branch')
  expect(await agent.next('peripheral_stopped')).toMatchObject({
    turn_id: 'ask-kim.kim',
    peripheral_id: 'explore',
    reason: 'stopped',
    already: false,
  })
  expect(await agent.ask({ type: 'invoke_result', invoke_id: 'ask-kim.kim', result: 'x' })).toMatchObject({
    type: 'invoke_ended',
    outcome: 'cancelled',
    already: true,
  })
})

test('what an agent says is a message of the room like any other, and said twice it is said once', async () => {
  await using lea = await openAgent(house.url, await house.mint({ agent: 'lea' }))
  await using max = await openAgent(house.url, await house.mint({ agent: 'max' }))
  const first = await lea.ask({ type: 'message', id: 'm', text: 'good morning' })
  expect(first).toMatchObject({ type: 'receipt', room: 'lobby', mode: 'coordination', assignments: [] })
  expect(await lea.ask({ type: 'message', id: 'm', text: 'good morning' })).toEqual({
    ...first,
    id: expect.any(String),
  })
  expect(await lea.ask({ type: 'message', to: 'max', text: 'your turn' })).toMatchObject({
    type: 'receipt',
    mode: 'action',
    assignments: [{ agent: 'max', peripheral: 'explore' }],
  })
  expect(await max.next('invoke')).toMatchObject({ prompt: 'your turn' })
  expect(await lea.ask({ type: 'message', text: '/mode discuss' })).toMatchObject({ type: 'error' })
})

test('since 1.1 the tools can be asked for, with the schemas of their arguments', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'ned', peripheral: 'chat' }))
  const listed = await agent.ask({ type: 'tools' })
  expect(listed).toMatchObject({ type: 'tools', peripheral_id: 'chat', active: false })
  await agent.ask({ type: 'peripheral_start', peripheral_id: 'explore' })
  const [read] = await agent
    .ask({ type: 'tools' })
    .then((frame) => (frame.type === 'tools' ? frame.tools.filter(({ name }) => name === 'read') : []))
  expect(read).toMatchObject({ name: 'read', schema: { type: 'object', required: ['path'] } })
})
