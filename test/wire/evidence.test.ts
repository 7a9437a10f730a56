import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { eventually } from '../support/poll.ts'
import { ADA, must } from '../support/store.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { openAgent, type Program } from './program.ts'

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({
    limits: { subscriptions: 3, unreadBytes: 64 * 1024, stallMs: 200 },
  })
})
afterAll(() => house[Symbol.asyncDispose]())

/** The ids of the entries that a subscription has told of. */
const toldBy = ({ told }: Program, subscription: string): string[] =>
  told.flatMap((frame) => (frame.type === 'evidence' && frame.subscription === subscription ? [frame.entry.id] : []))

const heardBy = (program: Program, subscription: string, id: string) =>
  eventually(`${subscription} to tell of ${id}`, () => toldBy(program, subscription).includes(id))

const inRoom = async (room: string, id: string, text = 'hello'): Promise<void> => {
  must(
    await house.gateway().parts.store.append([roomDraft({ id, room, author: ADA, body: { event: 'message', text } })]),
  )
}

test('what is written is told as it is written, within what the wall lets see', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'ann' }))
  expect(await agent.ask({ type: 'subscribe', id: 'all', filters: { event: 'message' } })).toEqual({
    type: 'subscribed',
    id: expect.any(String),
    re: 'all',
    after: expect.any(Number),
  })
  await inRoom('lobby', 'ann-1')
  await inRoom('elsewhere', 'ann-2')
  await inRoom('lobby', 'ann-3')
  await heardBy(agent, 'all', 'ann-3')
  expect(toldBy(agent, 'all')).toEqual(['ann-1', 'ann-3'])
})

test('a hop to a wall with a narrower view narrows what is told, and to one without any ends it', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'bea' }))
  await agent.ask({ type: 'peripheral_start' })
  await agent.ask({ type: 'tool_action', tool: 'read', args: { path: 'README.md' } })
  await agent.ask({ type: 'subscribe', id: 'sub', filters: {} })
  await inRoom('lobby', 'bea-1')
  await heardBy(agent, 'sub', 'bea-1')
  const hopped = await agent.ask({ type: 'hop', id: 'to-edit', to: 'edit' })
  expect(hopped).toMatchObject({ type: 'hopped', peripheral_id: 'edit' })
  await inRoom('lobby', 'bea-2')
  const step = await agent.ask({ type: 'tool_action', tool: 'read', args: { path: 'README.md' } })
  await heardBy(agent, 'sub', `${step.type === 'tool_result' ? step.step_id : ''}.outcome`)
  await agent.ask({ type: 'hop', to: 'chat' })
  await agent.ask({ type: 'peripheral_stop' })
  // Back where the room can be seen, what was written meanwhile is not shown after all.
  await inRoom('lobby', 'bea-3')
  await heardBy(agent, 'sub', 'bea-3')
  const told = toldBy(agent, 'sub')
  expect(told).not.toContain('bea-2')
  expect(told.some((id) => id.startsWith('bea-'))).toBe(true)
})

test('a subscription goes on from any place, and ends when that is asked for', async () => {
  for (const id of ['cal-1', 'cal-2', 'cal-3']) await inRoom('lobby', id)
  await using agent = await openAgent(house.url, await house.mint({ agent: 'cal' }))
  await agent.ask({ type: 'subscribe', id: 'old', filters: { event: 'message', text: 'hello' }, after: 0 })
  await heardBy(agent, 'old', 'cal-3')
  const first = agent.told.find((frame) => frame.type === 'evidence' && frame.entry.id === 'cal-1')
  const after = first?.type === 'evidence' ? first.entry.position : 0
  await agent.ask({ type: 'subscribe', id: 'rest', filters: { event: 'message' }, after })
  await heardBy(agent, 'rest', 'cal-3')
  expect(toldBy(agent, 'rest')).toEqual(['cal-2', 'cal-3'])

  expect(await agent.ask({ type: 'unsubscribe', subscription: 'old' })).toMatchObject({ type: 'unsubscribed' })
  await inRoom('lobby', 'cal-4')
  await heardBy(agent, 'rest', 'cal-4')
  expect(toldBy(agent, 'old')).not.toContain('cal-4')
})

test('a subscription has its name to itself for as long as it goes on', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'dot' }))
  const subscribe = () => agent.ask({ type: 'subscribe', id: 'one', filters: { event: 'message' } })
  expect(await subscribe()).toMatchObject({ type: 'subscribed' })
  expect(await subscribe()).toMatchObject({ type: 'error', code: 'id-conflict' })
  await inRoom('lobby', 'dot-1')
  await inRoom('lobby', 'dot-2')
  await heardBy(agent, 'one', 'dot-2')
  expect(toldBy(agent, 'one')).toEqual(['dot-1', 'dot-2'])
  await agent.ask({ type: 'unsubscribe', subscription: 'one' })
  expect(await subscribe()).toMatchObject({ type: 'subscribed' })
})

test('filters are strict, there is a limit, and nobody sees a session that is not its own by asking for it', async () => {
  await using agent = await openAgent(house.url, await house.mint({ agent: 'dan', peripheral: 'reflect' }))
  const refused = async (frame: Record<string, unknown>) => {
    const answer = await agent.ask({ type: 'subscribe', ...frame })
    return answer.type === 'error' && answer.code
  }
  expect(await refused({ filters: { colour: 'red' } })).toBe('query-invalid')
  expect(await refused({ filters: { limit: 5 } })).toBe('query-invalid')
  expect(await refused({ filters: {}, after: 1_000_000 })).toBe('query-invalid')
  expect(await refused({ filters: [] })).toBe('frame-invalid')
  const { session_id: session } = (await agent.ask({ type: 'peripheral_start' })) as { session_id?: string }
  await agent.ask({ type: 'subscribe', id: 'other', filters: { session: 'room-lobby' }, after: 0 })
  await agent.ask({ type: 'subscribe', id: 'own', filters: { event: 'accepted' }, after: 0 })
  await agent.ask({ type: 'subscribe', id: 'third', filters: {} })
  expect(await refused({ filters: {} })).toBe('frames-exceeded')
  await eventually('the own one', () => toldBy(agent, 'own').length > 0)
  const sessions = agent.told.flatMap((frame) => (frame.type === 'evidence' ? [frame.entry.session] : []))
  expect([...new Set(sessions)]).toEqual([session])
  expect(toldBy(agent, 'other')).toEqual([])
})

test('a program that does not read is cut off, and holds up nobody else', async () => {
  await using slow = await openAgent(house.url, await house.mint({ agent: 'eli' }))
  await using quick = await openAgent(house.url, await house.mint({ agent: 'fay' }))
  await slow.ask({ type: 'subscribe', id: 'sub', filters: { event: 'message' } })
  await quick.ask({ type: 'subscribe', id: 'sub', filters: { event: 'message' } })
  slow.socket.pause()
  const text = 'teapot '.repeat(30_000)
  for (let i = 0; i < 60; i++) {
    await inRoom('lobby', `eli-${i}`, text)
    await setImmediate()
  }
  await heardBy(quick, 'sub', 'eli-59')
  expect(toldBy(quick, 'sub').filter((id) => id.startsWith('eli-'))).toHaveLength(60)
  await eventually('the slow one to be cut off', () => house.gateway().connections() <= 1)
})
