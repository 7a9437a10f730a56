import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/poll.ts'
import { KINDS, type Way } from './clients.ts'
import { createInspector, type Era, type Inspector } from './inspector.ts'
import { type Profile, startProfile, stdioWay } from './profile.ts'
import { findTools, INSTALL_MS } from './tools.ts'

type Listed = { tools: { name: string }[] }
type Answered = { content: { text: string }[] }

/** What the inspector shows, in both eras and however it got there. */
const SHOWN = {
  exitCodes: [0, 0, 0, 0, 0, 0],
  tools: ['read', 'list', 'glob', 'grep', 'run', 'web-fetch', 'evidence', 'hop'],
  read: ['# teapot\n\nIt pours.\n'],
  peripheral: 'edit',
  prompt: 1,
  hop: ['in reflect; the tools here are evidence, reflect, hop'],
  after: ['evidence', 'reflect', 'hop'],
}

let profile: Profile
let inspector: Inspector
beforeAll(async () => {
  inspector = createInspector(await findTools())
  profile = await startProfile({ fixtures: false })
}, INSTALL_MS)
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]()
  await profile?.[Symbol.asyncDispose]()
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
  const { contents: [wall] = [] } = peripheral.result as { contents?: { text: string }[] }
  return {
    exitCodes: [tools, read, peripheral, prompt, hop, after].map(({ exitCode }) => exitCode ?? -1),
    tools: namesIn(tools.result),
    read: textsIn(read.result),
    peripheral: JSON.parse(wall?.text ?? '{}').id,
    prompt: (prompt.result as { messages: unknown[] }).messages.length,
    hop: textsIn(hop.result),
    after: namesIn(after.result),
  }
}

const namesIn = (result: unknown): string[] => (result as Listed).tools.map(({ name }) => name)
const textsIn = (result: unknown): string[] => (result as Answered).content.map(({ text }) => text)

const byHttp = async (): Promise<Way & { kind: 'http' }> => ({
  kind: 'http',
  url: profile.url,
  token: await profile.agent(),
})

const WAYS: [title: string, way: () => Promise<Way>][] = [
  ['HTTP', byHttp],
  ['stdio', async () => stdioWay(profile, await profile.agent())],
]

describe.each(WAYS)('the inspector over %s', (_, way) => {
  it.each(['legacy', 'modern'] as const)('lists, calls, reads and hops in the era %s', async (era) => {
    expect(await show(await way(), era)).toEqual(SHOWN)
  })

  it('finds the era by itself, and nothing in the tools that other clients could not read', async () => {
    const { exitCode, result } = await inspector.call(await way(), 'auto', ['tools/list', '--strict'])
    expect([exitCode, namesIn(result)]).toEqual([0, SHOWN.tools])
  })
})

describe('the inspector', () => {
  it.each(['legacy', 'modern'] as const)('is told once of a resource that it watches, in the era %s', async (era) => {
    const agent = `watched-${era}`
    const token = await profile.agent({ agent, type: agent })
    const way = { kind: 'http', url: profile.url, token } as const
    await using client = await KINDS[0]?.connect(way)
    await client?.callTool({ name: 'read', arguments: { path: 'README.md' } })
    const session = await profile.house.store.openSession('lobby', agent)
    await using watching = await inspector.watch(way, era, `evidence://session/${session?.id}`)
    for (const count of [1, 2]) {
      await client?.callTool({ name: 'write', arguments: {} }).catch(() => {})
      await eventually('the inspector to be told', () => watching.said.length > count)
    }
    expect(watching.said).toEqual(['subscribed', 'resources/updated', 'resources/updated'])
  })
})
