import { afterAll, beforeAll, expect, test } from 'vitest'
import { who } from '../../src/operations/rooms.ts'
import { eventually } from '../support/poll.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { openAgent, openProgram } from './program.ts'

const LEASE = { ms: 2500, heartbeatMs: 200 }

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({ lease: LEASE })
})
afterAll(() => house[Symbol.asyncDispose]())

const GREP = { type: 'tool_action', id: 'the-grep', tool: 'grep', args: { pattern: 'pours' } }

const readinessOf = async (agent: string) => (await house.gateway().parts.registry.presence(agent)).readiness

/** How often, and how, the turns of a session were ended. */
const endsOf = async (session: string | null) =>
  (await house.store.chain(session ?? '')).flatMap(({ body }) => {
    if (body?.event === 'peripheral-stopped') return [`stopped: ${body.reason}`]
    return body?.event === 'turn-ended' ? [`ended: ${body.outcome}`] : []
  })

test('who comes back within the lease finds its turn and its wall as they were', async () => {
  const token = await house.mint({ agent: 'ann' })
  const first = await openAgent(house.url, token)
  await first.ask({ type: 'peripheral_start' })
  await first.ask({ type: 'tool_action', tool: 'read', args: { path: 'README.md' } })
  const hopped = await first.ask({ type: 'hop', to: 'edit' })
  await first.cut()

  await using second = await openAgent(house.url, token)
  expect(second.welcome).toMatchObject({
    resumed: true,
    session_id: expect.any(String),
    turn_id: expect.any(String),
    peripheral_id: 'edit',
    tools: hopped.type === 'hopped' ? hopped.tools : [],
  })
  expect(await second.ask({ type: 'peripheral_stop' })).toMatchObject({ peripheral_id: 'edit', already: false })
  expect(await endsOf(second.welcome.session_id)).toEqual(['stopped: hop', 'stopped: client-requested', 'ended: done'])
})

test('a tool goes on when the wire breaks, and its answer is there for whoever asks again', async () => {
  const token = await house.mint({ agent: 'bea' })
  const first = await openAgent(house.url, token)
  await first.ask({ type: 'peripheral_start' })
  const runs = house.grep.runs()
  house.grep.hold()
  first.send(GREP)
  await eventually('the tool to run', () => house.grep.runs() > runs)
  await first.cut()
  await using second = await openAgent(house.url, token)
  second.send(GREP)
  house.grep.release()
  expect(await second.answerTo(GREP.id)).toMatchObject({ type: 'tool_result', ok: true, report: { kind: 'ok' } })
  expect(house.grep.runs() - runs).toBe(1)
})

test('who does not come back is stopped once, because its connection was closed, and the room is told', async () => {
  const token = await house.mint({ agent: 'cal' })
  const first = await openAgent(house.url, token)
  const started = await first.ask({ type: 'peripheral_start' })
  const { session_id: session, turn_id: turn } =
    started.type === 'peripheral_started' ? started : { session_id: '', turn_id: '' }
  await first.cut()
  expect(await readinessOf('cal')).toBe('ready')
  await eventually('the turn to end', () => house.store.get(`${turn}.ended`))
  expect(await endsOf(session)).toEqual(['stopped: connection-closed', 'ended: cancelled'])
  await eventually('the lapse', async () => (await readinessOf('cal')) === 'lapsed')

  await using second = await openAgent(house.url, token)
  expect(second.welcome).toMatchObject({ resumed: false, session_id: session, turn_id: null, peripheral_id: null })
  expect(await second.ask({ type: 'peripheral_stop' })).toMatchObject({
    turn_id: turn,
    peripheral_id: 'explore',
    reason: 'connection-closed',
    fruit: { steps: 0 },
    already: true,
  })
  expect(await endsOf(session)).toHaveLength(2)
})

test('a stop and a broken wire at the same moment leave one stop', async () => {
  const token = await house.mint({ agent: 'dan' })
  const first = await openAgent(house.url, token)
  const started = await first.ask({ type: 'peripheral_start' })
  first.send({ type: 'peripheral_stop', id: 'stop' })
  await first.cut()
  const turn = started.type === 'peripheral_started' ? started.turn_id : ''
  const session = started.type === 'peripheral_started' ? started.session_id : ''
  await using second = await openAgent(house.url, token)
  expect(await second.ask({ type: 'peripheral_stop' })).toMatchObject({ type: 'peripheral_stopped', turn_id: turn })
  expect(await endsOf(session)).toHaveLength(2)
})

