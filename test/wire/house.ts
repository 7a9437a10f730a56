import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { hashOfToken, mintToken, newToken, revokeToken } from '../../src/evidence/tokens.ts'
import { agentsDoor } from '../../src/house/agents-door.ts'
import { doorway } from '../../src/house/doors.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { openParts, type Settings } from '../../src/house/parts.ts'
import { endLapsed, openSeats } from '../../src/house/seats.ts'
import { openServer } from '../../src/house/server.ts'
import { createSocial } from '../../src/house/social.ts'
import { startSweep } from '../../src/house/sweep.ts'
import { startWorker } from '../../src/house/worker.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { AgentGrant } from '../../src/shapes/principal.ts'
import { receive } from '../../src/social/pipeline.ts'
import type { Limits } from '../../src/wire/house.ts'
import { scratch } from '../support/folder.ts'
import { agentGrant } from '../support/grant.ts'
import { startTestRedis } from '../support/redis.ts'
import { must } from '../support/store.ts'

const ADA = { kind: 'person', id: 'ada', face: 'cli', via: null } as const

type Options = {
  worker?: boolean
  limits?: Partial<Limits>
  lease?: { ms: number; heartbeatMs: number }
  sweepMs?: number
}

export type WireHouse = Awaited<ReturnType<typeof startWireHouse>>

/** A gateway with the door for agents and nothing else, and a worker, on folders and a Redis of their own. */
export const startWireHouse = async ({ worker = true, limits = {}, lease, sweepMs = 100 }: Options = {}) => {
  const data = scratch()
  const workspace = scratch()
  workspace.write('README.md', '# teapot\n\nIt pours.\n')
  workspace.write('src/pour.ts', 'export const pour = () => 42\n')
  const programs = scratch()
  const grep = slowGrep(programs)
  const redis = await startTestRedis()
  const { ms, heartbeatMs } = lease ?? { ms: 6000, heartbeatMs: 500 }
  const config = `
rooms: [{ id: lobby, faces: [cli, api], mode: execute, listener: null }]
lease: { ms: ${ms}, heartbeatMs: ${heartbeatMs} }
sweepMs: ${sweepMs}
drainMs: 600000
`
  const settings: Settings = {
    root: join(import.meta.dirname, '../..'),
    version: '0.0.0-test',
    data: data.path,
    workspace: workspace.path,
    configFile: data.write('test.yaml', config),
    host: '127.0.0.1',
    port: 0,
    redis: redis.address,
    evidence: null,
    verbose: false,
    path: `${programs.path}:${PATH}`,
  }
  const store = await openStore({ url: folderAt(data.path).store, clock: systemClock })
  let gateway = await openGateway(settings, limits)
  const url = gateway.url.replace(/^http/, 'ws')
  let hand = worker ? await startWorker(settings) : null
  const secrets = secretsOf(folderAt(data.path))
  const stopWorker = async (): Promise<void> => {
    await hand?.stop()
    hand = null
  }
  let said = 0
  return {
    url: `${url}/agents`,
    settings,
    secrets,
    redis,
    store,
    /** The tool `grep`, as slow as a test wants it. */
    grep,
    gateway: () => gateway,
    /** Makes a token for an agent, as an admin would. */
    mint: (part: Partial<AgentGrant> = {}) => mint(store, agentGrant(part)),
    revoke: async (token: string): Promise<void> => {
      must(await revokeToken(store, { token: hashOfToken(token).slice(0, 12), why: 'lost' }, ADA))
    },
    /** Says something in the lobby, as a person. */
    say: async (text: string, id = `said-${++said}`) =>
      must(
        await receive(
          { id, face: 'cli', room: 'lobby', text, credential: { token: secrets.admin, as: null } },
          gateway.social,
        ),
      ),
    restart: async (): Promise<void> => {
      await gateway.stop()
      gateway = await openGateway({ ...settings, port: Number(new URL(url).port) }, limits)
    },
    stopWorker,
    [Symbol.asyncDispose]: async () => {
      grep.release()
      await stopWorker()
      await gateway.stop()
      await store.close()
      await redis[Symbol.asyncDispose]()
      data[Symbol.dispose]()
      workspace[Symbol.dispose]()
      programs[Symbol.dispose]()
    },
  }
}

const PATH = process.env['PATH'] ?? '/usr/bin:/bin'

/** A ripgrep that counts how often it is run, and waits for as long as it is told to. */
const slowGrep = (folder: ReturnType<typeof scratch>) => {
  const [runs, hold] = [join(folder.path, 'runs'), join(folder.path, 'hold')]
  const script = `#!/bin/sh\nPATH='${PATH}'\necho run >> '${runs}'\nwhile [ -e '${hold}' ]; do sleep 0.02; done\nexec rg "$@"\n`
  chmodSync(folder.write('rg', script), 0o755)
  return {
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n').length : 0),
    hold: () => writeFileSync(hold, ''),
    release: () => rmSync(hold, { force: true }),
  }
}

const mint = async (store: Store, grant: AgentGrant): Promise<string> => {
  const token = newToken()
  must(await mintToken(store, { hash: hashOfToken(token), grant, label: 'a test', expires: null }, ADA))
  return token
}

const openGateway = async (settings: Settings, limits: Partial<Limits>) => {
  const parts = await openParts(settings, 'gateway')
  const social = createSocial(parts, () => false)
  const seated = openSeats(parts, social)
  const way = doorway(parts, social, seated)
  const door = agentsDoor(parts, social, way, limits)
  const server = await openServer({
    answer: (_request, response) => void response.writeHead(404).end(),
    doors: [door],
    host: '127.0.0.1',
    port: settings.port ?? 0,
    log: () => {},
  })
  const sweep = startSweep(parts, () => endLapsed(parts, seated))
  return {
    url: server.url,
    parts,
    social,
    connections: door.connections,
    stop: async (): Promise<void> => {
      await sweep.stop()
      await server.close(1000)
      way.feed.close()
      await parts.close()
    },
  }
}
