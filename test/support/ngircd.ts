import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa, type ResultPromise } from 'execa'
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
  password?: string
  /** Further sections of its configuration. */
  config?: string
}

/** A server that runs. */
export type IrcServer = {
  host: string
  port: number
  /** Who may kill clients and split servers, by OPER. */
  operator: { name: string; password: string }
  /** Ends it in order, with a word to its clients. */
  stop: () => Promise<void>
  /** Ends it at once. */
  kill: () => Promise<void>
  /** Ends it if it runs, and brings it back on the same port. */
  restart: () => Promise<void>
} & AsyncDisposable

export type Ngircd = IrcServer & { name: string; password: string | null }

const HOST = '127.0.0.1'
const OPERATOR = { name: 'oper', password: 'oper-secret' }

/** A real ngIRCd on the loopback, as its package's user: `await using server = await startNgircd()`. */
export const startNgircd = async (options: Options = {}): Promise<Ngircd> => {
  const { name = 'one.test', password } = options
  const folder = ircFolder()
  const port = await freePort()
  const file = folder.write('ngircd.conf', configOf({ ...options, name }, port, folder.path))
  const program = createProgram({
    argv: ['/usr/sbin/ngircd', '--nodaemon', '--config', file],
    folder: folder.path,
    isReady: () => canRegister({ host: HOST, port, ...(password && { pass: password }) }),
  })
  const end = async () => {
    await program.kill()
    folder[Symbol.dispose]()
  }
  await program.start().catch(async (cause) => {
    await end()
    throw cause
  })
  return {
    host: HOST,
    port,
    name,
    password: password ?? null,
    operator: OPERATOR,
    stop: program.stop,
    kill: program.kill,
    restart: program.restart,
    [Symbol.asyncDispose]: end,
  }
}

export type NgircdPair = {
  one: Ngircd
  two: Ngircd
  /** Each server loses the other, and all who are on it. */
  split: () => Promise<void>
  /** They find each other again, and tell each other who is where. */
  join: () => Promise<void>
} & AsyncDisposable

/** Two real servers of one network. They are linked, and split only when they are told to. */
export const startNgircdPair = async (options: Omit<Options, 'name' | 'config'> = {}): Promise<NgircdPair> => {
  const two = await startNgircd({ ...options, name: 'two.test', config: linkTo('one.test') })
  const one = await startNgircd({ ...options, name: 'one.test', config: linkTo('two.test', two.port) })
  const tell = async (command: string, linked: boolean) => {
    await using operator = await personOn(one)
    await using witness = await personOn(two)
    operator.raw(`OPER ${OPERATOR.name} ${OPERATOR.password}`)
    operator.raw(command)
    for (const [person, other] of [[operator, two], [witness, one]] as const) {
      await eventually(`${command} to be done`, async () => (await linksOf(person)).includes(other.name) === linked)
    }
  }
  const join = () => tell(`CONNECT ${two.name}`, true)
  await join()
  return {
    one,
    two,
    join,
    split: () => tell(`SQUIT ${two.name} :split`, false),
    [Symbol.asyncDispose]: async () => {
      await one[Symbol.asyncDispose]()
      await two[Symbol.asyncDispose]()
    },
  }
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

const configOf = ({ name, nickLength = 9, penaltySeconds = -1, password, config = '' }: Options, port: number) => `
[Global]
Name = ${name}
Info = a server for tests
Listen = ${HOST}
Ports = ${port}
PidFile =
MotdPhrase = a server for tests
${password === undefined ? '' : `Password = ${password}`}
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

/** Somebody of no importance, and no name that is used twice. */
const personOn = ({ host, port, password }: Pick<Ngircd, 'host' | 'port' | 'password'>): Promise<Person> =>
  ircPerson({ host, port, nick: passerby(), ...(password !== null && { pass: password }) })

/** A nick that nobody else has, in nine characters. */
export const passerby = (): string => `p${randomBytes(4).toString('hex')}`

/** A folder that the user of the servers' packages can read and write, gone with its owner. */
export const ircFolder = (): { path: string; write: (name: string, text: string) => string } & Disposable => {
  // Not in the TMPDIR: that may be out of reach for another user.
  const path = mkdtempSync('/tmp/bellhop-irc-')
  const own = (file: string) => isRoot && chownSync(file, IRC.uid, IRC.gid)
  own(path)
  return {
    path,
    write: (name, text) => {
      const file = join(path, name)
      writeFileSync(file, text, { mode: 0o600 })
      own(file)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

type Program = Pick<IrcServer, 'stop' | 'kill' | 'restart'> & { start: () => Promise<void> }
