import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createApp } from '../../../src/console/app.ts'
import type { Console } from '../../../src/console/house.ts'
import { startDraft } from '../../../src/evidence/threads.ts'
import type { Context } from '../../../src/operations/operation.ts'
import { Message } from '../../../src/shapes/message.ts'
import type { Person } from '../../../src/shapes/person.ts'
import type { Post } from '../../../src/shapes/post.ts'
import { ok } from '../../../src/shapes/result.ts'
import type { ScriptedHouse } from '../../chat-conformance/house.ts'
import { ADA, must, testStore } from '../../support/store.ts'

/**
 * The console of the house with its page, over a real socket, and behind it a scripted house: what is said and what is
 * read along goes through the port. Its store knows nothing but that a thread was begun.
 */
export const openFront = async (house: ScriptedHouse, thread: string) => {
  const { store, ...opened } = await testStore()
  const beginning = {
    thread,
    agent: 'claude-1',
    name: 'the flaky test',
    room: house.room,
    mode: 'diagnose',
    from: null,
  }
  must(await store.append([startDraft(beginning as Parameters<typeof startDraft>[0], ADA)]))
  /** Lines that are being answered: a house that cannot be reached lets their connections break. */
  const saying = new Set<ServerResponse>()
  const consoleOf: Partial<Console> = {
    hosts: ['127.0.0.1'],
    front: { public: null, proxies: [] },
    pace: () => 0,
    version: '0.0.0-test',
    cookie: 'bellhop',
    page: join(import.meta.dirname, '../../../adapters/web/public'),
    admit: async (face, { token }) =>
      ok({ key: 'ada', door: 'http', token, person: personAt(face), grant: null, expires: null }),
    stillValid: async () => true,
    enter: async () => ok(null),
    say: async (message) => {
      const { id, room, text } = Message.parse(message)
      return house.say({ id, room, text }).catch(() => {
        for (const response of saying) response.destroy()
        return new Promise<never>(() => {})
      })
    },
    contextFor: ({ person }) => {
      const rooms: Context['rooms'] = [{ id: house.room, faces: ['web'], mode: 'execute', listener: 'claude-1' }]
      const context: Partial<Context> = {
        person,
        store,
        rooms,
        who: async () => [],
        roomMode: async () => 'execute',
        specs: new Map(),
      }
      return context as Context
    },
    query: async () => ok({ entries: [], through: house.posts.at(-1)?.position ?? 0 }),
    tail: async (room, count) => house.posts.filter((post) => post.room === room).slice(-count),
    follow: (room, after, signal) => postsOf(house, room, after, signal),
    progress: () => () => {},
    log: () => {},
  }
  const answer = getRequestListener(createApp(consoleOf as Console).fetch)
  let server: Server | null = null
  let port = 0

  const listen = async (): Promise<void> => {
    server = createServer((request, response) => {
      if (request.url?.startsWith('/api/say')) saying.add(response)
      response.once('close', () => saying.delete(response))
      void answer(request, response)
    })
    await new Promise<void>((done) => server?.listen(port, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  }
  /** As a killed process would: connections break, nothing is said. */
  const kill = async (): Promise<void> => {
    const dying = server
    server = null
    await new Promise<void>((done) => {
      if (!dying) return done()
      dying.close(() => done())
      dying.closeAllConnections()
    })
  }
  await listen()
  return {
    url: `http://127.0.0.1:${port}`,
    listen,
    kill,
    close: async () => {
      await kill()
      await opened[Symbol.asyncDispose]()
    },
  }
}

const personAt = (face: Person['face']): Person => ({ name: 'ada', role: 'operator', face, via: null })

/** The posts of a room, one by one, as the port tells them. */
async function* postsOf(house: ScriptedHouse, room: string, after: number, signal: AbortSignal): AsyncGenerator<Post> {
  const heard: Post[] = []
  let wake = () => {}
  const hear = (post: Post): void => {
    heard.push(post)
    wake()
  }
  signal.addEventListener('abort', () => wake())
  void house.follow(room, after, { post: hear }, signal)
  while (!signal.aborted) {
    const post = heard.shift()
    if (post) yield post
    else
      await new Promise<void>((done) => {
        wake = done
      })
  }
}
