import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { Client } from 'pg'
import { eventually } from './poll.ts'

export type Postgres = {
  /** The URL of a fresh schema. Advisory locks and notifications know no schemas: they are the whole server's. */
  database: () => Promise<string>
  /** A power cut: all its processes end at once, and none gets to do anything about it. */
  kill: () => Promise<void>
  /** Kills it if it runs, starts it on the same data, and waits until it has recovered. */
  restart: () => Promise<void>
} & AsyncDisposable

/** A real PostgreSQL on a private socket, as durable as it comes: `await using server = await startPostgres()`. */
export const startPostgres = async (): Promise<Postgres> => {
  if (typeof server === 'string') throw new Error(server)
  // Not in the TMPDIR: the path of a socket has to be short, and within reach of the server's user.
  const folder = mkdtempSync('/tmp/bellhop-postgres-')
  if (server.owner) chownSync(folder, server.owner.uid, server.owner.gid)
  const keeper = startKeeper(server, folder)
  const start = async () => {
    keeper.stdin.write('start\n')
    await eventually('PostgreSQL to answer', () => {
      if (keeper.exitCode !== null) throw new Error('initdb failed')
      return answers(folder)
    })
  }
  const hangUp = () => keeper.stdin.end()
  process.once('disconnect', hangUp) // vitest is gone: its worker may live on, and wait for a test that hangs
  const end = async () => {
    process.off('disconnect', hangUp)
    hangUp()
    return await keeper
  }
  await start().catch(async (cause) => {
    throw new Error(`PostgreSQL does not start: ${(await end()).stderr}`, { cause })
  })
  let schemas = 0
  const kill = () => cutPower(join(folder, 'data/postmaster.pid'))
  return {
    database: async () => {
      schemas += 1
      const schema = `schema_${schemas}`
      await query(folder, `create schema ${schema}`)
      return `${address(folder)}&options=${encodeURIComponent(`-c search_path=${schema}`)}`
    },
    kill,
    restart: async () => {
      await kill()
      await start()
    },
    [Symbol.asyncDispose]: async () => {
      await end()
    },
  }
}

type Server = { bin: string; owner: { uid: number; gid: number } | null }

/** The newest of Debian's versions, which are not on the PATH, or else the one that is; or why there is none. */
const findServer = (): Server | string => {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  const bin = folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))))
  if (bin === undefined) return 'PostgreSQL is not installed: `./bellhop test` does it'
  if (process.getuid?.() !== 0) return { bin, owner: null }
  // It refuses to run as root, and its package brings a user for it.
  const user = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (!user) return 'PostgreSQL does not run as root, and there is no user postgres here'
  return { bin, owner: { uid: Number(user[1]), gid: Number(user[2]) } }
}

const server = findServer()

/** Why tests on PostgreSQL cannot run here, or null: `describe.skipIf(postgresMissing)`. */
export const postgresMissing: string | null = typeof server === 'string' ? server : null

/**
 * Every line of its input starts the server. The end of the input, which comes also when we are killed, ends the server
 * and takes away what there was of it: in the folder and, where it was killed, in the kernel.
 */
const KEEPER = `
bin=$1 folder=$2
trap 'rm -rf "$folder"' EXIT
"$bin/initdb" -D "$folder/data" -U bellhop -A trust -E UTF8 --locale=C --no-sync >/dev/null || exit
while read -r _; do
  wait # for the one that was killed: as long as it is not buried, its lock holds
  "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c max_connections=60 \\
    -c shared_buffers=32MB -c dynamic_shared_memory_type=mmap &
done
kill -QUIT $! 2>/dev/null
wait
segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid" 2>/dev/null)
[ -z "$segment" ] || ipcrm -m "$segment"
`

const startKeeper = ({ bin, owner }: Server, folder: string) =>
  execa('sh', ['-c', KEEPER, 'keeper', bin, folder], {
    ...owner,
    cwd: folder,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'ignore',
    // Its own process group: a Ctrl-C in the terminal is not for the keeper, which has to outlive us.
    detached: true,
    cleanup: false,
    reject: false,
  })

/** A host for those who parse URLs; the parameter, which goes before it, is for those who connect. */
const address = (folder: string): string => `postgres://bellhop@localhost/postgres?host=${encodeURIComponent(folder)}`

const query = async (folder: string, sql: string): Promise<void> => {
  const client = new Client(address(folder))
  client.on('error', () => {}) // a connection that is lost fails what waits for it, and that is enough
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

const answers = (folder: string): Promise<boolean> =>
  query(folder, 'select 1').then(
    () => true,
    () => false,
  )

/** Its processes are not of one group. The first of them is stopped, so that it neither notices nor starts another. */
const cutPower = async (pidFile: string): Promise<void> => {
  if (!existsSync(pidFile)) return
  const first = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  if (isDead(first)) return
  process.kill(first, 'SIGSTOP')
  await eventually('PostgreSQL to stand still', () => stateOf(first) === 'T')
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ').map(Number)
  const all = [...children, first]
  for (const pid of all) process.kill(pid, 'SIGKILL')
  await eventually('PostgreSQL to be dead', () => all.every(isDead))
}

const isDead = (pid: number): boolean => ['Z', 'X', null].includes(stateOf(pid))

/** The kernel's letter for what a process is doing: T is stopped, Z is dead but not buried, null is gone. */
const stateOf = (pid: number): string | null => {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}
