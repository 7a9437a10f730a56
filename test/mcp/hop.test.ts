import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { connect, ERAS } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'

/** So long that a test would notice: only a client that lists again is answered sooner. */
const HELD_MS = 600_000

let house: TestMcp
let patient: TestMcp
beforeAll(async () => {
  house = await startMcpHouse({ limits: { hopMs: 50 } })
  patient = await startMcpHouse({ limits: { hopMs: HELD_MS } })
})
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await patient[Symbol.asyncDispose]()
})

const READ = { name: 'read', arguments: { path: 'README.md' } }
const HOP = { name: 'hop', arguments: { to: 'edit' } }
const CHANGED = 'tools/list_changed'

const toolsOf = (id: string) => house.house.specs.get(id)?.tools

test.each(ERAS)('a hop changes the list, says so once to that principal, and to nobody else (%s)', async (era) => {
  const name = `hopper-${era}`
  const token = await house.agent({ agent: name })
  await using hopper = await connect(house, token, era)
  await using twin = await connect(house, token, era === 'legacy' ? 'modern' : 'legacy')
  await using other = await connect(house, await house.agent({ agent: `other-${era}` }), era)
  await using person = await connect(house, await house.person('bob', 'admin'), era)
  for (const one of [hopper, twin, other, person]) await one.listen()
  expect(await hopper.toolNames()).toEqual(toolsOf('explore'))
  await hopper.client.callTool(READ)
  await other.client.callTool(READ)
  expect(await hopper.client.callTool(HOP)).toMatchObject({ structuredContent: { kind: 'ok' } })
  expect(await hopper.toolNames()).toEqual(toolsOf('edit'))
  expect(await twin.toolNames()).toEqual(toolsOf('edit'))
  // The next hop of somebody else is heard after whatever was said of this one.
  await other.client.callTool(HOP)
  await eventually('the other to be told', () => other.told.includes(CHANGED))
  const changes = [hopper, twin, other, person].map(({ told }) => told.filter((notice) => notice === CHANGED))
  expect(changes).toEqual([[CHANGED], [CHANGED], [CHANGED], []])
  await hopper.client.callTool({ name: 'edit', arguments: { path: 'README.md', old: 'pours.', new: 'pours.' } })
})

test.each(ERAS)('the answer to a hop is held until the client has listed its tools again (%s)', async (era) => {
  await using agent = await connect(patient, await patient.agent({ agent: `held-${era}` }), era)
  await agent.listen()
  await agent.client.callTool(READ)
  const order: string[] = []
  const hop = agent.client.callTool(HOP).then(() => order.push('answered'))
  await eventually('the client to be told', () => agent.told.includes(CHANGED))
  order.push('lists')
  expect(await agent.toolNames()).toEqual(toolsOf('edit'))
  await hop
  expect(order).toEqual(['lists', 'answered'])
})

test('a wall that another connection, or the end of a turn, moved is told as well', async () => {
  const token = await house.agent({ agent: 'moved' })
  await using agent = await connect(house, token, 'legacy')
  await agent.client.callTool(READ)
  await agent.client.callTool(HOP)
  const principal = await house.principal(token)
  await eventually('the first change', () => agent.told.includes(CHANGED))
  await house.way.seats.leave(principal, { outcome: 'done', answer: 'enough' })
  await eventually('the second', () => agent.told.filter((notice) => notice === CHANGED).length === 2)
  expect(await agent.toolNames()).toEqual(toolsOf('explore'))
})

test('a hop that is refused leaves everything as it is', async () => {
  await using agent = await connect(house, await house.agent({ agent: 'stuck' }), 'legacy')
  await agent.listen()
  const answer = await agent.client.callTool({ name: 'hop', arguments: { to: 'deploy' } })
  expect(answer).toMatchObject({ isError: true, structuredContent: { refusal: { code: 'hop-refused' } } })
  // That there is a session to read by now is told by the way, and not with the answer.
  await eventually('what else there is to be told', () => agent.told.length > 0)
  expect([await agent.toolNames(), agent.told]).toEqual([toolsOf('explore'), ['resources/list_changed']])
})
