import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { eventsOf } from '../../src/client/events.ts'
import type { ItemEvent } from '../../src/shapes/item.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Post, Progress } from '../../src/shapes/post.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { CLAUDE, must } from '../support/store.ts'
import { whoami, whoamiText } from '../support/whoami.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const client = (token = house.tokens.admin) => createClient({ url: house.url, token, face: 'terminal' })
const forever = () => new AbortController().signal

describe('a client', () => {
  test('says a line and asks a question, each through its own face', async () => {
    const owner = { name: OWNER, role: 'admin', face: 'terminal', via: null } as const
    expect(must(await client().say({ room: 'quiet', text: '/whoami' })).answer).toBe(whoamiText(owner))
    expect(must(await client().ask('whoami'))).toEqual(whoami(owner))
  })

  test('hears a refusal as a refusal', async () => {
    const nobody = refused(refusal('unauthenticated', 'no token, or not one of this instance'))
    expect([
      await client('nonsense').say({ room: 'quiet', text: 'hello' }),
      await client('nonsense').ask('who'),
      await client().say({ room: 'nowhere', text: 'hello' }),
      await client().ask('nothing' as 'who'),
    ]).toEqual([
      nobody,
      nobody,
      refused(refusal('room-unknown', 'there is no room nowhere; there is lobby, quiet, porch')),
      refused(refusal('route-unknown', 'there is nothing at GET /api/nothing')),
    ])
  })

  test('takes an answer that is no refusal of ours as one all the same', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(502, { 'content-type': 'application/json' }).end('{"error":"a proxy"}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = await createClient({ url, token: 'x', face: 'cli' }).ask('who')
    server.close()
    expect(answer).toEqual(refused(refusal('request-invalid', 'the answer was 502')))
  })

  test('may say the same line many times at once: it is done once and always answered the same', async () => {
    const line = { id: 'same', room: 'quiet', text: '@codex read README.md' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => client().say(line)))
    expect(answers).toEqual(answers.map(() => answers[0]))
    await eventually('the turn to end', () => house.store.get('same.codex-1.ended'))
    await eventually('its chain to be read', () => house.store.get('same.codex-1.stopped.verified'))
    const session = must(answers[0] ?? (await client().say(line))).assignments[0]?.session
    const chain = must(await house.store.query({ session, order: 'oldest', limit: 1000 })).entries
    const happened = chain.map(({ body }) => body.event)
    // The chain is read backwards while the turn ends: either may be written first.
    expect(happened.filter((event) => event === 'verified')).toEqual(['verified'])
    expect(happened.filter((event) => event !== 'verified')).toEqual([
      'session-opened',
      'accepted',
      'turn-started',
      'peripheral-started',
      'step-intended',
      'step-ended',
      'peripheral-stopped',
      'turn-ended',
    ])
  })

  test('follows through a restart of the gateway on the same port, and shows each line once and in order', async () => {
    const after = await house.store.head()
    const gone = new AbortController()
    const seen: string[] = []
    const following = client().follow('quiet', after, ({ text }) => void seen.push(text), gone.signal)
    const expected: string[] = []
    const say = async (text: string) => {
      must(await client().say({ room: 'quiet', text }))
      expected.push(text)
    }
    for (const round of ['first', 'second', 'third']) {
      await say(`before the ${round} restart`)
      await eventually('the line to be shown', () => seen.length === expected.length)
      await house.stopGateway()
      await house.startGateway()
      await say(`after the ${round} restart`)
      await eventually('the line to be shown', () => seen.length === expected.length)
    }
    gone.abort()
    await following
    expect(seen).toEqual(expected)
  })

  /** An instance that answers every stream with the same events, and ends it; and what it was asked for. */
  const streaming = async (events: string) => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      asked,
      client: createClient({ url, token: 'x', face: 'cli' }),
      [Symbol.dispose]: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  }

  test('hears posts among events that it does not know, and what is being said if it wants to', async () => {
    const shown: Post = {
      position: 7,
      id: 'm1.claude-1.0.approval',
      at: '2026-01-02T03:04:05.000Z',
      room: 'quiet',
      kind: 'approval',
      author: CLAUDE,
      text: 'asks to run git push',
      session: 's-1',
      turn: 'm1.claude-1',
      step: { id: 'm1.claude-1.0', state: 'running' },
      approval: { name: 'k7f2q', state: 'open', until: '2026-01-02T03:14:05.000Z' },
    }
    const said: Progress = { room: 'quiet', session: 's-1', step: 'm1.claude-1.said-1', text: 'I will' }
    const progress = `event: progress\ndata: {}\n\nevent: progress\ndata: ${JSON.stringify(said)}\n\n`
    using instance = await streaming(
      `${progress}event: new\ndata: ?\n\nevent: post\ndata: ${JSON.stringify(shown)}\n\n`,
    )
    const heard: unknown[] = []
    const gone = new AbortController()
    const following = Promise.all([
      instance.client.follow('quiet', 3, (one) => heard.push(one), gone.signal),
      instance.client.follow(
        'porch',
        { tail: 5 },
        {
          open: () => heard.push('let in'),
          progress: (one) => heard.push(one),
          post: () => heard.push('a post'),
        },
        gone.signal,
      ),
    ])
    await eventually('both to come back', () => instance.asked.length >= 4)
    gone.abort()
    await following
    expect(instance.asked.slice(0, 4).sort()).toEqual([
      '/api/follow?room=porch&after=7',
      '/api/follow?room=porch&tail=5',
      '/api/follow?room=quiet&after=3',
      '/api/follow?room=quiet&after=7',
    ])
    expect(new Set(heard.map((one) => JSON.stringify(one)))).toEqual(
      new Set([shown, 'let in', said, 'a post'].map((one) => JSON.stringify(one))),
    )
  })

  test('follows the items of a turn up to its answer: what the agent says on the way is none', async () => {
    const message = { turn: 'm1.codex-1', type: 'agentMessage', agent: 'codex-1' } as const
    const aside = { ...message, id: 'm1.codex-1.said-1', status: 'completed', text: 'I look', outcome: null } as const
    const answer = { ...message, id: 'm1.codex-1.said-2', status: 'completed', text: 'there', outcome: 'done' } as const
    const events: ItemEvent[] = [
      { kind: 'completed', item: aside },
      { kind: 'delta', id: answer.id, turn: message.turn, type: 'agentMessage', text: 'the' },
      { kind: 'completed', item: answer },
      { kind: 'completed', item: { ...aside, id: 'never' } },
    ]
    using instance = await streaming(
      events.map((event, n) => `event: item\ndata: ${JSON.stringify(event)}\nid: 7.${n}\n\n`).join(''),
    )
    const heard: ItemEvent[] = []
    await instance.client.items({ turn: message.turn }, (event) => heard.push(event), forever())
    expect(heard).toEqual(events.slice(0, 3))
    expect(instance.asked).toEqual(['/api/items?turn=m1.codex-1'])
  })

  test('of a newer instance shows what it can read, without what was added, and goes on behind the rest', async () => {
    const shown = (position: number): Post => ({
      position,
      id: `m${position}`,
      at: '2026-01-02T03:04:05.000Z',
      room: 'quiet',
      kind: 'said',
      author: CLAUDE,
      text: 'hello',
      session: null,
      turn: null,
      step: null,
      approval: null,
    })
    const message = { id: 'm1.codex-1.said-1', turn: 'm1.codex-1', type: 'agentMessage', agent: 'codex-1' } as const
    const answer = { ...message, status: 'completed', text: 'there', outcome: 'done' } as const
    const posts = [
      { ...shown(7), shade: 'new' },
      { ...shown(8), kind: 'shade' },
    ]
    const items = [
      { kind: 'shade', item: answer },
      { kind: 'completed', item: { ...answer, shade: 'new' }, shade: 'new' },
    ]
    using instance = await streaming(
      [
        ...posts.map((post) => `event: post\nid: ${post.position}\ndata: ${JSON.stringify(post)}\n\n`),
        ...items.map((item, n) => `event: item\nid: 8.${n}\ndata: ${JSON.stringify(item)}\n\n`),
      ].join(''),
    )
    const heard: ItemEvent[] = []
    await instance.client.items({ turn: message.turn }, (event) => heard.push(event), forever())
    expect(heard).toEqual([{ kind: 'completed', item: answer }])
    const gone = new AbortController()
    const seen: Post[] = []
    const following = instance.client.follow('quiet', 3, (post) => seen.push(post), gone.signal)
    await eventually('it to come back', () => instance.asked.length >= 3)
    gone.abort()
    await following
    expect(seen[0]).toEqual(shown(7))
    expect(instance.asked.slice(0, 3)).toEqual([
      '/api/items?turn=m1.codex-1',
      '/api/follow?room=quiet&after=3',
      '/api/follow?room=quiet&after=8',
    ])
  })

  test('does not follow where it may not: a stranger, and a room that is not there', async () => {
    const none = () => {}
    await expect(client('wrong').follow('lobby', 0, none, forever())).rejects.toThrow(
      'no token, or not one of this instance',
    )
    await expect(client().follow('attic', 0, none, forever())).rejects.toThrow('there is no room attic')
  })

  test('follows until the signal ends it, also where nobody answers', async () => {
    const gone = new AbortController()
    const nowhere = createClient({ url: 'http://127.0.0.1:1', token: 'x', face: 'cli' })
    const following = nowhere.follow('quiet', 0, () => {}, gone.signal)
    gone.abort()
    expect(await following).toBe(undefined)
  })
})

