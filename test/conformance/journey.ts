import type { Store } from '../../src/evidence/store.ts'
import { eventually } from '../support/poll.ts'
import type { Connected } from './clients.ts'

/** All that a client of an agent's sees on its way through two walls. */
export type Seen = {
  /** What the tools are called, in their order: before the hop, and after it. */
  before: string[]
  after: string[]
  /** What a call comes to, and one of a tool that the wall does not have. */
  read: string
  outside: { code: number; message: string }
  hop: string
  /** How often it was told, and of what. */
  changes: number
  updates: string[]
  /** What happened in the session, as its resource has it. */
  events: string[]
  prompt: string
  completion: string[]
}

type Where = { agent: string; room: string; store: Store }

/** Lists, calls, calls what is not there, hops, reads, watches: the same way for every client. */
export const journey = async (client: Connected, { agent, room, store }: Where): Promise<Seen> => {
  const before = await namesOf(client)
  const read = await call(client, 'read', { path: 'README.md' })
  const outside = await refusalOf(client, 'write')
  const hop = await call(client, 'hop', { to: 'edit' })
  await eventually('the change of the tools to be told', () => client.heard.changes > 0)
  const after = await namesOf(client)

  const session = (await store.openSession(room, agent))?.id ?? 'none'
  const uri = `evidence://session/${session}`
  await eventually('the stay in explore to be verified', async () => {
    const found = await store.query({ session, event: 'verified' })
    return found.ok && found.value.entries.length > 0
  })
  await client.watch(uri)
  // Each of these is one entry: two that are told one by one leave no room for a third.
  for (const [i, tool] of ['web-fetch', 'reflect'].entries()) {
    await refusalOf(client, tool)
    await eventually('the session to be told to have grown', () => client.heard.updates.length > i)
  }
  const events = await eventsOf(client, uri)
  const asked = {
    ref: { type: 'ref/resource' as const, uri: 'peripheral://{id}' },
    argument: { name: 'id', value: 'e' },
  }
  const { completion } = await client.complete(asked)
  return {
    before,
    after,
    read,
    outside,
    hop,
    changes: client.heard.changes,
    updates: client.heard.updates.map((told) => told.replace(session, 'SESSION')),
    events,
    prompt: await promptOf(client),
    completion: completion.values,
  }
}

const namesOf = async (client: Connected): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)

type Answer = { content: { text?: string }[]; isError?: boolean }

const call = async (client: Connected, name: string, args: Record<string, unknown>): Promise<string> => {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as Answer
  return `${isError ? 'failed: ' : ''}${content.map(({ text }) => text).join('\n')}`
}

/** An error as it was sent: one of the libraries puts the code before the message. */
const refusalOf = async (client: Connected, name: string): Promise<Seen['outside']> => {
  const answer = await client.callTool({ name, arguments: {} }).catch((error: unknown) => error)
  const { code, message } = answer as { code: number; message: string }
  return { code, message: message.replace(/^MCP error -\d+: /, '') }
}

const eventsOf = async (client: Connected, uri: string): Promise<string[]> => {
  const { contents } = await client.readResource({ uri })
  const text = contents.map((part) => ('text' in part ? part.text : '')).join('')
  const { entries } = JSON.parse(text) as { entries: { body: { event: string } }[] }
  return entries.map(({ body }) => body.event)
}

const promptOf = async (client: Connected): Promise<string> => {
  const { messages } = await client.getPrompt({ name: 'edit', arguments: { request: 'fix the typo' } })
  const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : content.type)).join('\n')
  const [first = '', ...rest] = texts.split('\n')
  return `${first} … ${rest.at(-1)}`
}
