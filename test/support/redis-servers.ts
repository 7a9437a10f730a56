import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { Redis } from 'ioredis'
import { scratch } from './folder.ts'
import { eventually } from './poll.ts'

export type Servers = {
  address: string
  /** Each server by the port it is on. */
  ports: number[]
  /** Ends one at once, as a power cut would, or all of them. */
  kill: (port?: number) => Promise<void>
  /** Starts those again that were killed, with nothing in them. */
  start: () => Promise<void>
} & AsyncDisposable

const portsHeld = async (count: number): Promise<number[]> => {
  const held = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  const ports = held.map((server) => (server.address() as { port: number }).port)
  await Promise.all(held.map((server) => new Promise((done) => server.close(done))))
  return ports
}

type Run = { folder: string; port: number; args: readonly string[]; program?: string }

const run = ({ folder, port, args, program = 'redis-server' }: Run) =>
  execa(program, [...args, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder], { reject: false })

/** One command to one server, over a connection of its own; null while it does not answer. */
const tell = async (port: number, ...[name = '', ...args]: string[]): Promise<unknown> => {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return await redis.call(name, ...args)
  } catch {
    return null
  } finally {
    redis.disconnect()
  }
}

/** A real cluster of three servers: `await using cluster = await startCluster()`. */
export const startCluster = async (): Promise<Servers> => {
  const folder = scratch()
  const [a = 0, b = 0, c = 0, ...buses] = await portsHeld(6)
  const ports = [a, b, c]
  const args = (i: number) => [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${i}.conf`, '--cluster-node-timeout', '1000'],
    ...['--cluster-port', String(buses[i]), '--save', ''],
  ]
  const launch = (i: number) => run({ folder: folder.path, port: ports[i] ?? 0, args: args(i) })
  const children = new Map(ports.map((port, i) => [port, launch(i)]))
  const answers = () =>
    eventually('the servers to answer', async () => (await all('PING')).every((it) => it === 'PONG'))
  const all = (...command: string[]) => Promise.all(ports.map((port) => tell(port, ...command)))
  const whole = () =>
    eventually('the cluster to be whole', async () =>
      (await all('CLUSTER', 'INFO')).every((info) => /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(info))),
    )
  await answers()
  for (const [i, [from, to]] of [
    [0, 5461],
    [5462, 10_922],
    [10_923, 16_383],
  ].entries())
    await tell(ports[i] ?? 0, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
  for (const i of [1, 2]) await tell(a, 'CLUSTER', 'MEET', '127.0.0.1', String(ports[i]), String(buses[i]))
  await whole()
  const kill = async (which?: number) => {
    for (const [port, child] of children) {
      if (which !== undefined && which !== port) continue
      child.kill('SIGKILL')
      await child
    }
  }
  return {
    address: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    ports,
    kill,
    start: async () => {
      for (const [i, port] of ports.entries())
        if (children.get(port)?.exitCode !== null || children.get(port)?.killed) children.set(port, launch(i))
      await answers()
      await whole()
    },
    [Symbol.asyncDispose]: async () => {
      await kill()
      folder[Symbol.dispose]()
    },
  }
}

/** A master with a replica, and three Sentinels that watch over them. The first of the ports is the master's. */
export const startSentinels = async (password: string): Promise<Servers & { master: () => Promise<number> }> => {
  const folder = scratch()
  const ports = await portsHeld(5)
  const [master = 0, replica = 0, ...sentinels] = ports
  const secured = ['--requirepass', password, '--masterauth', password, '--save', '', '--appendonly', 'no']
  const quick = ['--repl-diskless-sync-delay', '0', '--min-replicas-to-write', '0']
  const children = new Map([
    [master, run({ folder: folder.path, port: master, args: [...secured, ...quick] })],
    [
      replica,
      run({ folder: folder.path, port: replica, args: [...secured, ...quick, '--replicaof', `127.0.0.1 ${master}`] }),
    ],
  ])
  for (const port of sentinels) {
    const file = folder.write(
      `sentinel-${port}.conf`,
      [
        `sentinel monitor desk 127.0.0.1 ${master} 2`,
        `sentinel auth-pass desk ${password}`,
        'sentinel down-after-milliseconds desk 1000',
        'sentinel failover-timeout desk 3000',
        '',
      ].join('\n'),
    )
    children.set(port, run({ folder: folder.path, port, args: [file, '--sentinel'] }))
  }
  const master0 = async (): Promise<number> => {
    const found = (await tell(sentinels[0] ?? 0, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'desk')) as string[] | null
    return Number(found?.[1] ?? 0)
  }
  const seen = async () =>
    (await Promise.all(sentinels.map((port) => tell(port, 'SENTINEL', 'MASTER', 'desk')))).map((it) => String(it))
  await eventually('the Sentinels to know all there are', async () =>
    (await seen()).every((it) => it.includes('num-slaves,1,') && it.includes('num-other-sentinels,2,')),
  )
  return {
    address: `redis+sentinel://:${encodeURIComponent(password)}@${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/desk`,
    ports,
    master: master0,
    kill: async (which) => {
      for (const [port, child] of children) {
        if (which !== undefined && which !== port) continue
        child.kill('SIGKILL')
        await child
      }
    },
    start: async () => {},
    [Symbol.asyncDispose]: async () => {
      for (const child of children.values()) {
        child.kill('SIGKILL')
        await child
      }
      folder[Symbol.dispose]()
    },
  }
}

/** One server that is reached by TLS alone, with a password, and with a certificate of a CA of its own. */
export const startTlsRedis = async (password: string) => {
  const folder = scratch()
  const openssl = (...args: string[]) => execa('openssl', args, { cwd: folder.path })
  await openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=bellhop test',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  await openssl(
    'req',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
  )
  folder.write('names', 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  await openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'names',
    '-out',
    'server.pem',
  )
  const [port = 0] = await portsHeld(1)
  const at = (name: string) => join(folder.path, name)
  const child = execa(
    'redis-server',
    [
      ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.path],
      ...['--tls-cert-file', at('server.pem'), '--tls-key-file', at('server.key'), '--tls-ca-cert-file', at('ca.pem')],
      ...['--tls-auth-clients', 'no', '--requirepass', password],
    ],
    { reject: false },
  )
  return {
    address: `rediss://:${encodeURIComponent(password)}@localhost:${port}/2`,
    ca: at('ca.pem'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child
      folder[Symbol.dispose]()
    },
  }
}
