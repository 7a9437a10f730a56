import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventsOf } from '../../src/client/events.ts'
import { hashOfToken, revokeToken } from '../../src/evidence/tokens.ts'
import { Post } from '../../src/shapes/post.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
const say = async (text: string) => must(await client().say({ room: 'quiet', text }))
const texts = (posts: Post[]) => posts.map(({ text }) => text)

/** Reads a stream until it has seen enough, and then hangs up. */
const read = async (query: string, enough: (posts: Post[]) => boolean, headers: Record<string, string> = {}) => {
  const gone = new AbortController()
  const response = await fetch(new URL(`/api/follow?room=quiet${query}`, house.url), {
    headers: { authorization: `Bearer ${house.tokens.admin}`, ...headers },
    signal: gone.signal,
  })
  const posts: Post[] = []
  for await (const { event, data } of eventsOf(response)) {
    expect(event).toBe('post')
    posts.push(Post.parse(JSON.parse(data)))
    if (enough(posts)) break
  }
  gone.abort()
  return posts
}

const atLeast = (count: number) => (posts: Post[]) => posts.length >= count
const until = (text: string) => (posts: Post[]) => posts.at(-1)?.text === text

/** What the room has to show after a position, read from the evidence alone. */
const said = async (after: number): Promise<string[]> =>
  must(
    await house.store.query({ subject: 'room/quiet', event: 'message', order: 'oldest', cursor: after, limit: 1000 }),
  ).entries.map(({ body }) => (body.event === 'message' ? body.text : ''))

describe('a room that is followed', () => {
  test('shows a turn from the line to the answer, in order, each post once', async () => {
    const after = await house.store.head()
    await say('@codex read README.md')
    const posts = await read(`&after=${after}`, (seen) => seen.at(-1)?.kind === 'answer')
    expect(posts.map(({ kind, author, step }) => [kind, author.kind, step?.state ?? null])).toEqual([
      ['said', 'person', null],
      ['accepted', 'person', null],
      ['working', 'agent', null],
      ['step', 'agent', 'running'],
      ['step', 'agent', 'ok'],
      ['answer', 'agent', null],
    ])
    const positions = posts.map(({ position }) => position)
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
  })

  test('shows what comes while it is followed', async () => {
    const after = await house.store.head()
    const reading = read(`&after=${after}`, atLeast(3))
    for (const text of ['one', 'two', 'three']) await say(text)
    expect(texts(await reading)).toEqual(['one', 'two', 'three'])
  })

  test('shows nothing of another room', async () => {
    const after = await house.store.head()
    must(await client().say({ room: 'lobby', text: '/whoami' }))
    await say('here')
    expect(texts(await read(`&after=${after}`, atLeast(1)))).toEqual(['here'])
  })

  test('shows the last posts, and goes on from there', async () => {
    for (const text of ['old', 'older', 'last but one', 'last']) await say(text)
    const reading = read('&tail=2', until('new'))
    await say('new')
    expect(texts(await reading)).toEqual(['last but one', 'last', 'new'])
  })

  test('names each post by its position, for a reader that comes back', async () => {
    const after = await house.store.head()
    await say('named')
    const gone = new AbortController()
    const response = await fetch(new URL(`/api/follow?room=quiet&after=${after}`, house.url), {
      headers: { authorization: `Bearer ${house.tokens.admin}` },
      signal: gone.signal,
    })
    let raw = ''
    for await (const chunk of response.body ?? []) {
      raw += new TextDecoder().decode(chunk)
      if (raw.includes('data: ')) break
    }
    gone.abort()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(raw.match(/^id: .*$/gm)).toEqual([`id: ${after}`, `id: ${after + 1}`])
  })
})

describe('a reader that hangs up again and again while lines keep coming', () => {
  const LINES = 60

  test.each([
    ['and says what it saw last in the address', (last: number) => [`&after=${last}`, {}] as const],
    [
      'and says what it saw last as a browser does',
      (last: number) => ['&tail=5', { 'last-event-id': String(last) }] as const,
    ],
    [
      'and says it both ways: what it saw last counts',
      (last: number) => ['&after=0', { 'last-event-id': String(last) }] as const,
    ],
  ])('%s, misses none and sees none twice', async (_how, resume) => {
    const after = await house.store.head()
    const talking = (async () => {
      for (let i = 0; i < LINES; i++) await say(`line ${i}`)
    })()
    const seen: Post[] = []
    let connections = 0
    while (seen.at(-1)?.text !== `line ${LINES - 1}`) {
      const [query, headers] = resume(seen.at(-1)?.position ?? after)
      const share = 1 + (connections++ % 7)
      seen.push(...(await read(query, (posts) => posts.length >= share || until(`line ${LINES - 1}`)(posts), headers)))
    }
    await talking
    expect(texts(seen)).toEqual(await said(after))
    expect(connections).toBeGreaterThan(LINES / 7)
  })
})

test('many readers at once see the same', async () => {
  const after = await house.store.head()
  const readers = Array.from({ length: 10 }, () => read(`&after=${after}`, until('the end')))
  await Promise.all(Array.from({ length: 30 }, (_, i) => say(`at once ${i}`)))
  await say('the end')
  const expected = await said(after)
  expect((await Promise.all(readers)).map(texts)).toEqual(readers.map(() => expected))
})

test('a gateway with readers, and with a connection that says nothing, stops without waiting for them', async () => {
  await using other = await startTestHouse({ worker: false })
  const silent = connect(Number(new URL(other.url).port), '127.0.0.1')
  await once(silent, 'connect')
  const response = await fetch(new URL('/api/follow', other.url), {
    headers: { authorization: `Bearer ${other.tokens.admin}` },
  })
  await other.stopGateway()
  expect(await response.text()).toBe(': here\n\n')
})

test('a stream ends with the token that it was opened with', async () => {
  const token = await house.mint({ kind: 'person', name: 'eve', role: 'viewer' })
  const paths = ['/api/tail', '/api/follow?room=quiet', '/api/items?room=quiet']
  const headers = { authorization: `Bearer ${token}` }
  const open = await Promise.all(paths.map((path) => fetch(new URL(path, house.url), { headers })))
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
  const ada = { kind: 'person', id: 'ada', face: 'cli', via: null } as const
  must(await revokeToken(house.store, { token: hashOfToken(token).slice(0, 12), why: 'lost' }, ada))
  // They are read to their end: that they have one is what is asked here.
  await Promise.all(open.map((response) => response.text().catch(() => '')))
})
