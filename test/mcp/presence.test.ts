import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { must, said } from '../support/store.ts'
import { connect, ERAS } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'
import { begin, modern, post, rawRequest, send } from './wire.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

const statusIn = async ({ url }: TestMcp, token: string, id: string) => {
  const answer = await post(url, token, list, { 'mcp-session-id': id })
  await answer.body?.cancel()
  return answer.status
}

const openStream = ({ url }: TestMcp, token: string, id: string, headers: Record<string, string> = {}) =>
  send(url, token, { method: 'GET', headers: { 'mcp-session-id': id, ...headers } })

test('the session of a client that vanished goes after a while; one with a stream open stays', async () => {
  await using house = await startMcpHouse({ worker: false, limits: { idleMs: 200, roundMs: 20 } })
  const token = await house.agent()
  const [gone, stays] = [await begin(house.url, token), await begin(house.url, token)]
  const stream = await openStream(house, token, stays)
  expect(stream.status).toBe(200)
  await eventually('one of them to go', () => house.door.sessions() === 1)
  // One that began later goes, too, and the older one is still there.
  await begin(house.url, token)
  await eventually('the later one to go', () => house.door.sessions() === 1)
  expect([await statusIn(house, token, gone), await statusIn(house, token, stays)]).toEqual([404, 200])
  await stream.body?.cancel()
  await eventually('the other to go, too', () => house.door.sessions() === 0)
})

test('a session that has been silent makes room for another before anybody is turned away', async () => {
  await using house = await startMcpHouse({ worker: false, limits: { sessionsEach: 2, graceMs: 0 } })
  const token = await house.agent()
  const [first, second] = [await begin(house.url, token), await begin(house.url, token)]
  const stream = await openStream(house, token, first)
  const third = await begin(house.url, token)
  const left = await Promise.all([first, second, third].map((id) => statusIn(house, token, id)))
  expect(left).toEqual([200, 404, 200])
  await stream.body?.cancel()
})

test('a stream of the older era is open at once, can be opened again at once, and goes on where it was cut', async () => {
  await using house = await startMcpHouse({ worker: false })
  const token = await house.person('ada', 'viewer')
  const id = await begin(house.url, token)
  const uri = 'evidence://subject/room/lobby'
  const subscribe = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } }
  await (await post(house.url, token, subscribe, { 'mcp-session-id': id })).text()
  const first = await openStream(house, token, id)
  expect((await openStream(house, token, id)).status).toBe(409)
  const reader = first.body?.getReader()
  const write = async (entry: string) => must(await house.store.append([said(entry, 'hello')]))
  await write('p1')
  const text = new TextDecoder().decode((await reader?.read())?.value)
  expect(text).toContain(uri)
  const [, last = ''] = /^id: (\S+)$/m.exec(text) ?? []
  await reader?.cancel()
  // What comes while nobody listens is kept for who comes back.
  await eventually('the stream to be let go', async () => {
    const again = await openStream(house, token, id)
    await again.body?.cancel()
    return again.status === 200
  })
  await using bob = await connect(house, await house.person('bob', 'viewer'), 'legacy')
  await bob.listen([uri])
  await write('p2')
  await eventually('somebody else to be told', () => bob.told.length > 0)
  const again = await eventually('the stream to go on', async () => {
    const stream = await openStream(house, token, id, { 'last-event-id': last })
    return stream.status === 200 ? stream : null
  })
  const missed = new TextDecoder().decode((await again.body?.getReader().read())?.value)
  expect(missed).toContain(uri)
  expect((await openStream(house, token, id, { 'last-event-id': 'nonsense' })).status).toBe(400)
})

