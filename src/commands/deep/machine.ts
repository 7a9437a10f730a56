import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Folder } from '../../house/folder.ts'
import { isLocked } from '../../house/lock.ts'
import type { Settings } from '../../house/parts.ts'
import { systemClock } from '../../lib/clock.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { probeSandbox } from '../../sandbox/probe.ts'
import type { Config } from '../../shapes/config.ts'
import { type Finding, problem, unless, warning, well } from './finding.ts'

const GB = 1_000_000_000
const HANDLES = 4096
const DAY = 86_400_000

/** The machine: room, handles, the clock, and the sandbox for real. */
export const checkMachine = async ({ path }: Settings, folder: Folder): Promise<Finding[]> => {
  const { bavail, bsize, blocks, ffree, files } = statfsSync(folder.path)
  const free = bavail * bsize
  const left = `${(free / GB).toFixed(1)} GB are free`
  const handles = Number(/^Max open files\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1] ?? Number.POSITIVE_INFINITY)
  const sandbox = await probeSandbox(path)
  const makeRoom = 'free some: `bellhop evidence compact` lets go of old bodies, see evidence.keep'
  return [
    free < GB / 5
      ? problem('disk', left, makeRoom)
      : unless(free < GB || free < blocks * bsize * 0.05, warning('disk', left, makeRoom), left),
    unless(
      files > 0 && ffree < files * 0.05,
      warning('inodes', `${ffree} of ${files} are free`, 'remove small files on that disk'),
      'are enough',
    ),
    unless(
      handles < HANDLES,
      warning(
        'file handles',
        `a process may have ${handles} open`,
        `ulimit -n ${HANDLES}; LimitNOFILE= in a unit of systemd`,
      ),
      `${handles} may be open`,
    ),
    unless(
      systemClock() < Date.parse('2025-01-01'),
      problem('clock', 'this machine thinks it is long ago', 'timedatectl set-ntp true'),
      'says a sane time',
    ),
    unless(
      !sandbox.ok,
      problem('sandbox', sandbox.detail, 'install bubblewrap: ./bellhop doctor names the line'),
      `runs programs, limits by ${sandbox.limits}`,
    ),
  ]
}

/** What lies in the data folder: who may read it, what was left behind, and how old the last backup is. */
export const checkFolder = (folder: Folder, fix: boolean): Finding[] => [
  ...modes(folder, fix),
  left(folder, fix),
  aside(folder),
  backup(folder),
  orphans(folder),
]

const modes = (folder: Folder, fix: boolean): Finding[] =>
  [folder.path, join(folder.path, 'secrets.json'), folder.head.key].filter(existsSync).map((path) => {
    const open = (statSync(path).mode & 0o077) !== 0
    const mode = path === folder.path ? 0o700 : 0o600
    if (open && fix) chmodSync(path, mode)
    const how = `chmod ${mode.toString(8)} ${path}`
    if (open && fix) return well('permissions', `mended: ${how}`)
    return unless(open, problem('permissions', `others may read ${path}`, how), `${path} is its owner's alone`)
  })

/** What a process that was killed while it wrote has left. */
const LEFT = /(?:\.part|\.part\.db|\.new|\.verify-\w+)$/

/** The same of a backup, where there may be things of others: with the secrets of the instance in it. */
const LEFT_OF_BACKUP = /\.\d+\.part(?:\.db(?:\.part)?(?:-wal|-shm|-journal)?)?$|\.verify-\w{6}$/

const leftIn = (folder: string, what: RegExp): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => what.test(name) && isOld(join(folder, name))) : []

const left = (folder: Folder, fix: boolean): Finding => {
  const { file } = lastBackup(folder)
  const backups =
    file === undefined ? [] : leftIn(dirname(file), LEFT_OF_BACKUP).map((name) => join(dirname(file), name))
  const names = [...leftIn(folder.path, LEFT), ...backups]
  if (names.length > 0 && fix) {
    for (const name of names) rmSync(resolve(folder.path, name), { recursive: true, force: true })
    return well('leftovers', `removed: ${names.join(', ')}`)
  }
  const fixed = 'bellhop doctor --deep --fix'
  return unless(
    names.length > 0,
    warning('leftovers', `of something that was cut off: ${names.join(', ')}`, fixed),
    'none',
  )
}