describe('a conversation', () => {
  test('collects the answer of every agent the line went to', async () => {
    const shown: string[] = []
    const { receipt, replies } = must(
      await converse(client(), { room: 'quiet', text: '@all read README.md' }, forever(), ({ kind }) =>
        shown.push(kind),
      ),
    )
    const agents = ['claude-1', 'codex-1', 'tickle-1']
    expect(receipt.assignments.map(({ agent }) => agent)).toEqual(agents)
    expect(replies.map(({ author }) => author.id).sort()).toEqual(agents)
    expect(replies.map(({ turn }) => turn).sort()).toEqual(receipt.assignments.map(({ turn }) => turn))
    expect(replies.every(({ text }) => text.includes('# teapot'))).toBe(true)
    expect(shown.sort()).toEqual(agents.flatMap(() => ['accepted', 'answer', 'step', 'step', 'working']).sort())
  })

  test('waits for the last of them, whoever comes first, shows what is theirs, and hears no more after that', async () => {
    const assignments = ['codex-1', 'claude-1'].map((agent) => ({
      turn: `m1.${agent}`,
      session: `s-${agent}`,
      agent,
      peripheral: 'explore',
    }))
    const post = (position: number, turn: string | null, kind: Post['kind'], step?: string): Post => ({
      position,
      id: `e${position}`,
      at: '2026-01-02T03:04:05.000Z',
      room: 'quiet',
      kind,
      author: CLAUDE,
      text: `post ${position}`,
      session: null,
      turn,
      step: step === undefined ? null : { id: step, state: 'running' },
      approval: kind === 'approval' ? { name: 'k7f2q', state: 'open', until: null } : null,
    })
    const posts = [
      post(11, 'm1.claude-1', 'answer'),
      post(12, null, 'said'),
      post(13, 'm0.codex-1', 'answer'),
      post(14, 'm1.codex-1', 'step'),
      post(15, 'm1.codex-1', 'approval', 'm1.codex-1.3'),
      // What was decided names its step, and no turn.
      post(16, null, 'approval', 'm1.codex-1.3'),
      post(17, null, 'approval', 'm1.codex-11.3'),
      post(18, null, 'approval', 'm0.codex-1.3'),
      post(19, 'm1.codex-1', 'answer'),
      post(20, 'm1.codex-1', 'step'),
    ]
    const receipt: Receipt = { message: 'm1', room: 'quiet', mode: 'action', assignments, answer: null }
    const scripted: Parameters<typeof converse>[0] = {
      say: async () => ok(receipt),
      ask: async () => ok({ entry: { position: 10 } } as never),
      follow: async (_room, after, ears, signal) => {
        for (const next of posts) if (next.position > Number(after) && !signal.aborted) ears.post(next)
      },
    }
    const shown: number[] = []
    const heard = await converse(scripted, { room: 'quiet', text: '@codex @claude look' }, forever(), ({ position }) =>
      shown.push(position),
    )
    expect(heard).toEqual(ok({ receipt, replies: [posts[0], posts[8]] }))
    expect(shown).toEqual([11, 14, 15, 16, 19])
  })

  test('collects only what answers its own line, however many are going on', async () => {
    const asked = ['claude', 'codex', 'claude', 'tickle', 'codex'].map((name, i) => ({ name, id: `many-${i}` }))
    const heard = await Promise.all(
      asked.map(({ name, id }) =>
        converse(client(), { id, room: 'quiet', text: `@${name} read README.md` }, forever()),
      ),
    )
    expect(heard.map((one) => must(one).replies.map(({ turn }) => turn))).toEqual(
      asked.map(({ name, id }) => [`${id}.${name}-1`]),
    )
  })

  test('that was over before is told again from the evidence', async () => {
    const line = { id: 'again', room: 'quiet', text: '@codex read README.md' }
    const first = must(await converse(client(), line, forever()))
    expect(must(await converse(client(), line, forever()))).toEqual(first)
  })

  test('with nobody ends with its receipt, and so does a command', async () => {
    const talk = must(await converse(client(), { id: 'talk', room: 'quiet', text: 'hello' }, forever()))
    const command = must(await converse(client(), { id: 'asked', room: 'quiet', text: '/mode' }, forever()))
    const receipt = { room: 'quiet', mode: 'coordination', assignments: [] }
    expect([talk, command]).toEqual([
      { receipt: { ...receipt, message: 'talk', answer: null }, replies: [] },
      { receipt: { ...receipt, message: 'asked', answer: 'quiet is in execute' }, replies: [] },
    ])
  })

  test('that is refused is the refusal', async () => {
    expect(await converse(client(), { room: 'quiet', text: '@cluade hello' }, forever())).toEqual(
      refused(refusal('agent-unknown', 'there is no agent cluade; did you mean @claude?')),
    )
  })

  test('that nobody waits for any longer ends with what there is', async () => {
    const heard = must(await converse(client(), { room: 'quiet', text: '@codex read README.md' }, AbortSignal.abort()))
    expect([heard.receipt.assignments.length, heard.replies]).toEqual([1, []])
  })
})

