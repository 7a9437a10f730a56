import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { TestMcp } from './house.ts'

export type Era = 'legacy' | 'modern'

export const ERAS: Era[] = ['legacy', 'modern']

/** A notification, in a few words. */
const shown = ({ method, params }: { method: string; params?: unknown }): string =>
  [method.replace('notifications/', ''), (params as { uri?: string } | undefined)?.uri ?? ''].join(' ').trim()

const NOTICES = [
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
] as const

/** A client of the official library, in one era, with everything it was told without having asked. */
export const connect = async ({ url }: Pick<TestMcp, 'url'>, token: string, era: Era) => {
  const client = new Client(
    { name: 'a-test', version: '1.0.0' },
    era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const told: string[] = []
  for (const method of NOTICES) client.setNotificationHandler(method, (notice) => void told.push(shown(notice)))
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return {
    client,
    transport,
    told,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Wants to hear of changes, and of these resources; in the older era the stream is open by itself. */
    listen: async (uris: string[] = []) => {
      if (era === 'modern') {
        const notifications = { toolsListChanged: true, resourcesListChanged: true }
        return client.listen({ ...notifications, ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}) })
      }
      for (const uri of uris) await client.subscribeResource({ uri })
      return null
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The error a request was answered with. */
export const errorOf = async (asked: Promise<unknown>): Promise<{ code: number; message: string }> => {
  const answer = await asked.then(
    (value) => ({ value }),
    (error: { code: number; message: string }) => error,
  )
  if ('value' in answer) return expect.fail(`was answered: ${JSON.stringify(answer.value)}`)
  return { code: answer.code, message: answer.message }
}
