import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { ircPerson, type Person } from './irc-person.ts'
import { eventually } from './poll.ts'

type Options = {
  /** Its name on the network. */
  name?: string
  /** How long a nick may be; nine is ngIRCd's own default. */
  nickLength?: number
  /** The most seconds that one command can cost; 0 is no flood control at all, and no limit is ngIRCd's own default. */
  penaltySeconds?: number
  /** What every client has to send (PASS). */
  password?: string | null
  /** Further sections of its configuration. */
  config?: string
}

/** A server that runs. */
export type IrcServer = {
  host: string
  port: number
  /** Who may kill clients and split servers, by OPER. */
  operator: { name: string; password: string }
  /** Ends it at once, and leaves it down. */
  kill: () => Promise<void>
  /** Ends it in order if it runs, and brings it back on the same port. */
  restart: () => Promise<void>
  /** Ends it for good. */
  stop: () => Promise<void>
} & AsyncDisposable

export type Ngircd = IrcServer & { name: string; password: string | null }

export const HOST = '127.0.0.1'
export const OPERATOR = { name: 'oper', password: 'oper-secret' }

/** A real ngIRCd on the loopback, run as its package's user: `await using server = await startNgircd()`. */
export const startNgircd = async ({
  password = null,
  name = 'one.test',
  ...options
}: Options = {}): Promise<Ngircd> => {
  const folder = ircFolder()
  const port = await freePort()
  const server = { host: HOST, port, name, password, operator: OPERATOR }
  const config = folder.write('ngircd.conf', configOf(server, options))
  const program = createProgram(folder.path, ['/usr/sbin/ngircd', '--nodaemon', '--config', config], async () => {
    const person = await passerby(server)
    person.cut()
    return true
  })
  const stop = async () => {
    await program.kill()
    folder[Symbol.dispose]()
  }
  await program.start().catch(async (cause) => {
    await stop()
    throw cause
  })
  return {
    ...server,
    kill: program.kill,
    restart: async () => {
      await program.stop()
      await program.start()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

export type NgircdPair = {
  one: Ngircd
  two: Ngircd
  /** Each server loses the other, and all who are on it. */
  split: () => Promise<void>
  /** They find each other again, and tell each other who is where. */
  join: () => Promise<void>
  stop: () => Promise<void>
} & AsyncDisposable

/** Two real servers of one network, without flood control. They are linked, and split only when they are told to. */
export const startNgircdPair = async ({ nickLength = 9 }: Pick<Options, 'nickLength'> = {}): Promise<NgircdPair> => {
  const options = { nickLength, penaltySeconds: 0 }
  const two = await startNgircd({ ...options, name: 'two.test', config: linkTo('one.test') })
  const one = await startNgircd({ ...options, name: 'one.test', config: linkTo('two.test', two.port) })
  const tell = async (command: string, isLinked: boolean) => {
    await using operator = await passerby(one)
    await using witness = await passerby(two)
    operator.raw(`OPER ${OPERATOR.name} ${OPERATOR.password}`)
    operator.raw(command)
    await eventually(`${command} on one`, async () => (await linksOf(operator)).includes(two.name) === isLinked)
    await eventually(`${command} on two`, async () => (await linksOf(witness)).includes(one.name) === isLinked)
  }
  const stop = async () => {
    await one.stop()
    await two.stop()
  }
  const pair = {
    one,
    two,
    split: () => tell(`SQUIT ${two.name} :split`, false),
    join: () => tell(`CONNECT ${two.name}`, true),
    stop,
    [Symbol.asyncDispose]: stop,
  }
  await pair.join()
  return pair
}

/** The servers that somebody sees. */
const linksOf = async ({ lines, raw, until }: Person): Promise<(string | undefined)[]> => {
  const since = lines.length
  raw('LINKS')
  await until(({ command }) => command === '365', 'the list of servers', since)
  return lines.slice(since).flatMap(({ command, params }) => (command === '364' ? [params[1]] : []))
}

/** One of the two knows the other's port. Neither calls of itself, as it would not wait for a test to look. */
const linkTo = (name: string, port?: number): string => `
[Server]
Name = ${name}
MyPassword = link-secret
PeerPassword = link-secret
${port === undefined ? '' : `Host = ${HOST}\nPort = ${port}\nPassive = yes`}
`

const configOf = (
  { name, port, password }: Pick<Ngircd, 'name' | 'port' | 'password'>,
  { nickLength = 9, penaltySeconds = -1, config = '' }: Options,
): string => `
[Global]
Name = ${name}
Info = a server for tests
Listen = ${HOST}
Ports = ${port}
PidFile =
MotdPhrase = a server for tests
${password === null ? '' : `Password = ${password}`}
[Limits]
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = ${nickLength}
MaxPenaltyTime = ${penaltySeconds}
[Options]
DNS = no
Ident = no
PAM = no
IncludeDir = /nonexistent
[Operator]
Name = ${OPERATOR.name}
Password = ${OPERATOR.password}
${config}`

/** Somebody with a nick that nobody else has, in nine characters. */
export const passerby = ({ host, port, password }: Pick<Ngircd, 'host' | 'port' | 'password'>): Promise<Person> =>
  ircPerson({ host, port, nick: `p${randomBytes(4).toString('hex')}`, ...(password !== null && { pass: password }) })

/** A folder within reach of the user of the servers' packages. */
export const ircFolder = () => {
  // Not in the TMPDIR, which may be ours alone.
  const path = mkdtempSync('/tmp/bellhop-irc-')
  const own = (file: string) => {
    if (USER) chownSync(file, USER.uid, USER.gid)
    return file
  }
  own(path)
  return {
    path,
    own,
    write: (name: string, text: string): string => {
      writeFileSync(join(path, name), text)
      return own(join(path, name))
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A port that is free, and not of those that the kernel gives to clients: it has to be free after a restart, too. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, HOST)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** A program of a package, as the package's user. It is ended by the kernel where we are ended ourselves. */
export const createProgram = (folder: string, [program = '', ...args]: string[], isReady: () => Promise<boolean>) => {
  let child: ReturnType<typeof launch> | null = null
  const launch = () =>
    execa('/usr/bin/setpriv', ['--pdeathsig', 'KILL', ...AS_USER, '--', program, ...args], {
      cwd: folder,
      env: { LC_ALL: 'C' },
      extendEnv: false,
      all: true,
      reject: false,
    })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child?.kill(signal)
    await child
    child = null
  }
  return {
    start: async () => {
      if (!existsSync(program)) throw new Error(`${program} is not installed`)
      const started = launch()
      child = started
      await eventually(`${program} to be ready`, async () => {
        if (started.exitCode !== null) throw new Error(`${program} has ended: ${(await started).all}`)
        return isReady().catch(() => false)
      })
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

const findUser = (): { uid: number; gid: number } | null => {
  if (process.getuid?.() !== 0) return null
  const user = /^irc:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (!user) throw new Error('the servers do not run as root, and there is no user irc here')
  return { uid: Number(user[1]), gid: Number(user[2]) }
}

/** The user of all three packages (ngircd, inspircd, atheme-services), where we are root; else we are who we are. */
const USER = findUser()
const AS_USER = USER ? ['--reuid', `${USER.uid}`, '--regid', `${USER.gid}`, '--clear-groups'] : []