describe('the events of a stream', () => {
  const collect = async (chunks: (string | Uint8Array)[]): Promise<unknown[]> => {
    const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk))
    const found: unknown[] = []
    for await (const event of eventsOf(new Response(ReadableStream.from(bytes)))) found.push(event)
    return found
  }

  test.each<[string, (string | Uint8Array)[], unknown[]]>([
    ['one', ['event: post\ndata: x\nid: 1\n\n'], [{ event: 'post', data: 'x', id: '1' }]],
    [
      'two in one piece',
      ['data: a\n\ndata: b\n\n'],
      [
        { event: 'message', data: 'a', id: '' },
        { event: 'message', data: 'b', id: '' },
      ],
    ],
    ['one in many pieces', ['eve', 'nt: po', 'st\nda', 'ta: x\n', '\n'], [{ event: 'post', data: 'x', id: '' }]],
    ['one of several lines', ['data: a\ndata: b\n\n'], [{ event: 'message', data: 'a\nb', id: '' }]],
    ['a comment, which is none', [': ping\n\n'], []],
    ['one that never ended, which is none', ['data: x\n'], []],
    ['one that begins with a blank of its own', ['data:  x\n\n'], [{ event: 'message', data: ' x', id: '' }]],
  ])('%s', async (_what, chunks, expected) => {
    expect(await collect(chunks)).toEqual(expected)
  })

  test('are whole also where a piece ends in the middle of a letter', async () => {
    const bytes = new TextEncoder().encode('data: é😀\n\n')
    expect(await collect([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      { event: 'message', data: 'é😀', id: '' },
    ])
  })

  test('are an error where the answer is one', async () => {
    await expect(eventsOf(new Response('no', { status: 401 })).next()).rejects.toThrow('the stream answered 401')
  })
})
