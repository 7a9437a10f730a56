import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What the SDK does by itself: one tool that says back what it is told. In a process of its own, as the gateway is. */
const build = (): McpServer => {
  const server = new McpServer({ name: 'bare', version: '0.0.0' })
  server.registerTool('echo', { inputSchema: z.object({ path: z.string() }) }, async ({ path }) => ({
    content: [{ type: 'text', text: path }],
  }))
  return server
}

const modern = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }))
const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

const legacy = async (): Promise<NodeStreamableHTTPServerTransport> => {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    },
  })
  await build().connect(transport)
  return transport
}

const server = createServer(async (request, response) => {
  if (request.url === '/modern') return modern(request as never, response)
  const known = sessions.get(String(request.headers['mcp-session-id'] ?? ''))
  await (known ?? (await legacy())).handleRequest(request, response)
})

server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('disconnect', () => process.exit())
