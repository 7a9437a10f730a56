import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openStore } from '../../src/evidence/store.ts'
import { hashOfToken, mintToken, newToken, revokeToken } from '../../src/evidence/tokens.ts'
import { doorway } from '../../src/house/doors.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { mcpHouse } from '../../src/house/mcp.ts'
import { openParts, type Settings } from '../../src/house/parts.ts'
import { openSeats } from '../../src/house/seats.ts'
import { createSocial } from '../../src/house/social.ts'
import { startWorker } from '../../src/house/worker.ts'
import { createMcpDoor } from '../../src/mcp/door.ts'
import type { Extend, McpHouse, McpLimits } from '../../src/mcp/house.ts'
import type { AgentGrant, Grant } from '../../src/shapes/principal.ts'
import { scratch } from '../support/folder.ts'
import { agentGrant } from '../support/grant.ts'
import { startTestRedis } from '../support/redis.ts'
import { ADA, must } from '../support/store.ts'
import { slowRipgrep } from '../support/workspace.ts'

export type TestMcp = Awaited<ReturnType<typeof startMcpHouse>>

type Options = { limits?: Partial<McpLimits>; extend?: Extend; config?: string; worker?: boolean }

const CONFIG = `
rooms:
  - { id: lobby, faces: [web, terminal, cli, api], mode: execute, listener: null }
  - { id: quiet, faces: [terminal, cli, api], mode: execute, listener: null }
sweepMs: 100
`

/** The real parts of an instance, its worker, and the MCP door on a server of its own. */
export const startMcpHouse = async ({ limits = {}, extend, config = '', worker = true }: Options = {}) => {
  const data = scratch()
  const workspace = scratch()
  const programs = scratch()
  workspace.write('README.md', '# teapot\n\nIt pours.\n')
  workspace.write('src/pour.ts', 'export const pour = () => 42 // TODO: sugar\n')
  const redis = await startTestRedis()
  const ripgrep = slowRipgrep(programs)
  const settings: Settings = {
    root: new URL('../..', import.meta.url).pathname,
    version: '0.0.0-test',
    data: data.path,
    workspace: workspace.path,
    configFile: data.write('test.yaml', `${CONFIG}${config}`),
    host: '127.0.0.1',
    port: 0,
    redis: redis.address,
    evidence: null,
    verbose: false,
    path: ripgrep.path,
  }
  const parts = await openParts(settings, 'gateway')
  const hand = worker ? await startWorker(settings) : null
  const social = createSocial(parts, () => false)
  const way = doorway(parts, social, openSeats(parts, social))
  const logged: string[] = []
  const own = mcpHouse(parts, social, way)
  const house: McpHouse = {
    ...own,
    limits: { ...own.limits, ...limits },
    log: (message, fields) => void logged.push(JSON.stringify({ message, ...fields })),
    ...(extend ? { extend } : {}),
  }
  const door = createMcpDoor(house)
  const server = createServer((request, response) => void door.answer(request, response))
  const ports = new Set<number | undefined>()
  server.on('connection', (socket) => {
    const { remotePort } = socket
    ports.add(remotePort)
    socket.once('close', () => ports.delete(remotePort))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  // A connection of the test's own: what is written by it is another process's, to the door.
  const store = await openStore({
    url: folderAt(data.path).store,
    clock: parts.clock,
    committed: () => void redis.redis.publish(`${parts.prefix}:live`, ''),
  })
  const mint = async (grant: Grant, expires: string | null = null): Promise<string> => {
    const token = newToken()
    must(await mintToken(store, { hash: hashOfToken(token), grant, label: 'a test', expires }, ADA))
    return token
  }
  return {
    url,
    house,
    door,
    parts,
    settings,
    store,
    way,
    logged,
    /** Whether a connection from this port is open, as the server sees it. */
    isOpen: (port: number | undefined) => ports.has(port),
    ripgrep,
    workspace,
    tokens: secretsOf(folderAt(data.path)),
    mint,
    /** A token of an agent; a test says what is different from the usual. */
    agent: (part: Partial<AgentGrant> = {}) => mint(agentGrant(part)),
    person: (name: string, role: 'viewer' | 'operator' | 'approver' | 'admin') => mint({ kind: 'person', name, role }),
    revoke: async (token: string): Promise<void> =>
      void must(await revokeToken(store, { token: hashOfToken(token).slice(0, 12), why: 'a test' }, ADA)),
    principal: async (token: string) => must(await way.admitToken(token, 'mcp')),
    /** What the gate and the door refused, as evidence: [who was refused, what was said]. */
    refusals: async (): Promise<[string, string][]> => {
      const { entries } = must(await store.query({ order: 'oldest', limit: 1000 }))
      return entries.flatMap(({ body, author }): [string, string][] =>
        body.event === 'step-refused' || body.event === 'refused' ? [[author.id, body.refusal.message]] : [],
      )
    },
    [Symbol.asyncDispose]: async () => {
      await door.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      way.feed.close()
      await hand?.stop()
      await parts.close()
      await store.close()
      await redis[Symbol.asyncDispose]()
      for (const folder of [data, workspace, programs]) folder[Symbol.dispose]()
    },
  }
}
