import { createServer } from 'node:net'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { folderAt, openFolder, secretsOf } from '../../src/house/folder.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { startPostgres } from '../support/postgres.ts'
import { type Chance, chanceOf } from './chance.ts'
import { type Member, startMember } from './member.ts'
import { overTcp, socketOf, startProxy } from './proxy.ts'
import { startDrillRedis } from './redis.ts'
import { drillWorkspace } from './work.ts'

export type Part = 'gateway' | 'worker' | 'bridge'

type Options = {
  gateways?: number
  workers?: number
  bridges?: number
  /** Where the evidence is: in the data folder, or on a server of its own. */
  evidence?: 'sqlite' | 'postgres'
  /** Whether what goes to Redis and to PostgreSQL goes through a network that can be broken: one for each part. */
  proxied?: boolean
  chance?: Chance
  rooms?: readonly string[]
  agents?: readonly ({ id: string } & Record<string, unknown>)[]
  config?: Record<string, unknown>
  /** Where the data folder is to be; else in a folder that is gone afterwards. */
  data?: string
  /** What a part is started with, and through. */
  env?: (part: Part, number: number) => Record<string, string>
  through?: (part: Part, number: number) => readonly string[]
}

/** Short enough that a drill of seconds sees leases lapse, long enough for a busy machine. */
export const LEASE_MS = 2000
export const SWEEP_MS = 300

const REHEARSALS = ['codex-1', 'codex-2'].map((id) => ({ id, type: 'codex', runner: 'rehearsal', peripheral: 'edit' }))

export type House = Awaited<ReturnType<typeof startHouse>>

/**
 * A house of real processes: a Redis, a store, gateways, workers and bridges of the built program, on one data folder and one
 * workspace, each of which can be hurt by itself.
 */
export const startHouse = async (options: Options = {}) => {
  const { gateways = 1, workers = 1, bridges = 0, evidence = 'sqlite', proxied = false, rooms = ['lobby'] } = options
  const { agents = REHEARSALS, chance = chanceOf(), env = () => ({}), through = () => [] } = options
  const folder = scratch()
  const workspace = drillWorkspace()
  const data = options.data ?? join(folder.path, 'data')
  // Made before anybody starts, as `bellhop up` does.
  const secrets = secretsOf(openFolder(data))
  const redis = await startDrillRedis(folder.path)
  const postgres = evidence === 'postgres' ? await startPostgres() : null
  const store = postgres ? await postgres.database() : null
  const config = folder.write('house.json', JSON.stringify(configOf(rooms, { agents, ...options.config })))

  const networks = async (part: Part) => ({
    redis: proxied ? await startProxy({ path: redis.path }, chance) : null,
    postgres: proxied && store ? await startProxy({ path: socketOf(store) }, chance) : null,
    part,
  })
  const nets = {
    gateway: await networks('gateway'),
    worker: await networks('worker'),
    bridge: await networks('bridge'),
  }

  const start = async (part: Part, number: number, port: number | null): Promise<Member> => {
    const net = nets[part]
    return startMember({
      name: `${part} ${number}`,
      args: [
        ...[part, '--data', data, '--workspace', workspace.path, '--config', config],
        ...(port === null ? [] : ['--port', String(port)]),
      ],
      env: {
        REDIS_URL: net.redis ? `redis://127.0.0.1:${net.redis.port}` : redis.path,
        ...(store ? { BELLHOP_EVIDENCE: net.postgres ? overTcp(store, net.postgres.port) : store } : {}),
        ...env(part, number),
      },
      through: through(part, number),
    })
  }

  const ports = await Promise.all(Array.from({ length: gateways }, freePort))
  const [doors, benches, spans] = await Promise.all([
    Promise.all(ports.map((port, i) => start('gateway', i, port))),
    Promise.all(Array.from({ length: workers }, (_, i) => start('worker', i, null))),
    Promise.all(Array.from({ length: bridges }, (_, i) => start('bridge', i, null))),
  ])
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const members = [...doors, ...benches, ...spans]
  const client = createClient({ url: urls[0] ?? '', token: secrets.admin, face: 'cli' })

  const house = {
    data,
    workspace: workspace.path,
    rooms,
    agents: agents.map(({ id }) => id),
    secrets,
    redis,
    postgres,
    nets,
    gateways: doors,
    workers: benches,
    bridges: spans,
    members,
    urls,
    client,
    /** One more, as somebody would start who misses one. */
    addWorker: async (): Promise<void> => {
      const member = await start('worker', benches.length, null)
      benches.push(member)
      members.push(member)
    },
    /** Where the evidence is, for those who come by no network of the drill's. */
    store: store ?? folderAt(data).store,
    /** Waits until every agent is ready, as everybody is told. */
    untilReady: (ms = 60_000) =>
      eventually(
        'all agents to be ready',
        async () => {
          const who = await client.ask('who').catch(() => null)
          const ready = who?.ok ? who.value.agents.filter(({ readiness }) => readiness === 'ready') : []
          return agents.every(({ id }) => ready.some((agent) => agent.id === id))
        },
        ms,
      ),
    /** Waits until nothing is left to be done, for as long as it gets less. */
    untilQuiet: async (ms = 180_000): Promise<void> => {
      const left = async (): Promise<number | null> => {
        const status = await client.ask('status').catch(() => null)
        return status?.ok ? status.value.turns.length : null
      }
      for (let before = Number.POSITIVE_INFINITY; before > 0; ) {
        const waits = before
        before = await eventually(
          `less to be left than ${waits}`,
          async () => {
            const now = await left()
            return now !== null && now < waits && { now }
          },
          ms,
        ).then(({ now }) => now)
      }
    },
    /** Whether all that is written is sound; what is not is said, as it is gone with the house. */
    verify: async (): Promise<boolean> => {
      const env = store ? { BELLHOP_EVIDENCE: store } : {}
      const { exitCode, stdout, stderr } = await bellhop(['verify', '--all', '--data', data], { env })
      if (exitCode !== 0) process.stdout.write(`  wrong: verify ended with ${exitCode}\n${stdout}\n${stderr}\n`)
      return exitCode === 0
    },
    [Symbol.asyncDispose]: async () => {
      for (const member of members) await member.kill()
      for (const net of Object.values(nets)) await Promise.all([net.redis?.close(), net.postgres?.close()])
      await redis.kill()
      await postgres?.[Symbol.asyncDispose]()
      workspace[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
  await house.untilReady()
  return house
}

const configOf = (rooms: readonly string[], rest: Record<string, unknown>) => ({
  rooms: rooms.map((id) => ({ id, faces: ['web', 'terminal', 'cli', 'api'], mode: 'execute', listener: null })),
  lease: { ms: LEASE_MS, heartbeatMs: 400 },
  sweepMs: SWEEP_MS,
  drainMs: 2000,
  tickle: { on: false },
  doors: { requestsAtOnce: 10_000, requestsPerSecond: 10_000 },
  ...rest,
})

const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => found(typeof address === 'object' && address ? address.port : 0))
    })
  })
