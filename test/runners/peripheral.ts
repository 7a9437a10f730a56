import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { type CallToolResult, classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server'

/** What a tool does with its arguments. The signal says that whoever called it has given it up. */
type Work = (args: Record<string, unknown>, signal: AbortSignal) => string | Promise<string>

type Call = { tool: string; args: Record<string, unknown>; state: 'running' | 'answered' | 'cancelled' }

type Options = {
  /** All tools there are, by name; `shown` are those that are there at first, where that is not all of them. */
  tools: Record<string, Work>
  shown?: string[]
  token: string
}

/** How long a change waits for the client to list its tools again. */
const LISTED_MS = 2000
/** A list that is on its way is not overtaken by the answer of the call that changed it. */
const ON_ITS_WAY_MS = 20

export type Peripheral = Awaited<ReturnType<typeof startPeripheral>>

/**
 * A little MCP server on the loopback that lets in whoever has the token, in both eras as the door of the house does it:
 * its tools can be changed at any time, also by one of them, which is a hop.
 */
export const startPeripheral = async ({ tools, shown: first = Object.keys(tools), token }: Options) => {
  let shown = first
  const calls: Call[] = []
  const requests: string[] = []
  const waiting = new Set<() => void>()
  const sessions = new Map<string, { server: Server; transport: NodeStreamableHTTPServerTransport }>()

  const call = async (name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> => {
    const work = shown.includes(name) ? tools[name] : undefined
    if (!work) return { content: [{ type: 'text', text: `there is no ${name} here` }], isError: true }
    const entry: Call = { tool: name, args, state: 'running' }
    calls.push(entry)
    const cancelled = (): void => {
      entry.state = 'cancelled'
    }
    signal.addEventListener('abort', cancelled)
    const text = await work(args, signal)
    signal.removeEventListener('abort', cancelled)
    if (entry.state === 'running') entry.state = 'answered'
    return { content: [{ type: 'text', text }] }
  }

  const build = (): Server => {
    const server = new Server(
      { name: 'peripheral', version: '0.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    )
    server.setRequestHandler('tools/list', () => {
      for (const done of [...waiting]) setTimeout(done, ON_ITS_WAY_MS)
      return { tools: shown.map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })) }
    })
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      call(params.name, params.arguments ?? {}, mcpReq.signal),
    )
    return server
  }

  const modern = createMcpHandler(build, { legacy: 'reject' })
  const serveModern = toNodeHandler(modern)

  const begin = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const id = randomUUID()
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    const server = build()
    sessions.set(id, { server, transport })
    await server.connect(transport)
    return transport
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end()
    const body = request.method === 'POST' ? await json(request) : undefined
    requests.push((body as { method?: string } | undefined)?.method ?? request.method ?? '')
    if (!isLegacy(request, body)) return serveModern(request as Parameters<typeof serveModern>[0], response, body)
    const id = request.headers['mcp-session-id']
    const transport = id === undefined ? await begin() : sessions.get(String(id))?.transport
    if (!transport) return void response.writeHead(404).end()
    await transport.handleRequest(request, response, body)
  }

  const http = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

  const close = async (): Promise<void> => {
    await modern.close()
    await Promise.all([...sessions.values()].map(({ server }) => server.close()))
    await new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  }

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    token,
    /** The calls it had, in order, and what became of them. */
    calls,
    /** The methods it was asked for, in order. */
    requests,
    /** Shows other tools from now on, tells whoever listens, and waits until they were listed again, or for a while. */
    setTools: async (names: string[]): Promise<void> => {
      shown = names
      const listed = new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        const timer = setTimeout(done, LISTED_MS)
        waiting.add(done)
      })
      modern.notify.toolsChanged()
      await Promise.all([...sessions.values()].map(({ server }) => server.sendToolListChanged().catch(() => {})))
      await listed
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A tool that goes on until it is let go or given up. */
export const holding = (): { work: Work; letGo: (text: string) => void } => {
  const held = new Set<(text: string) => void>()
  return {
    work: (_args, signal) =>
      new Promise((resolve) => {
        const done = (text: string): void => {
          held.delete(done)
          resolve(text)
        }
        held.add(done)
        signal.addEventListener('abort', () => done('given up'), { once: true })
      }),
    letGo: (text) => {
      for (const done of [...held]) done(text)
    },
  }
}

const isLegacy = ({ method = '', headers }: IncomingMessage, body: unknown): boolean => {
  const version = headers['mcp-protocol-version']
  const { kind } = classifyInboundRequest({
    httpMethod: method,
    body,
    ...(typeof version === 'string' ? { protocolVersionHeader: version } : {}),
  })
  return kind === 'legacy'
}
