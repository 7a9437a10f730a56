import { expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { must, said } from '../support/store.ts'
import { connectRpc, readyRpc } from './client.ts'
import { openDoor } from './open-door.ts'

const initialize = (url: string) =>
  fetch(new URL('/rpc', url), {
    method: 'POST',
    body: '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x"}}}',
  })

const post = async (url: string, session: string, body: object) =>
  (
    await fetch(new URL('/rpc', url), {
      method: 'POST',
      headers: { 'bellhop-session': session },
      body: JSON.stringify(body),
    })
  ).status

test('a token has so many connections, and so many sessions', async () => {
  await using door = await openDoor({ perToken: 2 })
  using _first = await connectRpc(door.url, 'x')
  using second = await connectRpc(door.url, 'x')
  await expect(connectRpc(door.url, 'x')).rejects.toThrow('429')
  second.close()
  using _third = await eventually('a place', () => connectRpc(door.url, 'x').catch(() => null))
  const statuses = [await initialize(door.url), await initialize(door.url), await initialize(door.url)]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
})

test('a client follows so many threads, and begins none that it could not follow', async () => {
  await using door = await openDoor({ threads: 1 })
  using client = await readyRpc(door.url, 'x')
  const { thread } = await client.result('thread/start')
  expect((await client.ask('thread/start')).error?.data?.code).toBe('connections-exceeded')
  await client.result('thread/unsubscribe', { threadId: thread.id })
  await client.result('thread/start')
  expect((await client.result('thread/list')).data.length).toBe(2)
})

test('who does not read is cut off', async () => {
  await using door = await openDoor({ unreadBytes: 256 * 1024, waiting: 1000 })
  using client = await readyRpc(door.url, 'x')
  client.socket.pause()
  // Far more than lies between two sockets.
  for (let id = 100; id < 400; id++) client.tell({ id, method: 'config/read' })
  await eventually('the door to give up', async () => (await door.connections()) === 0)
  client.socket.resume()
  expect((await eventually('the end', () => client.closed())).code).toBe(1006)
})

test('a token that no longer holds ends the connection at the next look', async () => {
  await using door = await openDoor({ lookMs: 20 })
  using client = await readyRpc(door.url, 'x')
  door.valid.is = false
  expect(await eventually('the end', () => client.closed())).toEqual({ code: 1008, reason: 'unauthenticated' })
})

test('a session that is silent for too long lapses; one that is read does not', async () => {
  const clock = { now: 0 }
  await using door = await openDoor({ lookMs: 20, idleMs: 1000 }, { clock })
  const [silent, read] = [await initialize(door.url), await initialize(door.url)].map(
    ({ headers }) => headers.get('bellhop-session') ?? '',
  ) as [string, string]
  const stop = new AbortController()
  await fetch(new URL('/rpc', door.url), { headers: { 'bellhop-session': read }, signal: stop.signal })
  clock.now = 5000
  // A question that cannot be answered keeps nothing.
  const odd = (session: string) =>
    fetch(new URL('/rpc', door.url), { headers: { 'bellhop-session': session, 'last-event-id': 'x' } })
  await eventually('it to lapse', async () => (await odd(silent)).status === 404)
  expect(await post(door.url, read, { id: 2, method: 'thread/list' })).toBe(200)
  stop.abort()
})

test('a stream that is resumed too late says how much it has lost', async () => {
  await using door = await openDoor({ keptMessages: 3 })
  const session = (await initialize(door.url)).headers.get('bellhop-session') ?? ''
  for (let id = 2; id < 7; id++) expect(await post(door.url, session, { id, method: 'thread/start' })).toBe(200)
  const response = await fetch(new URL('/rpc', door.url), { headers: { 'bellhop-session': session } })
  const reader = response.body?.getReader()
  let text = ''
  while (text.split('\n\n').length < 5) text += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
  const events = text.trimEnd().split('\n\n')
  expect(events[0]).toBe('id: 2\ndata: {"method":"stream/lost","params":{"missed":2}}')
  expect(events.slice(1).map((event) => event.split('\n')[0])).toEqual(['id: 3', 'id: 4', 'id: 5'])
})

test('what others write is no concern of a client that follows nothing', async () => {
  await using door = await openDoor({})
  using client = await readyRpc(door.url, 'x')
  must(await door.store.append([said('m1', 'hello')]))
  await client.result('thread/list')
  expect(client.heard.length).toBe(2)
})
