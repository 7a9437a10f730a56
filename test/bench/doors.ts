import { join } from 'node:path'
import { execaNode } from 'execa'
import { createClient } from '../../src/client/client.ts'
import { hashOfToken, newToken } from '../../src/evidence/tokens.ts'
import { scratch } from '../support/folder.ts'
import { startUp } from '../support/instance.ts'
import { must } from '../support/store.ts'
import { type Bench, measure, type Row } from './report.ts'

const CALLS = { 1: 400, 64: 1600 } as const
type AtOnce = keyof typeof CALLS

/** Where calls go: how one is made in each era of the protocol. */
type Target = { modern: string; legacy: string; token: string; tool: string }

/** A wall with steps enough for a bench: nothing else about it is special. */
const WALL = `
id: bench
purpose: read, again and again
tools: [read]
modes: [execute]
role: operator
entry: [user-request]
limits: { stepsPerTurn: 1000000, stepsPerSession: 1000000, outputPerTurn: 1000000000, outputBytes: 65536, outputLines: 2000, seconds: 30 }
examples:
  allowed: [{ tool: read, args: { path: README.md }, why: it reads }]
  refused: [{ tool: write, args: { path: README.md, content: x }, why: it writes nothing }]
`

/**
 * An MCP tool call through the whole path (admission, gate, queue, two durable entries) against what the SDK does by itself,
 * in the same era of the protocol and with as many calls under way.
 */
export const mcpCalls = async (): Promise<Bench[]> => {
  using workspace = scratch()
  workspace.write('README.md', '# teapot\n')
  using settings = scratch()
  settings.write('peripherals/bench.yaml', WALL)
  const config = settings.write('bench.yaml', 'sweepMs: 1000\n')
  await using instance = await startUp({ workspace: workspace.path, args: ['--config', config] })
  const admin = createClient({ url: instance.url, token: instance.secrets.admin })
  const token = newToken()
  must(await admin.command('mint', { hash: hashOfToken(token), agent: 'bench', peripheral: 'bench' }))
  const url = new URL('/mcp', instance.url).href
  const whole = { modern: url, legacy: url, token, tool: 'read' }

  await using bare = await startBare()
  const benches: Bench[] = []
  for (const era of ['modern', 'legacy'] as const) {
    for (const atOnce of [1, 64] as const) {
      const target = atOnce === 1 ? 3 : 4
      const baseline = `the bare SDK's echo, ${atOnce} under way`
      const name = `a tool call through the whole path (target: under ${target})`
      const rows: Row[] = [await callMany(baseline, era, atOnce, bare.target), await callMany(name, era, atOnce, whole)]
      const revision = era === 'modern' ? '2026-07-28' : '2025-11-25, in a session'
      benches.push({ title: `MCP, ${revision}`, baseline, rows })
    }
  }
  return benches
}

const startBare = async () => {
  const child = execaNode(join(import.meta.dirname, 'bare-mcp.ts'), {
    nodeOptions: ['--import', 'tsx'],
    ipc: true,
    reject: false,
  })
  const port = Number(await child.getOneMessage())
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  return {
    target: { modern: at('/modern'), legacy: at('/legacy'), token: '', tool: 'echo' },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child
    },
  }
}

const callMany = async (name: string, era: 'modern' | 'legacy', atOnce: AtOnce, target: Target): Promise<Row> => {
  const call = era === 'modern' ? modernCall(target) : await legacyCall(target)
  await measure('warm up', 50, 4, call)
  return measure(name, CALLS[atOnce], atOnce, call)
}

const ARGS = { path: 'README.md' }

const modernCall =
  ({ modern, token, tool }: Target) =>
  (i: number): Promise<void> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: tool, arguments: ARGS, _meta: meta }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool }
    return post(modern, token, { jsonrpc: '2.0', id: i, method: 'tools/call', params }, headers)
  }

const legacyCall = async ({ legacy, token, tool }: Target): Promise<(i: number) => Promise<void>> => {
  const version = '2025-11-25'
  const hello = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'bench', version: '0' } }
  const opened = await fetch(legacy, {
    method: 'POST',
    headers: headersOf(token),
    body: JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello }),
  })
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': version }
  await fetch(legacy, {
    method: 'POST',
    headers: { ...headersOf(token), ...session },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  }).then((response) => response.text())
  const params = { name: tool, arguments: ARGS }
  return (i) => post(legacy, token, { jsonrpc: '2.0', id: i, method: 'tools/call', params }, session)
}

const headersOf = (token: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
})

const post = async (url: string, token: string, body: object, headers: Record<string, string>): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headersOf(token), ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok || !text.includes('"content"') || text.includes('"isError":true'))
    throw new Error(`a call was answered ${response.status}: ${text.slice(0, 300)}`)
}
