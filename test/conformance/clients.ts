import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

/** How a client gets to the server: by an address and a token, or by starting it. */
export type Way =
  | { kind: 'http'; url: string; token: string }
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> }

/** What a client was told without having asked, in the order it came. */
type Heard = { changes: number; updates: string[] }

/** The part of both libraries that is the same in both. */
type Spoken = Pick<Client, 'listTools' | 'readResource' | 'listResources' | 'getPrompt' | 'complete' | 'close'> & {
  callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>
}

export type Connected = Spoken & {
  version: string | undefined
  heard: Heard
  /** Asks to be told of a resource, in the way of the era. */
  watch: (uri: string) => Promise<unknown>
} & AsyncDisposable

export type Kind = { title: string; version: string; connect: (way: Way) => Promise<Connected> }

const ABOUT = { name: 'interop', version: '1.0.0' }
const LATEST_2025 = '2025-11-25'
const MODERN = '2026-07-28'

const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

export const connectOlder = async (way: Way): Promise<Connected> => {
  const client = new OlderClient(ABOUT)
  const heard: Heard = { changes: 0, updates: [] }
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    heard.changes++
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.updates.push(params.uri)
  })
  if (way.kind === 'http') {
    const transport = new OlderHttp(new URL(way.url), headersOf(way.token))
    await client.connect(transport as Parameters<typeof client.connect>[0])
    const version = transport.protocolVersion
    return opened(client as unknown as Spoken, { version, heard, watch: (uri) => client.subscribeResource({ uri }) })
  }
  const { command, args, env } = way
  let version: string | undefined
  const transport = new OlderStdio({ command, args, env })
  Object.assign(transport, {
    setProtocolVersion: (agreed: string) => {
      version = agreed
    },
  })
  await client.connect(transport)
  return opened(client as unknown as Spoken, { version, heard, watch: (uri) => client.subscribeResource({ uri }) })
}

type Mode = 'legacy' | 'auto' | { pin: string }

const connectNewer = async (mode: Mode, way: Way): Promise<Connected> => {
  const client = new Client(ABOUT, { versionNegotiation: { mode } })
  const heard: Heard = { changes: 0, updates: [] }
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard.changes++
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.updates.push(params.uri)
  })
  await client.connect(
    way.kind === 'http'
      ? new StreamableHTTPClientTransport(new URL(way.url), headersOf(way.token))
      : new StdioClientTransport({ command: way.command, args: way.args, env: way.env, stderr: 'inherit' }),
  )
  const version = client.getNegotiatedProtocolVersion()
  if (version !== MODERN) return opened(client, { version, heard, watch: (uri) => client.subscribeResource({ uri }) })
  await client.listen({ toolsListChanged: true })
  return opened(client, { version, heard, watch: (uri) => client.listen({ resourceSubscriptions: [uri] }) })
}

const opened = (client: Spoken, rest: Pick<Connected, 'version' | 'heard' | 'watch'>): Connected =>
  Object.assign(client, rest, { [Symbol.asyncDispose]: () => client.close() })

/** Every client library, in every way it can speak. */
export const KINDS: Kind[] = [
  { title: 'v1', version: LATEST_2025, connect: connectOlder },
  { title: 'v2, legacy', version: LATEST_2025, connect: (way) => connectNewer('legacy', way) },
  { title: 'v2, auto', version: MODERN, connect: (way) => connectNewer('auto', way) },
  { title: 'v2, pinned', version: MODERN, connect: (way) => connectNewer({ pin: MODERN }, way) },
]