const isOld = (path: string): boolean => systemClock() - statSync(path).mtimeMs > DAY

const ASIDE = /^(?:before-restore-|evidence\.db\.(?:v\d+-before-|before-restore-))/

const aside = (folder: Folder): Finding => {
  const names = readdirSync(folder.path).filter((name) => ASIDE.test(name) && isOld(join(folder.path, name)))
  return unless(
    names.length > 0,
    warning(
      'kept aside',
      `${names.join(', ')}: from before a migration or a restore`,
      'remove what you do not need any more',
    ),
    'nothing old',
  )
}

const STALE_DAYS = 7

const lastBackup = ({ backedUp }: Folder): { at?: string; file?: string } => parseJson(read(backedUp)) ?? {}

const backup = (folder: Folder): Finding => {
  const stamp = lastBackup(folder)
  const how = 'bellhop backup DIR, every night: docs/backup.md'
  const at = Date.parse(stamp.at ?? '')
  if (Number.isNaN(at)) return warning('backup', 'none was ever made', how)
  const days = Math.floor((systemClock() - at) / DAY)
  const age = `the last one is ${days === 1 ? '1 day' : `${days} days`} old: ${stamp.file}`
  return unless(days > STALE_DAYS, warning('backup', age, how), age)
}

/** Processes that name the folder while no instance runs on it. */
const orphans = (folder: Folder): Finding => {
  if (!existsSync('/proc') || isLocked(folder)) return well('processes', 'belong to the instance that runs')
  const found = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && isOurs(pid, folder),
  )
  return unless(
    found.length > 0,
    warning(
      'processes',
      `no \`up\` runs on the folder, and these do: ${found.join(', ')}`,
      `if they are no gateways or workers of yours: kill ${found.join(' ')}`,
    ),
    'none is left behind',
  )
}

const isOurs = (pid: string, { path }: Folder): boolean => {
  const line = read(`/proc/${pid}/cmdline`)
  // Another instance may lie beside it, in a folder whose name begins as this one's.
  const [, ...behind] = line.split(path)
  return (
    behind.some((rest) => /^(?:[\0/\s]|$)/.test(rest)) && /redis-server|cli\.js\0(?:gateway|worker|bridge)/.test(line)
  )
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** What the config says that does not go together. */
export const checkConfig = ({ lease, queues, limits, drainMs, http, evidence }: Config): Finding[] => {
  const found = [
    ...(lease.ms < 3 * lease.heartbeatMs
      ? [
          warning(
            'config',
            'lease.ms is less than three heartbeats: agents lapse when one is late',
            'raise lease.ms, or lower lease.heartbeatMs',
          ),
        ]
      : []),
    ...(queues.perSession > queues.perRoom || queues.perRoom > queues.total
      ? [warning('config', 'of queues the narrower one is wider: it is never reached', 'perSession ≤ perRoom ≤ total')]
      : []),
    ...(limits.person.burst > limits.room.burst
      ? [warning('config', 'one person may say more at once than their room', 'raise limits.room')]
      : []),
    ...(drainMs < 1000
      ? [warning('config', 'drainMs is less than a second: turns are cut off at every stop', 'raise drainMs')]
      : []),
    ...(!isLoopback(http.host) && http.public === null
      ? [warning('config', `it listens on ${http.host} without TLS`, 'put a proxy before it: docs/access.md')]
      : []),
    ...(evidence.sign
      ? []
      : [
          warning(
            'config',
            'the head of the store is not signed: what is cut off at its end does not show',
            'evidence: { sign: true }',
          ),
        ]),
  ]
  return found.length > 0 ? found : [well('config', 'goes together')]
}

const isLoopback = (host: string): boolean => /^(?:127\.|localhost$|::1$)/.test(host)