test('an invoke that is not answered is sent again to the next connection', async () => {
  const token = await house.mint({ agent: 'eli' })
  const first = await openAgent(house.url, token)
  await house.say('@eli go on', 'ask-eli')
  const invoke = await first.next('invoke')
  await first.cut()
  await using second = await openAgent(house.url, token)
  expect(await second.next('invoke')).toEqual({ ...invoke, id: expect.any(String), again: true })
  expect(await second.ask({ type: 'invoke_result', invoke_id: 'ask-eli.eli', result: 'done' })).toMatchObject({
    outcome: 'done',
    already: false,
  })
})

test('work that came while an agent was away waits for it', async () => {
  const token = await house.mint({ agent: 'fay' })
  await (await openAgent(house.url, token)).cut()
  await house.say('@fay are you there?', 'ask-fay')
  await using second = await openAgent(house.url, token)
  expect(await second.next('invoke')).toMatchObject({ prompt: 'are you there?', again: false })
})

test('an agent that only answers pings keeps its lease; one that answers nothing loses its connection', async () => {
  await using alive = await openAgent(house.url, await house.mint({ agent: 'gus' }))
  let pings = 0
  alive.socket.on('ping', () => pings++)
  const token = await house.mint({ agent: 'hal' })
  await using dead = await openProgram(house.url, { token, autoPong: false })
  await dead.join(token)
  await eventually('the silent one to be cut', () => dead.ended())
  await eventually('some more beats', () => pings > (2 * LEASE.ms) / LEASE.heartbeatMs)
  expect(await readinessOf('gus')).toBe('ready')
  expect(await readinessOf('hal')).not.toBe('ready')
})

test('who comes back before a dead connection is known to be dead takes over from it', async () => {
  const token = await house.mint({ agent: 'ivy' })
  await using dead = await openProgram(house.url, { token, autoPong: false })
  await dead.join(token)
  await dead.ask({ type: 'peripheral_start' })
  const taken = await eventually('the agent to be let in', async () => {
    const program = await openProgram(house.url, { token })
    const answer = await program.join(token)
    if (answer.type !== 'welcome') return null
    return { program, answer }
  })
  expect(taken.answer).toMatchObject({ resumed: true, peripheral_id: 'explore' })
  await dead.ended()
  expect(await taken.program.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  await taken.program.cut()
})

test('a Redis that forgets everything costs a connection, and no work', async () => {
  const token = await house.mint({ agent: 'jon' })
  const first = await openAgent(house.url, token)
  await first.ask({ type: 'peripheral_start' })
  await house.redis.redis.flushall()
  expect(await first.ended()).toEqual({ code: 1008, reason: 'lease-lapsed' })
  await using second = await openAgent(house.url, token)
  expect(second.welcome).toMatchObject({ resumed: true, peripheral_id: 'explore' })
})

test('a gateway that goes down says so, and the next one finds everything as it was', async () => {
  const token = await house.mint({ agent: 'kim' })
  const first = await openAgent(house.url, token)
  await first.ask({ type: 'peripheral_start' })
  await house.restart()
  expect(await first.ended()).toEqual({ code: 1001, reason: 'draining' })
  expect(first.told.at(-1)).toMatchObject({ type: 'error', re: null, code: 'draining' })
  await using second = await openAgent(house.url, token)
  expect(second.welcome).toMatchObject({ resumed: true, peripheral_id: 'explore' })
})

test('whoever asks who is here sees what an agent says that it is doing, until it says otherwise or is gone', async () => {
  const shown = async () => {
    const all = await house.gateway().parts.registry.who()
    return who.render({ agents: all.filter(({ id }) => id === 'ivy') })
  }
  const agent = await openAgent(house.url, await house.mint({ agent: 'ivy', peripherals: ['explore'] }))
  expect(await agent.ask({ type: 'status', status: 'busy', activity: 'reading' })).toMatchObject({ type: 'status_ack' })
  expect(await shown()).toBe('ivy: ready (busy: reading), explore')
  await agent.ask({ type: 'status', status: 'busy' })
  expect(await shown()).toBe('ivy: ready (busy), explore')
  await agent.ask({ type: 'status', status: 'idle' })
  expect(await shown()).toBe('ivy: ready, explore')
  await agent.ask({ type: 'status', status: 'busy', activity: 'writing' })
  await agent.cut()
  const gone = 'ivy: lapsed (its lease ran out without a heartbeat), explore'
  expect(await eventually('it to lapse', async () => (await shown()) === gone)).toBe(true)
})