test.each(ERAS)('who is shown out has no stream any more, and no session; others keep theirs (%s)', async (era) => {
  await using house = await startMcpHouse({ worker: false, limits: { roundMs: 20 } })
  const [mine, other] = [await house.agent({ agent: 'mine' }), await house.agent({ agent: 'other' })]
  const { message, headers } = modern(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const open = async (token: string) =>
    era === 'modern'
      ? post(house.url, token, message, headers)
      : openStream(house, token, await begin(house.url, token))
  const [closes, stays] = [await open(mine), await open(other)]
  await house.revoke(mine)
  // It is read to its end: that it has one is what is asked here.
  await closes.text()
  expect((await post(house.url, mine, list)).status).toBe(401)
  const stream = stays.body?.getReader()
  const ended = await Promise.race([stream?.closed.then(() => 'ended'), house.store.head().then(() => 'open')])
  expect(ended).toBe('open')
  await stream?.cancel()
})

test('a token that ends by itself ends its streams, too', async () => {
  await using house = await startMcpHouse({ worker: false, limits: { roundMs: 20 } })
  const soon = new Date(Date.now() + 1500).toISOString()
  const token = await house.mint({ kind: 'person', name: 'guest', role: 'viewer' }, soon)
  const stream = await openStream(house, token, await begin(house.url, token))
  await stream.text()
  expect((await post(house.url, token, list)).status).toBe(401)
})

/** Somebody who opens a stream of the newer era and never reads it. */
const sleeper = async ({ url }: TestMcp, token: string, uris: string[]): Promise<Socket> => {
  const { message, headers } = modern(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
  const body = JSON.stringify(message)
  const lines = [
    'POST',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const socket = await rawRequest(url, lines, body)
  socket.pause()
  return socket
}

/** The same address in as many ways as it can be written: each is watched, and told, by itself. */
const spellings = (word: string): string[] =>
  [...word].reduce<string[]>(
    (all, letter) => {
      const code = letter.charCodeAt(0).toString(16)
      const ways = new Set(letter === '/' ? ['/'] : [letter, `%${code}`, `%${code.toUpperCase()}`])
      return all.flatMap((start) => [...ways].map((way) => `${start}${way}`))
    },
    [''],
  )

test('who does not read is cut off, and holds nobody else up', async () => {
  await using house = await startMcpHouse({ worker: false, limits: { roundMs: 20, stallMs: 100, watchesEach: 2000 } })
  const uris = spellings('oom/lobby').map((id) => `evidence://subject/r${id}`)
  const socket = await sleeper(house, await house.person('sloth', 'viewer'), uris)
  await using ada = await connect(house, await house.person('ada', 'viewer'), 'modern')
  const uri = 'evidence://subject/room/lobby'
  await ada.listen([uri])
  let written = 0
  await eventually('the reader to be cut off', async () => {
    must(await house.store.append([said(`z${++written}`, 'again')]))
    return !house.isOpen(socket.localPort)
  })
  await eventually('somebody who reads to be told', () => ada.told.includes(`resources/updated ${uri}`))
  socket.destroy()
})

test('an agent keeps its seat while its stream is open', async () => {
  await using house = await startMcpHouse({ limits: { roundMs: 20, holdMs: 300 } })
  const token = await house.agent()
  await using agent = await connect(house, token, 'legacy')
  await agent.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  const session = (await house.store.openSession('lobby', 'scout'))?.id ?? ''
  const { leases } = house.way
  const until = Date.now() + 1000
  let held = true
  await eventually('a second to pass', async () => {
    held &&= await leases.isHeld(session)
    return Date.now() > until
  })
  expect(held).toBe(true)
  await agent.client.close()
  await eventually('the seat to be let go', async () => !(await leases.isHeld(session)))
})

test('a seat that Redis has forgotten is kept again with the next round', async () => {
  await using house = await startMcpHouse({ limits: { roundMs: 20 } })
  await using agent = await connect(house, await house.agent(), 'legacy')
  await agent.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  const session = (await house.store.openSession('lobby', 'scout'))?.id ?? ''
  const key = `${house.parts.prefix}:seat:${session}`
  expect(await house.parts.redis.del(key)).toBe(1)
  await eventually('the seat to be kept', async () => (await house.parts.redis.exists(key)) === 1)
})

test('an agent that ends its last session gives up its seat at once; one that does not come back keeps it for a while', async () => {
  await using house = await startMcpHouse({ limits: { roundMs: 20 } })
  const { leases } = house.way
  const work = async (name: string) => {
    const agent = await connect(house, await house.agent({ agent: name }), 'legacy')
    await agent.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
    return { agent, session: (await house.store.openSession('lobby', name))?.id ?? '' }
  }
  const [ends, vanishes] = [await work('polite'), await work('hasty')]
  await vanishes.agent.client.close()
  await ends.agent.transport.terminateSession()
  await ends.agent.client.close()
  await eventually('the seat to be let go', async () => !(await leases.isHeld(ends.session)))
  expect(await leases.isHeld(vanishes.session)).toBe(true)
})

test('an agent that ends its last session lets go of nothing that it keeps by another way', async () => {
  await using house = await startMcpHouse({ limits: { roundMs: 20 } })
  const agent = await connect(house, await house.agent(), 'legacy')
  await agent.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  const session = (await house.store.openSession('lobby', 'scout'))?.id ?? ''
  const { redis, prefix } = house.parts
  const zrange = `return redis.call('zrange', KEYS[1], 0, -1)`
  const holders = async () =>
    ((await redis.eval(zrange, 1, `${prefix}:seat:${session}`)) as string[]).filter((who) => who !== '')
  await eventually('the seat to be kept', async () => (await holders()).some((who) => who.startsWith('mcp/')))
  await house.way.leases.hold(session, 60_000, 'http/another')
  await agent.transport.terminateSession()
  await agent.client.close()
  await eventually('its own hold to be let go', async () => (await holders()).join() === 'http/another')
  expect(await house.way.leases.isHeld(session)).toBe(true)
})

test('a door that closes ends its streams, answers what it was asked, and takes nothing new', async () => {
  await using house = await startMcpHouse({ worker: false })
  const token = await house.agent()
  const stream = await openStream(house, token, await begin(house.url, token))
  const closing = house.door.close()
  await stream.text().catch(() => '')
  await closing
  expect((await post(house.url, token, list)).status).toBe(503)
  expect(house.door.sessions()).toBe(0)
})
