import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { eventually } from '../support/poll.ts'
import { connectOlder, type Way } from './clients.ts'
import { createInspector, type Era, type Inspector } from './inspector.ts'
import { type Place, startPlace } from './place.ts'
import { findTools } from './tools.ts'

type Listed = { tools: { name: string }[] }
type Answered = { content: { text: string }[] }

/** What the inspector shows, in both eras and however it got there. */
const SHOWN = {
  tools: [
    'read',
    'list',
    'glob',
    'grep',
    'run',
    'web-fetch',
    'evidence',
    'hop',
    'bell',
    'whistle',
    'park',
    'pattern-search',
    'pattern-read',
  ],
  read: ['# teapot\n\nIt pours.\n'],
  peripheral: 'edit',
  prompt: 1,
  hop: ['in reflect; the tools here are evidence, reflect, hop, bell, whistle, park'],
  after: ['evidence', 'reflect', 'hop', 'bell', 'whistle', 'park'],
}

let place: Place
let inspector: Inspector
beforeAll(async () => {
  inspector = createInspector(await findTools())
  place = await startPlace()
}, INSTALL_MS)
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]()
  await place?.[Symbol.asyncDispose]()
})

/** Six calls, each over a connection of its own: where an agent stands is known by its token. */
const show = async (way: Way, era: Era): Promise<typeof SHOWN> => {
  const call = (...method: string[]) => inspector.call(way, era, method)
  const [tools, read, peripheral, prompt] = await Promise.all([
    call('tools/list', '--strict'),
    call('tools/call', '--tool-name', 'read', '--tool-arg', 'path=README.md'),
    call('resources/read', '--uri', 'peripheral://edit'),
    call('prompts/get', '--prompt-name', 'edit', '--prompt-args', 'request=fix'),
  ])
  const hop = await call('tools/call', '--tool-name', 'hop', '--tool-arg', 'to=reflect')
  const after = await call('tools/list')
  const { contents: [wall] = [] } = peripheral as { contents?: { text: string }[] }
  return {
    tools: namesIn(tools),
    read: textsIn(read),
    peripheral: JSON.parse(wall?.text ?? '{}').id,
    prompt: (prompt as { messages: unknown[] }).messages.length,
    hop: textsIn(hop),
    after: namesIn(after),
  }
}

const namesIn = (result: unknown): string[] => (result as Listed).tools.map(({ name }) => name)
const textsIn = (result: unknown): string[] => (result as Answered).content.map(({ text }) => text)

describe('the inspector over HTTP', () => {
  it.each(['legacy', 'modern'] as const)('lists, calls, reads and hops in the era %s', async (era) => {
    const { http } = await place.visitor()
    expect(await show(http, era)).toEqual(SHOWN)
  })

  it('finds the era by itself', async () => {
    const { http } = await place.visitor()
    const listed = await inspector.call(http, 'auto', ['tools/list', '--strict'])
    expect(namesIn(listed)).toEqual(SHOWN.tools)
  })
})

describe('the inspector over stdio', () => {
  it.each(['legacy', 'auto'] as const)('lists in the era %s', async (era) => {
    const { stdio } = await place.visitor()
    const listed = await inspector.call(stdio, era, ['tools/list', '--strict'])
    expect(namesIn(listed)).toEqual(SHOWN.tools)
  })

  it('hops in the era modern', async () => {
    const { stdio } = await place.visitor()
    const hop = await inspector.call(stdio, 'modern', ['tools/call', '--tool-name', 'hop', '--tool-arg', 'to=reflect'])
    expect(textsIn(hop)).toEqual(SHOWN.hop)
  })
})

describe('a connection that the inspector keeps', () => {
  it.each(['legacy', 'modern'] as const)(
    'is told once of every change of what it watches, in the era %s',
    async (era) => {
      const { agent, room, http } = await place.visitor()
      await using client = await connectOlder(http)
      await client.callTool({ name: 'read', arguments: { path: 'README.md' } })
      const session = await place.store.openSession(room, agent)
      await using watching = await inspector.watch(http, era, `evidence://session/${session?.id}`)
      for (const count of [1, 2]) {
        await client.callTool({ name: 'write', arguments: {} }).catch(() => {})
        await eventually('the inspector to be told', () => watching.said.length > count)
      }
      expect(watching.said).toEqual(['subscribed', 'resources/updated', 'resources/updated'])
    },
  )
})
